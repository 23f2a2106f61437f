import { v7 as uuid } from 'uuid'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import { createResetToken } from '../../crypto/token.ts'
import { findUserByEmail, hasAdmin, lockAdministration } from '../../db/admins.ts'
import { insertAuditEvent } from '../../db/audit-events.ts'
import type { Sql } from '../../db/connect.ts'
import { storeLink } from '../../db/links.ts'
import { insertManagedUser, setRoles, unbanUser } from '../../db/managed-users.ts'
import type { Outcome } from '../../db/outcome.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { linkOf } from '../../mail/links.ts'
import { createAuditEvent } from '../../request/audit-event.ts'
import { tokenLink } from '../mailed-link.ts'
import { adminRuleOf } from './last-admin.ts'
import { isAdmin } from './permission.ts'

export interface Bootstrap {
  readonly email: string
  /** Also where there is an administrator already, or the user is banned. */
  readonly isForced: boolean
}

/** `link`: where a user who was made by this sets a password; null: there was one. */
interface Bootstrapped {
  readonly user: FullUser
  readonly link: string | null
}

/** `no-admin-role`: the roles of the config file have none that may set roles. */
export type BootstrapOutcome = Outcome<Bootstrapped, 'admin-exists' | 'banned' | 'invalid-email' | 'no-admin-role'>

/**
 * The first administrator, by whoever has the database in hand: makes the user of an address one, and the user where there is
 * none. No call of the service does this.
 */
export async function bootstrapAdmin(deps: Deps, asked: Bootstrap): Promise<BootstrapOutcome> {
  const rule = adminRuleOf(deps.config)
  const [role] = rule.roles
  if (!isEmail(asked.email)) return { outcome: 'invalid-email' }
  if (role === undefined) return { outcome: 'no-admin-role' }
  const email = canonicalEmail(asked.email)
  return transaction(deps.sql, async (tx): Promise<BootstrapOutcome> => {
    await lockAdministration(tx)
    if (!asked.isForced && (await hasAdmin(tx, rule, null))) return { outcome: 'admin-exists' }
    const found = await findUserByEmail(tx, email)
    if (found?.isMachine) return { outcome: 'invalid-email' }
    if (found?.isBanned && !asked.isForced) return { outcome: 'banned' }
    if (!found) return { outcome: 'done', ...(await make(deps, tx, email, role)) }
    if (found.isBanned) await unbanUser(tx, found.id)
    return { outcome: 'done', user: await promote(deps, tx, found, role), link: null }
  })
}

async function promote({ config }: Deps, tx: Sql, found: FullUser, role: string): Promise<FullUser> {
  const before = found.role ?? []
  const roles = isAdmin(config, { ...found, role: before }) ? before : [...before.filter((name) => name !== role), role]
  const { user } = await setRoles(tx, found.id, roles, { endsActing: false, endsActedAs: true })
  const facts = { userId: null, targetUserId: found.id, from: textOfRoles(before), to: textOfRoles(roles) }
  await insertAuditEvent(tx, createAuditEvent('user-role-changed', facts, origin))
  return user
}

/** The link is told to who runs this, and mailed, should the address be somebody else's. */
async function make(deps: Deps, tx: Sql, email: string, role: string): Promise<Bootstrapped> {
  const draft = { id: uuid(), accountId: uuid(), email, name: email.replace(/@.*/, ''), image: null }
  const user = await insertManagedUser(tx, { ...draft, emailVerified: false, roles: [role], ban: null, password: null })
  if (!user) throw new Error('The address was taken meanwhile')
  const payload = { kind: 'reset-password', to: email, token: createResetToken() } as const
  await storeLink(tx, user.id, tokenLink(deps, { asked: [], stored: [] }, payload))
  const facts = { userId: null, targetUserId: user.id, role }
  await insertAuditEvent(tx, createAuditEvent('user-created', facts, origin))
  const { BASE_URL, BASE_PATH, RESET_PASSWORD_EXPIRES_IN: seconds } = deps.config
  const parts = {
    base: `${BASE_URL.origin}${BASE_PATH}`,
    keys: deps.keys.mail,
    userId: user.id,
    seconds,
    now: deps.now(),
  }
  return { user, link: (await linkOf(payload, parts))?.url ?? null }
}

/** No request: a command on the machine itself. */
const origin = {
  actorId: null,
  impersonatorId: null,
  keyId: null,
  isServer: false,
  address: '',
  userAgent: 'postern admin bootstrap',
  label: null,
  requestId: 'local',
}
