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
  examples: ['postern member me', 'postern member me --org acme --json=roles'],
  view: async (ports) => {
    const { api } = await ports.signedIn()
    // The service answers for the active organization only.
    const isActive = (await organizationIdOf({ api }, ports.organization)) === undefined
    if (isActive) return listedMember(await api.member.getActiveMember())
    const { user } = await ports.session()
    return listedMember(pickMember(await membersOf(ports), user.id))
  },
}
