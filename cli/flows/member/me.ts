import { toCliError } from '../../output/error-report.ts'
import type { Sheet } from '../listing.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { type ListedMember, listedMember, memberFields, memberSheet, membersOf, pickMember } from './members.ts'

export const ownMembership: Sheet<ListedMember> = {
  command: 'member me',
  summary: 'The signed-in user as a member of the organization',
  fields: {},
  call: '/organization/get-active-member',
  answer: memberFields,
  columns: memberSheet,
  examples: ['', '--org acme --json=roles'],
  view: async (ports) => {
    const { api } = await ports.signedIn()
    // The service answers for the active organization only.
    const isActive = (await organizationIdOf({ api }, ports.organization)) === undefined
    const active = isActive ? await api.member.getActiveMember().catch(unlessNone) : undefined
    if (active) return listedMember(active)
    const { user } = await ports.session()
    return listedMember(pickMember(await membersOf(ports), user.id))
  },
}

/** Then it may be the only one. */
function unlessNone(error: unknown): undefined {
  if (toCliError(error).code !== 'NO_ACTIVE_ORGANIZATION') throw error
}
