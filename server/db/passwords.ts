import type postgres from 'postgres'
import { FullUser } from '../../shared/entities.ts'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { lockSignInMethods } from './accounts.ts'
import { insertAuditEvent, stepCount } from './audit-events.ts'
import { findRow, getRow } from './checked-row.ts'
import { columnsOf, computedColumns, fieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import { deleteDeviceRequestsOf } from './device-requests.ts'
import { type CountersToSettle, type CountResult, countUses, type Limit, settleCounters } from './limits.ts'
import { insertNotice, type Notice } from './links.ts'
import { insertSession, isAdmissible } from './session-start.ts'
import type { Outcome } from './transaction.ts'
import { deletePersonalKeys, endedCounts } from './user-sessions.ts'
import { importedLink } from './verifications.ts'

/** Whether we mailed the link, so that whoever opens it has the mailbox. */
const isOwnLink = (sql: Sql, link: postgres.Fragment) => sql`${link}.value is distinct from ${importedLink}::text`

/**
 * Whether the link was mailed to the address that its user has now: one that was asked for while the address changed may
 * lie in the old mailbox. Links of earlier releases name their user, and imported ones nobody.
 */
const isToAddress = (sql: Sql, link: postgres.Fragment, user: postgres.Fragment) =>
  sql`${link}.value in (${user}.email, ${user}.id, ${importedLink})`

/** The user of a reset token. All fields are null when the token is invalid. */
export interface ResetTokenUser extends CountResult {
  readonly email: string | null
  readonly name: string | null
  /** Provider ids of linked accounts that never proved the mailbox: a reset removes them. */
  readonly unproven: readonly string[]
}

/** Counts the attempt and checks the token without consuming it, so that a refused password does not use it up. */
export function findResetTokenUser(sql: Sql, identifier: string, limits: readonly Limit[]): Promise<ResetTokenUser> {
  const found = sql`
    select c.refused_for, u.email, u.name, array(
      select a.provider_id from accounts a
      where a.user_id = u.id and a.proven_email is distinct from u.email and a.provider_id <> 'credential'
        and ${isOwnLink(sql, sql`v`)}
      order by a.provider_id
    ) as unproven
    from counted c
    left join verifications v on c.refused_for is null and v.identifier = ${identifier} and v.expires_at > now()
    left join users u on u.id = v.user_id and ${isToAddress(sql, sql`v`, sql`u`)}
  `
  return getRow<ResetTokenUser>(sql, identifier, found, countUses(sql, limits))
}

export interface PasswordReset {
  readonly identifier: string
  readonly accountId: string
  /** The hash, never the password. */
  readonly password: string
  /** Counters that the proven mailbox settles. */
  readonly proof: CountersToSettle
  readonly notice: Notice
  readonly event: PendingAuditEvent
  /** The event for the sessions that it ends. */
  readonly endedEvent: PendingAuditEvent
}

export interface NewPasswordResult {
  readonly user: FullUser
  /** Ids of the sessions that ended. */
  readonly ended: readonly string[]
}

/**
 * Locks the user of a reset token together with the password and the linked accounts. A sign-in or link in progress
 * finishes before this, or waits and finds its account changed. The next statement sees all sessions and accounts.
 */
export const lockResetTokenUser = (tx: Sql, identifier: string) =>
  lockSignInMethods(tx, tx`select user_id from verifications where identifier = ${identifier} and expires_at > now()`)

/** The same for a user by id. */
export const lockPassword = (tx: Sql, userId: string) => tx`
  select from users u
  join accounts a on a.user_id = u.id and a.provider_id = 'credential'
  where u.id = ${userId}
  for no key update of u, a
`

/**
 * Consumes a reset token and performs the whole reset in one statement. Null when another request used it first. The
 * user's row is locked before any token, so two links of one user cannot deadlock. A reset proves the mailbox: the
 * address is verified, and every session, own key and other token of the user ends. Linked accounts that never proved
 * the mailbox could be anybody's, so they are removed too. A link of another service proves nothing: it sets a password
 * that is not proven.
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
        and ${isToAddress(sql, sql`v`, sql`o`)}
      returning o.id, o.email, ${isOwnLink(sql, sql`v`)} as is_proof
    ), others as (
      delete from verifications v using used where v.user_id = used.id and v.identifier <> ${reset.identifier}
    ),
    ${provePassword(sql, reset)},
    proven as (
      update users u set email_verified = u.email_verified or used.is_proof, updated_at = now()
      from used where u.id = used.id
      returning ${columnsOf(sql, FullUser, 'u')}
    ), ended as (
      delete from sessions s using used where s.user_id = used.id returning s.id
    ), devices as (
      ${deleteDeviceRequestsOf(sql, sql`(select id from used)`)}
    ), machine_keys as (
      delete from machine_keys k using used where k.user_id = used.id
    ),
    ${settleCounters(sql, reset.proof, sql`select from used`)}
    ${insertNotice(sql, reset.notice, sql`select id from used`)},
    audited as (${insertAuditEvent(sql, reset.event, sql`select id from used`, { userId: sql`told.id` })}),
    ended_audited as (${insertAuditEvent(sql, reset.endedEvent, sql`select id from used`, {
      userId: sql`told.id`,
      details: stepCount(sql, 'ended'),
    })})
  `
  return resetOf(await findRow(sql, reset.identifier, changedUser(sql, sql`proven`), steps))
}

/** The steps that make the new password proven by the owner of `used`, and remove what others linked without proof. */
const provePassword = (sql: Sql, { accountId, password }: PasswordReset) => sql`
  account as (
    insert into accounts (id, user_id, provider_id, account_id, password, mailbox_proof, mailbox_proven_at, proven_email)
    select ${accountId}, id, 'credential', id, ${password}, ${ifProof(sql, sql`'reset'::text`)},
      ${ifProof(sql, sql`now()`)}, ${ifProof(sql, sql`email`)}
    from used
    on conflict (user_id) where provider_id = 'credential'
    do update set password = excluded.password, updated_at = now(), mailbox_proof = excluded.mailbox_proof,
      mailbox_proven_at = excluded.mailbox_proven_at, proven_email = excluded.proven_email
  ),
  unproven as (
    delete from accounts a using used
    where a.user_id = used.id and a.proven_email is distinct from used.email and a.provider_id <> 'credential'
      and used.is_proof
  )
`

const ifProof = (sql: Sql, value: postgres.Fragment) => sql`case when is_proof then ${value} end`

type EndedSessions = Omit<NewPasswordResult, 'user'>

const changedUser = (sql: Sql, changed: postgres.Fragment) => sql`
  select ${fieldsOf(sql, FullUser)}, ${computedColumns<EndedSessions>(sql, { ended: sql`array(select id from ended)` })}
  from ${changed}
`

function resetOf(row: (FullUser & EndedSessions) | null): NewPasswordResult | null {
  if (!row) return null
  const { ended, ...user } = row
  return { user, ended }
}

/** Counts the attempt and finds the user's password hash. Null without a password. */
export function findOwnPassword(sql: Sql, userId: string, limits: readonly Limit[]) {
  const found = sql`
    select c.refused_for, a.password
    from counted c
    left join accounts a on c.refused_for is null and a.user_id = ${userId} and a.provider_id = 'credential'
  `
  return getRow<CountResult & { password: string | null }>(sql, userId, found, countUses(sql, limits))
}

export interface PasswordChange {
  readonly userId: string
  readonly sessionId: string
  /** Hashes: the verified one, and the new one. */
  readonly from: string
  readonly to: string
  readonly counters: CountersToSettle
  /** The session that replaces all others. Null when they stay. */
  readonly admitted: AdmittedSession | null
  readonly notice: Notice
  readonly event: PendingAuditEvent
  /** The event for the sessions that the new one replaces. */
  readonly endedEvent: PendingAuditEvent
}

/**
 * Replaces the verified hash, deletes reset links, and marks the session as fresh. Null when the password was changed
 * or the session ended meanwhile. With a new session, all others and the user's own keys end. The user's row is locked
 * first, as in a reset, so that the two cannot deadlock.
 */
export async function changePassword(sql: Sql, change: PasswordChange): Promise<NewPasswordResult | null> {
  const { userId, sessionId, admitted } = change
  const steps = sql`
    owner as (
      select id from users u where id = ${userId} ${admitted ? sql`and ${isAdmissible(sql, admitted)}` : sql``} for no key update
    ), changed as (
      update accounts a set password = ${change.to}, updated_at = now() from owner o
      where a.user_id = o.id and a.provider_id = 'credential' and a.password = ${change.from}
        and exists (select from sessions where id = ${sessionId})
      returning o.id, a.id as account_id, a.proven_email
    ), others as (
      delete from verifications v using changed c where v.user_id = c.id and v.identifier like 'reset-password:%'
    ), touched as (
      update users u set updated_at = now() from changed c where u.id = c.id
      returning ${columnsOf(sql, FullUser, 'u')}
    ), devices as (
      ${deleteDeviceRequestsOf(sql, sql`(select id from changed)`)}
    ),
    ${admitted ? replaceSessions(sql, admitted, change.endedEvent) : keepSession(sql, sessionId)},
    audited as (${insertAuditEvent(sql, change.event, sql`select from changed`)}),
    ${settleCounters(sql, change.counters, sql`select from changed`)}
    ${insertNotice(sql, change.notice, sql`select id from changed`)}
  `
  return resetOf(await findRow(sql, userId, changedUser(sql, sql`touched`), steps))
}

const replaceSessions = (sql: Sql, admitted: AdmittedSession, event: PendingAuditEvent) => sql`
  ended as (delete from sessions s using changed c where s.user_id = c.id returning s.id),
  keys as (${deletePersonalKeys(sql, sql`select id from changed`)}),
  ended_audited as (${insertAuditEvent(sql, event, sql`select from changed`, {
    details: endedCounts(sql, 'ended', 'keys'),
  })}),
  started as (${insertSession(sql, admitted, sql`select * from changed`)})
`

const keepSession = (sql: Sql, sessionId: string) => sql`
  proven as (update sessions s set authenticated_at = now() from changed c where s.user_id = c.id and s.id = ${sessionId}),
  ended as (select null as id where false)
`

/** Finds the address and name, which a password must not contain. Null for an unknown user. */
export const findNameAndEmail = (sql: Sql, userId: string) =>
  findRow(sql, userId, sql`select ${columnsOf(sql, NameAndEmail)} from users where id = ${userId}`)

const NameAndEmail = FullUser.pick({ id: true, email: true, name: true })

/**
 * The proof columns of a password that an administrator or a trusted server sets for the user `o`. It counts as proven
 * when the user has sign-in methods and all of them proved the mailbox.
 */
export const vouchedProof = (sql: Sql, by: 'admin' | 'server') => {
  const holds = sql`(select bool_and(w.proven_email is not distinct from o.email) from accounts w where w.user_id = o.id)`
  return sql`case when ${holds} then ${by}::text end, case when ${holds} then now() end, case when ${holds} then o.email end`
}

export interface FirstPassword {
  readonly userId: string
  readonly accountId: string
  /** The hash, never the password. */
  readonly password: string
  readonly event: PendingAuditEvent
}

/** Sets the first password of a user who has none. */
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
      select ${accountId}, id, 'credential', id, ${password}, ${vouchedProof(sql, 'server')} from owner o
      on conflict (user_id) where provider_id = 'credential'
      do update set password = excluded.password, updated_at = now() where a.password is null
      returning a.id
    ),
    audited as (${insertAuditEvent(sql, event, sql`select from account`)})
  `
  const found = sql`select exists (select from owner) as is_known, exists (select from account) as is_set`
  const { isKnown, isSet } = await getRow<{ isKnown: boolean; isSet: boolean }>(sql, userId, found, steps)
  return { outcome: isSet ? 'done' : isKnown ? 'already-set' : 'no-user' }
}
