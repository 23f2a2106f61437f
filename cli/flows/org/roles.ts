import { coversRoles, type Roles } from '../../../shared/permissions.ts'

export interface ListedRole {
  readonly role: string
  readonly permissions: Readonly<Record<string, readonly string[]>>
}

/** Each as `role check` takes it. */
export const permissionWords = (permissions: ListedRole['permissions']): string[] =>
  Object.entries(permissions).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

/** What several roles together let somebody do, each as `role check` takes it. */
export const permittedTo = (roles: Roles, held: readonly string[]): readonly string[] => [
  ...new Set(held.flatMap((role) => permissionWords(roles[role] ?? {}))),
]

/** The roles that may be the one that owns: they hold whatever any role holds. A service may call its owners as it likes. */
export function ownerRolesOf(
  listed: readonly { readonly role: string; readonly permissions: Roles[string] }[],
): string[] {
  const roles: Roles = Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
  const names = Object.keys(roles)
  return names.filter((name) => coversRoles(roles, [name], names))
}
