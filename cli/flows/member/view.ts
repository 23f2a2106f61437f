import type { Sheet } from '../listing.ts'
import {
  type ListedMember,
  listedMember,
  memberAddresses,
  memberFields,
  memberSheet,
  membersOf,
  pickMember,
  userArgument,
} from './members.ts'

const fields = {
  user: { kind: 'text', label: 'Member', argument: '<user>', summary: userArgument, complete: memberAddresses },
} as const

export const memberView: Sheet<ListedMember, typeof fields> = {
  command: 'member view',
  summary: 'One member of the organization',
  fields,
  call: '/organization/list-members',
  answer: memberFields,
  columns: memberSheet,
  examples: ['ann@example.com'],
  view: async (ports, { user }) => listedMember(pickMember(await membersOf(ports), user)),
}
