import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import { type AdminRule, hasAdmin, lockAdministration } from '../../db/admins.ts'
import type { Sql } from '../../db/connect.ts'
import type { Deps } from '../../deps.ts'
import { adminRolesOf, isAdmin, type Person } from './permission.ts'

export const adminRuleOf = (config: Config): AdminRule => ({
  roles: adminRolesOf(config),
  ids: config.ADMIN_USER_IDS,
  emails: config.ADMIN_EMAILS,
})

/**
 * An administrator leaves only while there is another one. Stands first in a transaction. Others cannot take the last one
 * away: who may has to be an administrator, too, and stays.
 */
export async function keepLastAdmin({ config }: Deps, tx: Sql, user: Person): Promise<void> {
  if (!isAdmin(config, user)) return
  await lockAdministration(tx)
  if (!(await hasAdmin(tx, adminRuleOf(config), user.id))) throw new Failure('LAST_ADMIN')
}
