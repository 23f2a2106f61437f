import type { Sheet } from '../listing.ts'
import { findUser, type ListedUser, listedUser, listedUserFields, userArgument, userSheet } from './users.ts'

const fields = { user: { kind: 'text', label: 'User', argument: '<user>', summary: userArgument } } as const

export const userView: Sheet<ListedUser, typeof fields> = {
  command: 'admin user view',
  summary: 'One user of the service',
  fields,
  call: '/admin/list-users',
  answer: listedUserFields,
  columns: userSheet,
  examples: ['ann@example.com', 'ann@example.com --json=roles,banned'],
  view: async (ports, { user }) => listedUser(await findUser(await ports.signedIn(), user)),
}
