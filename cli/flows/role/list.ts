import { coversRoles, type Roles } from '../../../shared/permissions.ts'
import type { Listing } from '../listing.ts'
import type { Ports } from '../ports.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

export interface ListedRole {
  readonly role: string
  readonly permissions: Readonly<Record<string, readonly string[]>>
}

/** Each as `role check` takes it. */
const permissionWords = (permissions: ListedRole['permissions']): string[] =>
  Object.entries(permissions).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

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

/** What several roles together let somebody do, each as `role check` takes it. */
export const permittedTo = (roles: Roles, held: readonly string[]): readonly string[] => [
  ...new Set(held.flatMap((role) => permissionWords(roles[role] ?? {}))),
]

export async function roleNames(ports: Ports): Promise<readonly string[]> {
  const { api } = await ports.signedIn()
  return (await api.organization.listRoles()).map(({ role }) => role)
}

/** The roles that may be the one that owns: they hold whatever any role holds. A service may call its owners as it likes. */
export function ownerRolesOf(
  listed: readonly { readonly role: string; readonly permissions: Roles[string] }[],
): string[] {
  const roles: Roles = Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
  const names = Object.keys(roles)
  return names.filter((name) => coversRoles(roles, [name], names))
}
