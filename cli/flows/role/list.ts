import type { Column } from '../../output/cell.ts'
import type { Listing } from '../listing.ts'

interface ListedRole {
  readonly role: string
  readonly permissions: Readonly<Record<string, readonly string[]>>
}

const columns: readonly Column<ListedRole>[] = [
  { header: 'Role', value: ({ role }) => role },
  { header: 'May', value: ({ permissions }) => permissionWords(permissions) },
]

/** Each as `role check` takes it. */
export const permissionWords = (permissions: ListedRole['permissions']): string[] =>
  Object.entries(permissions).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

export const roleList: Listing<ListedRole> = {
  command: 'role list',
  summary: 'The roles of organizations, and what each may do',
  fields: {},
  call: '/organization/list-roles',
  answer: { role: 'text', permissions: 'any' },
  columns,
  id: 'role',
  empty: 'No roles',
  examples: ['', '--json'],
  list: async (ports) => (await ports.signedIn()).api.organization.listRoles(),
}
