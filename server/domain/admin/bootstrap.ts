import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import { newId } from '../../crypto/id.ts'
import { createResetToken } from '../../crypto/token.ts'
import { type AdminCandidate, findUserByEmail, hasAdmin, lockAdministration } from '../../db/admins.ts'
import { insertAuditEvent } from '../../db/audit-events.ts'
import type { Sql } from '../../db/connect.ts'
import { deleteResetLinks, storeLink } from '../../db/links.ts'
import { insertManagedUser, setRoles, unbanUser } from '../../db/managed-users.ts'
import { type Outcome, transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { createMailLink, serviceBaseOf } from '../../mail/links.ts'
import { createAuditEvent, noRequest } from '../../request/audit-event.ts'
import { tokenLink } from '../mails.ts'
import { adminRuleOf, isAdmin } from './permission.ts'

export interface BootstrapOptions {
  readonly email: string
  /**
   * Proceeds although another administrator exists or the user is banned. A user without any way to sign in gets
   * another link.
   */
  readonly isForced: boolean
  /** Requires that the user already exists, or that this call creates the user. Without it, either is accepted. */
  readonly only?: 'existing' | 'new'
}

/**
 * `link`: where the user sets a password; null when none was made. `lacksPassword`: the user has no other way to sign
 * in either. False where passwords sign nobody in: a provider that proves the address does.
 */
interface BootstrapResult {
  readonly change: 'created' | 'updated' | 'unchanged'
  readonly user: FullUser
  readonly link: string | null
  readonly lacksPassword: boolean
}

/** `no-admin-role`: no role of the config file may set roles. */
export type BootstrapOutcome = Outcome<
  BootstrapResult,
  'admin-exists' | 'banned' | 'invalid-email' | 'no-admin-role' | 'no-such-user' | 'user-exists'
>

/**
 * Makes the user of an address the first administrator, and creates the user when there is none. For operators with
 * access to the database: no call of the service does this.
 */
export async function bootstrapAdmin(deps: Deps, asked: BootstrapOptions): Promise<BootstrapOutcome> {
  const rule = adminRuleOf(deps.config)
  const [role] = rule.roles
  if (!isEmail(asked.email)) return { outcome: 'invalid-email' }
  if (role === undefined) return { outcome: 'no-admin-role' }
  const email = canonicalEmail(asked.email)
  return transaction(deps.sql, async (tx): Promise<BootstrapOutcome> => {
    await lockAdministration(tx)
    const found = await findUserByEmail(tx, email)
    if (found && isReady(deps, found))
      return { outcome: 'done', change: 'unchanged', ...(await signInLinkOf(deps, tx, asked, found)) }
    if (!asked.isForced && (await hasAdmin(tx, rule, null))) return { outcome: 'admin-exists' }
    const outcome = refusalOf(asked, found)
    if (outcome) return { outcome }
    if (!found) return createAdmin(deps, tx, email, role)
    const user = await promote(deps, tx, found, role)
    return { outcome: 'done', change: 'updated', ...(await signInLinkOf(deps, tx, asked, found)), user }
  })
}

const isReady = ({ config }: Deps, found: AdminCandidate): boolean =>
  !found.isBanned && !found.isMachine && isAdmin(config, found)

function refusalOf({ isForced, only }: BootstrapOptions, found: AdminCandidate | null) {
  if (!found) return only === 'existing' ? 'no-such-user' : null
  if (found.isMachine) return 'invalid-email'
  // Somebody signed up with this address after the question was asked, so the answer does not mean them.
  if (only === 'new') return 'user-exists'
  return found.isBanned && !isForced ? 'banned' : null
}

async function promote(deps: Deps, tx: Sql, found: AdminCandidate, role: string): Promise<FullUser> {
  if (found.isBanned) await liftBan(tx, found)
  const before = found.role ?? []
  const roles = isAdmin(deps.config, { ...found, role: before })
    ? before
    : [...before.filter((name) => name !== role), role]
  const { user } = await setRoles(tx, found.id, roles, { endsActing: false, endsActedAs: true })
  const facts = { userId: null, targetUserId: found.id, from: formatRoles(before), to: formatRoles(roles) }
  if (roles !== before) await insertAuditEvent(tx, createAuditEvent('user-role-changed', facts, origin))
  return user
}

async function liftBan(tx: Sql, { id }: AdminCandidate): Promise<void> {
  await unbanUser(tx, id)
  await insertAuditEvent(tx, createAuditEvent('user-unbanned', { userId: null, targetUserId: id }, origin))
}

async function createAdmin(deps: Deps, tx: Sql, email: string, role: string): Promise<BootstrapOutcome> {
  const draft = { id: newId(), accountId: newId(), email, name: email.replace(/@.*/, ''), image: null, language: null }
  const user = await insertManagedUser(
    tx,
    {
      ...draft,
      provenAddress: null,
      roles: [role],
      fields: deps.config.ownFields.user.defaults,
      ban: null,
      password: null,
    },
    null,
  )
  if (!user) return { outcome: 'user-exists' }
  const facts = { userId: null, targetUserId: user.id, role }
  await insertAuditEvent(tx, createAuditEvent('user-created', facts, origin))
  const lacksPassword = deps.config.EMAIL_PASSWORD
  const link = lacksPassword ? await newLink(deps, tx, user) : null
  return { outcome: 'done', change: 'created', user, link, lacksPassword }
}

/**
 * Without a mail server, a user who lost the link of an earlier run can only get in by a new one. The lost link ends.
 */
async function signInLinkOf(deps: Deps, tx: Sql, { isForced }: BootstrapOptions, found: AdminCandidate) {
  const lacksPassword = deps.config.EMAIL_PASSWORD && !found.hasAccount
  if (!lacksPassword || !isForced) return { user: found, link: null, lacksPassword }
  await deleteResetLinks(tx, found.id)
  await insertAuditEvent(tx, createAuditEvent('password-reset-asked', { userId: found.id }, origin))
  return { user: found, link: await newLink(deps, tx, found), lacksPassword }
}

/** The link is shown to the operator, and also mailed in case the address is somebody else's. */
async function newLink(deps: Deps, tx: Sql, { id, email }: Pick<FullUser, 'id' | 'email'>): Promise<string | null> {
  const payload = { kind: 'reset-password', to: email, token: createResetToken() } as const
  await storeLink(tx, id, tokenLink(deps, { language: null }, { asked: [], stored: [] }, payload))
  const { RESET_PASSWORD_EXPIRES_IN: seconds } = deps.config
  const link = await createMailLink(payload, {
    base: serviceBaseOf(deps.config),
    keys: deps.keys.mail,
    userId: id,
    seconds,
    now: deps.now(),
    isByPage: false,
    language: null,
  })
  return link?.url ?? null
}

const origin = { ...noRequest, userAgent: 'postern admin bootstrap' }
