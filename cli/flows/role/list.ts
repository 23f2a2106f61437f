import type { Listing } from '../listing.ts'
import { type ListedRole, permissionWords } from '../org/view.ts'
import type { Ports } from '../ports.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

export const roleFields = {
  role: { title: 'Role', type: 'text' },
  permissions: { title: 'May', type: 'any', value: ({ permissions }) => permissionWords(permissions) },
} as const satisfies FieldsOf<ListedRole, ListedRole>

export const roleList: Listing<ListedRole> = {
  command: 'role list',
  summary: 'The roles of organizations, and what each may do',
  fields: {},
  call: '/organization/list-roles',
  answer: roleFields,
  columns: columnsOf<ListedRole>(roleFields, ['role', 'permissions']),
  id: 'role',
  empty: 'No roles',
  examples: ['', '--json'],
  list: async (ports) => (await ports.signedIn()).api.organization.listRoles(),
}

export async function roleNames(ports: Ports): Promise<readonly string[]> {
  const { api } = await ports.signedIn()
  return (await api.organization.listRoles()).map(({ role }) => role)
}
