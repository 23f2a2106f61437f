import type postgres from 'postgres'
import type * as z from 'zod'
import { Session } from '../../shared/entities.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { byDatabase, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { deleteDeviceRequestsOf } from './device-requests.ts'
import { isDone } from './order.ts'
import { findOwn, getOwn } from './own-row.ts'

/** A session without the token, which is nowhere in the database. */
export type StoredSession = Omit<z.output<typeof Session>, 'token'>
/** What stands of it in its row: whether the address is proven depends on the user's. */
export const SessionColumns = Session.omit({ token: true, addressProven: true })

/** Of a session `s`, by the address of its user. */
export const isAddressProven = (sql: Sql, email: postgres.Fragment) => sql`coalesce(s.proven_email = ${email}, false)`

export interface NewSession {
  readonly id: string
  readonly tokenHash: Buffer
  readonly remembered: boolean
  /** Seconds. */
  readonly lifetime: number
  readonly ipAddress: string
  readonly userAgent: string
  readonly label: string | null
  /** Of the secret that signs its cookie. */
  readonly secretLabel: Buffer
  /** Token hash of the session that the same client had before: it ends. */
  readonly replaces: Buffer | null
}

/** Seconds, from the settings. */
export interface Lifetimes {
  readonly expiresIn: number
  readonly updateAge: number
  /** However often it is extended, a session ends this long after it began. */
  readonly maxAge: number
  /** How long a session is fresh after its person proved who they are; 0: always. */
  readonly freshAge: number
}

interface Extension extends Lifetimes {
  readonly secretLabel: Buffer
}

/** Extends a session that still lives; null when it ended meanwhile, so a revoked one never comes back. */
export const extendSession = (sql: Sql, id: string, { expiresIn, maxAge, secretLabel }: Extension) =>
  findOwn<{ expiresAt: Date; updatedAt: Date; remaining: number }>(
    sql,
    id,
    sql`select expires_at, updated_at, remaining from extended`,
    sql`extended as (
      update sessions
      set expires_at = least(now() + make_interval(secs => ${expiresIn}), created_at + make_interval(secs => ${maxAge})),
        updated_at = now(), secret_label = ${secretLabel}
      where id = ${id} and expires_at > now()
      returning expires_at, updated_at, floor(extract(epoch from expires_at - now()))::integer as remaining
    )`,
  )

/** What its client and its life say of any new session. */
export const startOf = (sql: Sql, session: NewSession) =>
  ({
    id: session.id,
    expiresAt: sql`now() + make_interval(secs => ${session.lifetime})`,
    createdAt: byDatabase,
    updatedAt: byDatabase,
    ipAddress: session.ipAddress,
    userAgent: session.userAgent,
  }) as const

/**
 * A new session for each row that `users` (called `of_user`) yields, to be put into a larger statement: the user's `id`, the
 * `account_id` of the way in, and the `proven_email` whose mailbox its holder proved. `provenAt`: when its person proved who they are; `label`:
 * where another machine asked for the session than begins it.
 */
export const insertSession = (
  sql: Sql,
  session: NewSession,
  users: postgres.Fragment,
  { provenAt = sql`now()`, label = sql`${session.label}` } = {},
) => sql`
  insert into sessions ${newRow(
    sql,
    SessionColumns,
    {
      ...startOf(sql, session),
      userId: sql`of_user.id`,
      label,
      activeOrganizationId: byDatabase,
      impersonatedBy: byDatabase,
    },
    {
      tokenHash: session.tokenHash,
      remembered: session.remembered,
      authenticatedAt: provenAt,
      accountId: sql`of_user.account_id`,
      provenEmail: sql`of_user.proven_email`,
      secretLabel: session.secretLabel,
    },
  )}
  from (${users}) as of_user
  returning user_id
`

/** Notes which secret signed the cookie of a session last. */
export const labelSession = (sql: Sql, id: string, label: Buffer) => sql`
  update sessions set secret_label = ${label} where id = ${id}
`

/** How many live sessions of people have cookies that another secret signed, and when the last of them ends. */
export const countOtherSecrets = (sql: Sql, label: Buffer) =>
  getOwn<{ sessions: number; last: Date | null }>(
    sql,
    label,
    sql`
      select count(*)::integer as sessions, max(expires_at) as last
      from sessions
      where secret_label is distinct from ${label} and expires_at > now() and trust_id is null
    `,
  )

/** Ends the session that a new one follows, only if `started` yields a row; to be put into a larger statement. */
export const endReplaced = (sql: Sql, { replaces }: NewSession, started: postgres.Fragment) => sql`
  delete from sessions where token_hash = ${replaces} and exists (${started}) returning id
`

/**
 * Ends the oldest sessions of a user, so that with the one that `started` yields they are no more than the limit; to be put
 * into a larger statement that has the steps `started` and `ended`. It does not wait for a row that another one ends.
 */
export const endOverLimit = (sql: Sql, user: postgres.Fragment, limit: number) => sql`
  delete from sessions
  where id in (
    select id from sessions
    where id in (
        select id from sessions
        where user_id = (${user})
        order by created_at desc, id desc
        offset ${limit - 1}
      )
      and exists (select from started) and ${isDone(sql, 'ended')}
    for update skip locked
  )
  returning id
`

/** Ends the session of a token hash; answers its id and user, or null when there is none. */
export const deleteSessionByHash = (sql: Sql, tokenHash: Buffer, event: AuditEvent) =>
  findOwn<{ id: string; userId: string }>(
    sql,
    tokenHash,
    sql`select id, user_id from gone`,
    sql`
      gone as (delete from sessions where token_hash = ${tokenHash} returning id, user_id, impersonated_by),
      audited as (${insertAuditEvent(sql, event, sql`select * from gone`, {
        userId: sql`told.user_id`,
        impersonatorId: sql`told.impersonated_by`,
      })})
    `,
  )

export const deleteExpiredSession = (sql: Sql, id: string) => sql`
  delete from sessions where id = ${id} and expires_at <= now()
`

interface SessionEnd {
  readonly userId: string
  readonly tokenHash: Buffer
  readonly handle: string
  readonly event: AuditEvent
}

/**
 * Ends the session that a token hash or a handle names, if it is the user's, with the sign-ins on devices that it may have
 * approved or be about to; answers whose it is, or null.
 */
export const deleteSession = (sql: Sql, { userId, tokenHash, handle, event }: SessionEnd) =>
  findOwn<{ id: string; userId: string }>(
    sql,
    tokenHash,
    sql`select id, user_id from target`,
    sql`
      target as (select id, user_id from sessions where token_hash = ${tokenHash} or id = ${handle} limit 1),
      gone as (delete from sessions s using target t where s.id = t.id and t.user_id = ${userId} returning s.user_id),
      devices as (${deleteDeviceRequestsOf(sql, sql`(select user_id from gone)`)}),
      audited as (${insertAuditEvent(sql, event, sql`select from gone`)})
    `,
  )

/** Sweeps sessions that have ended, a bounded batch at a time; several processes never wait for each other. */
export const deleteExpiredSessions = (sql: Sql, batch: number) => sql`
  delete from sessions
  where id = any(array(
    select id from sessions
    where expires_at <= now()
    order by expires_at
    limit ${batch}
    for update skip locked
  ))
`
