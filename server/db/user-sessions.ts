import type postgres from 'postgres'
import type { Session } from '../../shared/entities.ts'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent, stepCount } from './audit-events.ts'
import { findRow, getRow } from './checked-row.ts'
import { columnsOf, combineColumns, computedColumns, fieldsOf, nullableColumns } from './columns.ts'
import type { Sql } from './connect.ts'
import { deleteDeviceRequestsOf } from './device-requests.ts'
import { insertSession } from './session-start.ts'
import { isAddressProven, SessionColumns, type StoredSession } from './sessions.ts'

// Sessions as their user sees them, and as administrators do.

/** For a session `s` of the user `u`. */
const proven = (sql: Sql) =>
  computedColumns<{ addressProven: boolean }>(sql, { addressProven: isAddressProven(sql, sql`u.email`) })

/** Lists a user's live sessions, newest first, without impersonations. */
export async function listUserSessions(sql: Sql, userId: string): Promise<readonly StoredSession[]> {
  const owner = computedColumns<{ owner: string }>(sql, { owner: 'asked.owner' })
  const rows = await sql`
    select ${owner}, ${nullableColumns(combineColumns(sql, columnsOf(sql, SessionColumns, 's'), proven(sql)))}
    from (select ${userId}::text as owner) asked
    left join (sessions s join users u on u.id = s.user_id)
      on s.user_id = asked.owner and s.expires_at > now() and s.impersonated_by is null
    order by s.created_at desc, s.id desc
  `
  // Also who has no session has a row.
  if (rows.length === 0 || !rows.every((row) => row.owner === userId)) throw sql.distrust()
  return rows.filter((row) => row.id !== null)
}

/** Lists a user's live sessions, newest first, including impersonations. Null for an unknown user. */
export async function listAllSessions(sql: Sql, userId: string): Promise<readonly StoredSession[] | null> {
  const owner = computedColumns<{ owner: string }>(sql, { owner: 'u.id' })
  const rows = await sql`
    select ${owner}, ${nullableColumns(combineColumns(sql, columnsOf(sql, SessionColumns, 's'), proven(sql)))}
    from users u
    left join sessions s on s.user_id = u.id and s.expires_at > now()
    where u.id = ${userId}
    order by s.created_at desc, s.id desc
  `
  if (!rows.every((row) => row.owner === userId)) throw sql.distrust()
  return rows.length === 0 ? null : rows.filter((row) => row.id !== null)
}

/** A subquery for the owner of the session named by a token hash or a handle. */
export const sessionOwner = (tokenHash: Buffer, handle: string) => (sql: Sql) =>
  sql`(select user_id from sessions where token_hash = ${tokenHash} or id = ${handle} limit 1)`

/** Keeps a session alive until the transaction ends. False when it has ended already, or for none. */
export const lockLiveSession = async (tx: Sql, id: string | null): Promise<boolean> =>
  (await findRow(tx, id ?? '', tx`select id from sessions where id = ${id} and expires_at > now() for key share`)) !==
  null

/**
 * Keeps anybody from starting anything as the user until the transaction ends. Whatever was in progress has finished by
 * then, and the next statement sees it. This must be a separate statement: one that also ended sessions would miss a
 * device sign-in bound meanwhile.
 */
export const lockUser = (tx: Sql, userId: string) => tx`select from users where id = ${userId} for no key update`

/** Deletes the personal API keys of users. Keys of organizations stay. A fragment for a larger statement. */
export const deletePersonalKeys = (sql: Sql, users: postgres.Fragment) => sql`
  delete from machine_keys where organization_id is null and user_id in (${users}) returning id
`

/** The number of ended sessions, and of deleted keys when there were any, for the event's details. */
export const endedCounts = (sql: Sql, sessions: string, keys: string) => sql`
  ${stepCount(sql, sessions)} || jsonb_strip_nulls(jsonb_build_object('keys', (select nullif(count(*), 0) from ${sql(keys)})))
`

/**
 * Ends all sessions of a user except a named one, approved device sign-ins that have not begun, and the user's own
 * keys. Returns the sessions' ids. Call with the user locked.
 */
export async function deleteUserSessions(
  tx: Sql,
  userId: string,
  except: string | null,
  event: PendingAuditEvent,
): Promise<readonly string[]> {
  const { ended } = await getRow<{ ended: string[] }>(
    tx,
    userId,
    tx`select array(select id from gone) as ended`,
    tx`
      gone as (delete from sessions where user_id = ${userId} and id is distinct from ${except} returning id),
      devices as (${deleteDeviceRequestsOf(tx, tx`${userId}`)}),
      keys as (${deletePersonalKeys(tx, tx`select ${userId}::text`)}),
      audited as (${insertAuditEvent(tx, event, undefined, { details: endedCounts(tx, 'gone', 'keys') })})
    `,
  )
  return ended
}

interface Impersonation {
  readonly admitted: AdmittedSession
  /** The impersonated user. */
  readonly userId: string
  /** The administrator's own session, which was live when the transaction began. The impersonation never outlives it. */
  readonly admin: Pick<Session, 'id'>
  readonly event: PendingAuditEvent
}

/**
 * Creates a session that impersonates a user. It is never extended, and no proof is possible in it. Null when the
 * administrator's session has been ended meanwhile.
 */
export function insertImpersonation(
  tx: Sql,
  { admitted, userId, admin, event }: Impersonation,
): Promise<StoredSession | null> {
  const { tokenHash, lifetime } = admitted.session
  const actors = tx`
    select ${userId}::text as id, null::text as account_id, (
      select u.email from users u join accounts a on a.user_id = u.id and a.proven_email = u.email where u.id = ${userId} limit 1
    ) as proven_email, s.id as admin_session_id, s.user_id as admin_id, s.expires_at, s.label
    from sessions s where s.id = ${admin.id}
  `
  const started = insertSession(tx, admitted, actors, {
    expiresAt: tx`least(now() + make_interval(secs => ${lifetime}), of_user.expires_at)`,
    label: tx`of_user.label`,
    authenticatedAt: tx`to_timestamp(0)`,
    impersonatedBy: tx`of_user.admin_id`,
    impersonatorSessionId: tx`of_user.admin_session_id`,
  })
  const proven = computedColumns<{ addressProven: boolean }>(tx, { addressProven: tx`proven_email is not null` })
  const found = tx`select ${fieldsOf(tx, SessionColumns)}, ${proven} from started`
  const audited = insertAuditEvent(tx, event, tx`select from started`)
  return findRow(tx, tokenHash, found, tx`started as (${started}), audited as (${audited})`)
}

/** Ends an impersonation. Returns the administrator's session, or null when it had ended before. */
export const deleteImpersonation = (tx: Sql, id: string, event: PendingAuditEvent) =>
  findRow<{ adminSessionId: string | null }>(
    tx,
    id,
    tx`select impersonator_session_id as admin_session_id from gone`,
    tx`gone as (
      delete from sessions where id = ${id} and impersonated_by is not null returning impersonator_session_id
    ), audited as (${insertAuditEvent(tx, event, tx`select from gone`)})`,
  )

/**
 * A step that ends the impersonations by users who lose the right to them: those whose `id` the rows of `users` yield.
 * Their other sessions stay.
 */
export const endActing = (sql: Sql, endsActing: boolean, users: postgres.Fragment) =>
  endsActing
    ? sql`delete from sessions s using (${users}) as of_user where s.impersonated_by = of_user.id returning s.id`
    : sql`select null as id where false`

/**
 * A step that ends the impersonations of those whose `id` the rows of `users` yield, where they become administrators:
 * nobody goes on acting as one.
 */
export const endActedAs = (sql: Sql, becomesAdmin: boolean, users: postgres.Fragment) =>
  becomesAdmin
    ? sql`delete from sessions where impersonated_by is not null and user_id in (${users})`
    : sql`select null as id where false`

/**
 * Whether `endActedAs` keeps the session `s`. The same statement must not change one that it ends: PostgreSQL does only
 * one of the two.
 */
export const isKeptByEndActedAs = (sql: Sql, becomesAdmin: boolean) =>
  becomesAdmin ? sql`s.impersonated_by is null` : sql`true`
