import type { MemberView } from '../../../shared/organization.ts'
import { flag } from '../command-line.ts'
import type { Flow } from '../flow.ts'
import { type OrganizationView, whyNotPermitted, whyNotRemove } from '../org/view.ts'
import { findWithMachines, machinesNote, machinesText } from './machines.ts'
import {
  type MachineFate,
  memberAddresses,
  memberCount,
  memberFields,
  type NamedMember,
  userArgument,
  wordsForMember,
} from './members.ts'

const people = (several: readonly NamedMember[]): string => memberCount(several.map(({ member }) => member))

const fields = {
  keys: {
    kind: 'choice',
    label: 'Their keys',
    flag: '--keys <what>',
    summary:
      'revoke or adopt the keys and trust rules that they are responsible for; default: these stay, and do nothing until adopted',
    key: 'keys',
    values: ['revoke', 'adopt'],
    isOptional: true,
    onlyInCommands: true,
  },
} as const

type RemoveMember = Flow<NamedMember, typeof fields, OrganizationView, MemberView>

export const removeMember: RemoveMember = {
  command: 'member remove',
  summary: 'Remove members from the organization; --confirm repeats the address of an owner, --yes is not enough',
  title: 'Remove',
  writes: true,
  needsSession: true,
  subject: {
    argument: '<user...>',
    summary: `${userArgument}; - reads them from stdin, one a line`,
    key: 'memberIdOrEmail',
    finder: findWithMachines,
    words: (named) => {
      const { word, flags = [] } = wordsForMember(named)
      return { word, flags: [...flags, ...flag('keys', named.fate)] }
    },
    complete: memberAddresses,
  },
  fields,
  call: '/organization/remove-member',
  answer: memberFields,
  examples: [
    'ben@example.com',
    'ben@example.com --keys adopt',
    'boss@example.com --confirm boss@example.com',
    '- --org acme --yes --json < addresses.txt',
  ],
  consent: {
    question: (several) => `Remove ${people(several)} from the organization?${machinesText(several)}`,
    typed: { what: 'address', word: ownersWord, always: true, forSome: true },
  },
  disabledReason: (several, view) =>
    (several[0]?.fate === 'adopt' ? whyNotPermitted(view, 'member:create') : undefined) ??
    whyNotRemove(
      view,
      several.map(({ member }) => member),
    ),
  run: async (ports, { member, fate }) => {
    const { api } = await ports.signedIn()
    const { id: memberIdOrEmail, organizationId } = member
    const asked = { memberIdOrEmail, organizationId, ...(fate && { keys: fate }) }
    const { machines } = await api.member.removeMember(asked)
    const notes = machinesNote(machines, fate)
    return { sentence: `Removed ${member.user.email}`, status: 'deleted', resource: member, notes }
  },
  doneWith: (several) => `Removed ${people(several)}`,
}

/** Owners are removed by their name: the address of one, or the slug of what several own. */
function ownersWord(several: readonly NamedMember[]): string | undefined {
  const [owner, ...others] = several.filter(({ isOwner }) => isOwner)
  return others.length > 0 ? owner?.org : owner?.member.user.email
}

/** The same for a menu, where it is said beforehand what becomes of their keys. */
export const removeMemberWith = (fate: MachineFate): RemoveMember => ({
  ...removeMember,
  title: fate === 'revoke' ? 'Remove, and revoke their keys' : 'Remove, and adopt their keys',
})
