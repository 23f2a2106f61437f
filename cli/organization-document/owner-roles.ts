import { coversRoles, type Roles } from '../../shared/permissions.ts'

/** The roles that may be the one that owns: they hold whatever any role holds. A service may call its owners as it likes. */
export function ownerRolesOf(
  listed: readonly { readonly role: string; readonly permissions: Roles[string] }[],
): string[] {
  const roles: Roles = Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
  const names = Object.keys(roles)
  return names.filter((name) => coversRoles(roles, [name], names))
}
