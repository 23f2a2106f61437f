import type { Roles } from '../../../shared/permissions.ts'
import type { Connection } from '../../client/connect.ts'

/** The roles of the service by name. */
export async function rolesOf({ api }: Connection): Promise<Roles> {
  const listed = await api.organization.listRoles()
  return Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
}
