import type { MemberView } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { type OrganizationView, whyNotRemove } from '../org/view.ts'
import {
  findMembers,
  memberAddresses,
  memberCount,
  memberFields,
  type NamedMember,
  userArgument,
  wordsForMember,
} from './members.ts'

const people = (several: readonly NamedMember[]): string => memberCount(several.map(({ member }) => member))

export const removeMember: Flow<NamedMember, Readonly<Record<never, never>>, OrganizationView, MemberView> = {
  command: 'member remove',
  summary: 'Remove members from the organization; --confirm repeats the address of an owner, --yes is not enough',
  title: 'Remove',
  writes: true,
  needsSession: true,
  subject: {
    argument: '<user...>',
    summary: `${userArgument}; - reads them from stdin, one a line`,
    key: 'memberIdOrEmail',
    finder: findMembers,
    words: wordsForMember,
    complete: memberAddresses,
  },
  fields: {},
  call: '/organization/remove-member',
  answer: memberFields,
  examples: [
    'ben@example.com',
    'boss@example.com --confirm boss@example.com',
    '- --org acme --yes --json < addresses.txt',
  ],
  consent: {
    question: (several) => `Remove ${people(several)} from the organization?`,
    typed: { what: 'address', word: ownersWord, always: true, forSome: true },
  },
  disabledReason: (several, view) =>
    whyNotRemove(
      view,
      several.map(({ member }) => member),
    ),
  run: async (ports, { member }) => {
    const { api } = await ports.signedIn()
    await api.member.removeMember({ memberIdOrEmail: member.id, organizationId: member.organizationId })
    return { sentence: `Removed ${member.user.email}`, status: 'deleted', resource: member }
  },
  doneWith: (several) => `Removed ${people(several)}`,
}

/** Owners are removed by their name: the address of one, or the slug of what several own. */
function ownersWord(several: readonly NamedMember[]): string | undefined {
  const [owner, ...others] = several.filter(({ isOwner }) => isOwner)
  return others.length > 0 ? owner?.org : owner?.member.user.email
}
