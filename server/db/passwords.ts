import type postgres from 'postgres'
import { User } from '../../shared/entities.ts'
import type { Admitted } from '../request/admission.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { countOf, insertAuditEvent } from './audit-events.ts'
import { columnsOf, computed, fieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import { deleteDeviceRequestsOf } from './device-requests.ts'
import { type CountersToSettle, type CountResult, countUse, type Limit, settleWhen } from './limits.ts'
import { insertNotice, type Notice } from './links.ts'
import { findOwn, getOwn } from './own-row.ts'
import { insertSession, mayEnter } from './session-start.ts'
import type { Outcome } from './transaction.ts'
import { countEnded, deleteOwnKeys } from './user-sessions.ts'

/** The user of a reset token; nulls when the token is not valid. */
export interface ResetOwner extends CountResult {
  readonly email: string | null
  readonly name: string | null
  /** Ids of the providers of linked accounts whose holders never proved the mailbox: a reset ends them. */
  readonly unproven: readonly string[]
}

/** Counts the try and looks at the token, without consuming it: a password that is refused must not burn it. */
export function findResetOwner(sql: Sql, identifier: string, limits: readonly Limit[]): Promise<ResetOwner> {
  const found = sql`
    select c.refused_for, u.email, u.name, array(
      select a.provider_id from accounts a
      where a.user_id = u.id and a.proven_email is distinct from u.email and a.provider_id <> 'credential'
      order by a.provider_id
    ) as unproven
    from counted c
    left join verifications v on c.refused_for is null and v.identifier = ${identifier} and v.expires_at > now()
    left join users u on u.id = v.user_id
  `
  return getOwn<ResetOwner>(sql, identifier, found, countUse(sql, limits))
}

export interface PasswordReset {
  readonly identifier: string
  readonly accountId: string
  /** The hash, never the password. */
  readonly password: string
  /** Counters that the proven mailbox settles. */
  readonly proof: CountersToSettle
  readonly notice: Notice
  readonly event: AuditEvent
  /** Tells of the sessions that it ends. */
  readonly endedEvent: AuditEvent
}

export interface NewPasswordResult {
  readonly user: User
  /** Ids of the sessions that it ended. */
  readonly ended: readonly string[]
}

/**
 * Locks the user of a reset token together with the password and the linked accounts. A sign-in or a link under way with one
 * of them ends before this, or waits and finds another one; the statement after this sees all sessions and accounts.
 */
export const lockResetOwner = (tx: Sql, identifier: string) => tx`
  select from verifications v
  join users u on u.id = v.user_id
  join accounts a on a.user_id = u.id
  where v.identifier = ${identifier} and v.expires_at > now()
  for no key update of u, a
`

/** The same for a user by the id. */
export const lockPassword = (tx: Sql, userId: string) => tx`
  select from users u
  join accounts a on a.user_id = u.id and a.provider_id = 'credential'
  where u.id = ${userId}
  for no key update of u, a
`

/**
 * Consumes a reset token and does all that it allows, in one statement; null when somebody else used it first. The user's
 * row is locked before any token, so two links of one user cannot wait for each other. It proves the mailbox: the address
 * is verified, every session, every key and every other token of the user ends. Linked accounts whose holder never proved the
 * mailbox may be anybody's: they end too.
 */
export async function resetPassword(sql: Sql, reset: PasswordReset): Promise<NewPasswordResult | null> {
  const steps = sql`
    owner as (
      select u.id, u.email from users u
      where u.id = (select user_id from verifications where identifier = ${reset.identifier} and expires_at > now())
      for no key update
    ), used as (
      delete from verifications v using owner o
      where v.user_id = o.id and v.identifier = ${reset.identifier} and v.expires_at > now()
      returning o.id, o.email
    ), others as (
      delete from verifications v using used where v.user_id = used.id and v.identifier <> ${reset.identifier}
    ),
    ${provePassword(sql, reset)},
    proven as (
      update users u set email_verified = true, updated_at = now() from used where u.id = used.id
      returning ${columnsOf(sql, User, 'u')}
    ), ended as (
      delete from sessions s using used where s.user_id = used.id returning s.id
    ), devices as (
      ${deleteDeviceRequestsOf(sql, sql`(select id from used)`)}
    ), machine_keys as (
      delete from machine_keys k using used where k.user_id = used.id
    ),
    ${settleWhen(sql, reset.proof, sql`select from used`)}
    ${insertNotice(sql, reset.notice, sql`select id from used`)},
    audited as (${insertAuditEvent(sql, reset.event, sql`select id from used`, { userId: sql`told.id` })}),
    ended_audited as (${insertAuditEvent(sql, reset.endedEvent, sql`select id from used`, {
      userId: sql`told.id`,
      details: countOf(sql, 'ended'),
    })})
  `
  return resetOf(await findOwn(sql, reset.identifier, changedUser(sql, sql`proven`), steps))
}

/** The steps by which the new password is the owner's of `used`, and what others linked without a proof ends. */
const provePassword = (sql: Sql, { accountId, password }: PasswordReset) => sql`
  account as (
    insert into accounts (id, user_id, provider_id, account_id, password, mailbox_proof, mailbox_proven_at, proven_email)
    select ${accountId}, id, 'credential', id, ${password}, 'reset', now(), email from used
    on conflict (user_id) where provider_id = 'credential'
    do update set password = excluded.password, updated_at = now(), mailbox_proof = 'reset', mailbox_proven_at = now(),
      proven_email = excluded.proven_email
  ),
  unproven as (
    delete from accounts a using used
    where a.user_id = used.id and a.proven_email is distinct from used.email and a.provider_id <> 'credential'
  )
`

type Ended = Omit<NewPasswordResult, 'user'>

const changedUser = (sql: Sql, changed: postgres.Fragment) => sql`
  select ${fieldsOf(sql, User)}, ${computed<Ended>(sql, { ended: sql`array(select id from ended)` })}
  from ${changed}
`

function resetOf(row: (User & Ended) | null): NewPasswordResult | null {
  if (!row) return null
  const { ended, ...user } = row
  return { user, ended }
}

/** The password's hash of a user, or null without one; counts the try. */
export function findOwnPassword(sql: Sql, userId: string, limits: readonly Limit[]) {
  const found = sql`
    select c.refused_for, a.password
    from counted c
    left join accounts a on c.refused_for is null and a.user_id = ${userId} and a.provider_id = 'credential'
  `
  return getOwn<CountResult & { password: string | null }>(sql, userId, found, countUse(sql, limits))
}

export interface PasswordChange {
  readonly userId: string
  readonly sessionId: string
  /** Hashes: the one that was proven, and the new one. */
  readonly from: string
  readonly to: string
  readonly counters: CountersToSettle
  /** Replaces all sessions; null when they stay. */
  readonly admitted: Admitted | null
  readonly notice: Notice
  readonly event: AuditEvent
  /** Tells of the sessions that a new one replaces. */
  readonly endedEvent: AuditEvent
}

/**
 * Puts a new hash in place of the proven one, kills reset links, and counts the session as fresh; null when the password
 * was changed or the session ended meanwhile. With a new session all others end, and the user's own keys. The user's row is locked first, as a
 * reset does, so that the two cannot wait for each other.
 */
export async function changePassword(sql: Sql, change: PasswordChange): Promise<NewPasswordResult | null> {
  const { userId, sessionId, admitted } = change
  const steps = sql`
    owner as (
      select id from users u where id = ${userId} ${admitted ? sql`and ${mayEnter(sql, admitted)}` : sql``} for no key update
    ), changed as (
      update accounts a set password = ${change.to}, updated_at = now() from owner o
      where a.user_id = o.id and a.provider_id = 'credential' and a.password = ${change.from}
        and exists (select from sessions where id = ${sessionId})
      returning o.id, a.id as account_id, a.proven_email
    ), others as (
      delete from verifications v using changed c where v.user_id = c.id and v.identifier like 'reset-password:%'
    ), touched as (
      update users u set updated_at = now() from changed c where u.id = c.id
      returning ${columnsOf(sql, User, 'u')}
    ), devices as (
      ${deleteDeviceRequestsOf(sql, sql`(select id from changed)`)}
    ),
    ${admitted ? replaceSessions(sql, admitted, change.endedEvent) : keepSession(sql, sessionId)},
    audited as (${insertAuditEvent(sql, change.event, sql`select from changed`)}),
    ${settleWhen(sql, change.counters, sql`select from changed`)}
    ${insertNotice(sql, change.notice, sql`select id from changed`)}
  `
  return resetOf(await findOwn(sql, userId, changedUser(sql, sql`touched`), steps))
}

const replaceSessions = (sql: Sql, admitted: Admitted, event: AuditEvent) => sql`
  ended as (delete from sessions s using changed c where s.user_id = c.id returning s.id),
  keys as (${deleteOwnKeys(sql, sql`select id from changed`)}),
  ended_audited as (${insertAuditEvent(sql, event, sql`select from changed`, {
    details: countEnded(sql, 'ended', 'keys'),
  })}),
  started as (${insertSession(sql, admitted, sql`select * from changed`)})
`

const keepSession = (sql: Sql, sessionId: string) => sql`
  proven as (update sessions s set authenticated_at = now() from changed c where s.user_id = c.id and s.id = ${sessionId}),
  ended as (select null as id where false)
`

/** Address and name, of which no password may be made; null for an unknown user. */
export const findNamed = (sql: Sql, userId: string) =>
  findOwn(sql, userId, sql`select ${columnsOf(sql, Named)} from users where id = ${userId}`)

const Named = User.pick({ id: true, email: true, name: true })

/**
 * The proof of a password that an administrator or a trusted server gives to the user `o`, as three columns: their word holds
 * where every way in of the user has proved the mailbox, and there is one.
 */
export const vouched = (sql: Sql, by: 'admin' | 'server') => {
  const holds = sql`(select bool_and(w.proven_email is not distinct from o.email) from accounts w where w.user_id = o.id)`
  return sql`case when ${holds} then ${by}::text end, case when ${holds} then now() end, case when ${holds} then o.email end`
}

export interface FirstPassword {
  readonly userId: string
  readonly accountId: string
  /** The hash, never the password. */
  readonly password: string
  readonly event: AuditEvent
}

/** A first password for a user who has none. */
export async function setPassword(
  sql: Sql,
  { userId, accountId, password, event }: FirstPassword,
): Promise<Outcome<object, 'no-user' | 'already-set'>> {
  const steps = sql`
    owner as (
      select id, email from users where id = ${userId} and organization_id is null for no key update
    ),
    account as (
      insert into accounts as a (id, user_id, provider_id, account_id, password, mailbox_proof, mailbox_proven_at, proven_email)
      select ${accountId}, id, 'credential', id, ${password}, ${vouched(sql, 'server')} from owner o
      on conflict (user_id) where provider_id = 'credential'
      do update set password = excluded.password, updated_at = now() where a.password is null
      returning a.id
    ),
    audited as (${insertAuditEvent(sql, event, sql`select from account`)})
  `
  const found = sql`select exists (select from owner) as is_known, exists (select from account) as is_set`
  const { isKnown, isSet } = await getOwn<{ isKnown: boolean; isSet: boolean }>(sql, userId, found, steps)
  return { outcome: isSet ? 'done' : isKnown ? 'already-set' : 'no-user' }
}
