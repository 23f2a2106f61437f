import type { Listing } from '../listing.ts'
import { type ListedMember, listedMember, memberColumns, memberFields, membersOf } from './members.ts'

export const memberList: Listing<ListedMember> = {
  command: 'member list',
  summary: 'The members of the organization',
  fields: {},
  call: '/organization/list-members',
  answer: memberFields,
  columns: memberColumns,
  empty: 'No members',
  examples: ['', '--org acme --json=email,roles'],
  list: async (ports) => (await membersOf(ports)).map(listedMember),
}
