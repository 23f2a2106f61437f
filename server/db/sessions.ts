import type postgres from 'postgres'
import type * as z from 'zod'
import { Session } from '../../shared/entities.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow, getRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { deleteDeviceRequestsOf } from './device-requests.ts'
import { deleteExpiredRows } from './expired-rows.ts'

/** A session without its token, which the database never holds. */
export type StoredSession = Omit<z.output<typeof Session>, 'token'>
/** The columns in a session's own row. Whether the address is proven also depends on the user's row. */
export const SessionColumns = Session.omit({ token: true, addressProven: true })

/** Whether a session `s` proved the address of its user. */
export const isAddressProven = (sql: Sql, email: postgres.Fragment) => sql`coalesce(s.proven_email = ${email}, false)`

/** Seconds, from the settings. */
export interface Lifetimes {
  readonly expiresIn: number
  readonly updateAge: number
  /** The maximum age of a session, however often it is extended. */
  readonly maxAge: number
  /** How long a session is fresh after its person proved who they are. 0: always. */
  readonly freshAge: number
}

interface Extension extends Lifetimes {
  readonly secretLabel: Buffer
}

/** Extends a live session. Null when it ended meanwhile, so a revoked session never comes back. */
export const extendSession = (sql: Sql, id: string, { expiresIn, maxAge, secretLabel }: Extension) =>
  findRow<{ expiresAt: Date; updatedAt: Date; remaining: number }>(
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

/** Changes the label of a live session. Null when it ended meanwhile. */
export const updateLabel = (sql: Sql, id: string, label: string | null, event: PendingAuditEvent) =>
  findRow<{ label: string | null; updatedAt: Date }>(
    sql,
    id,
    sql`select label, updated_at from changed`,
    sql`
      changed as (
        update sessions set label = ${label}, updated_at = now()
        where id = ${id} and expires_at > now()
        returning label, updated_at
      ),
      audited as (${insertAuditEvent(sql, event, sql`select from changed`)})
    `,
  )

interface IssuedCookie {
  readonly label: Buffer
  readonly remembered: boolean
}

/** Records which secret last signed the session's cookie, and how long the cookie lives. */
export const recordSessionSecret = (sql: Sql, id: string, { label, remembered }: IssuedCookie) => sql`
  update sessions set secret_label = ${label}, remembered = ${remembered} where id = ${id}
`

/** Counts the live sessions of people whose cookies another secret signed, and returns when the last of them ends. */
export const countSessionsOfOtherSecrets = (sql: Sql, label: Buffer) =>
  getRow<{ sessions: number; last: Date | null }>(
    sql,
    label,
    sql`
      select count(*)::integer as sessions, max(expires_at) as last
      from sessions
      where secret_label is distinct from ${label} and expires_at > now() and trust_id is null
    `,
  )

/** Counts the live sessions that moved in, and returns when the last of them ends. */
export const countImportedSessions = (sql: Sql) =>
  getRow<{ sessions: number; last: Date | null }>(
    sql,
    'imported',
    sql`
      select count(*)::integer as sessions, max(expires_at) as last from sessions where imported and expires_at > now()
    `,
  )

/** Ends the session of a token hash. Returns its id and user, or null when there is none. */
export const deleteSessionByHash = (sql: Sql, tokenHash: Buffer, event: PendingAuditEvent) =>
  findRow<{ id: string; userId: string }>(
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
  readonly event: PendingAuditEvent
}

/**
 * Ends the session named by a token hash or a handle, if it is the user's, together with all device sign-ins that wait
 * for the user: it approved them, or could still do so. Returns the session's id and owner, also when it is not the
 * user's, or null when there is none.
 */
export const deleteSession = (sql: Sql, { userId, tokenHash, handle, event }: SessionEnd) =>
  findRow<{ id: string; userId: string }>(
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

export const deleteExpiredSessions = (sql: Sql, batch: number) => deleteExpiredRows(sql, { table: 'sessions' }, batch)

/** Deletes the notes of ended sessions that no import could bring again. */
export const deleteEndedImports = (sql: Sql, batch: number) =>
  deleteExpiredRows(sql, { table: 'ended_imports', key: 'token_hash' }, batch)
