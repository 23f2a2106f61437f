import type postgres from 'postgres'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'

/** Facts that only the statement knows, as SQL expressions over its affected rows (named `told`). */
export interface LateEventColumns {
  /** The target's name: text. */
  readonly name?: postgres.Fragment
  /** The user concerned. */
  readonly userId?: postgres.Fragment
  /** The administrator behind an impersonation, in the session that the statement is about. */
  readonly impersonatorId?: postgres.Fragment
  /** Additional details: jsonb. */
  readonly details?: postgres.Fragment
}

/**
 * Inserts one audit event. Use it as a step (common table expression) of the statement that acts, or as a statement of
 * the same transaction, so that both happen or neither. With `when`, only if that yields a row. An equal event within
 * the same minute is added to the first one's row. That row stays locked until the transaction ends, so write the event
 * last.
 */
export const insertAuditEvent = (
  sql: Sql,
  event: PendingAuditEvent,
  when?: postgres.Fragment,
  late: LateEventColumns = {},
) => sql`
  insert into audit_events as e (
    id, request_id, user_agent, event, actor_id, impersonator_id, key_id, is_server, user_id, organization_id, target, details,
    ip_address, equality
  )
  select ${event.id}, ${event.requestId}, ${event.userAgent}, act.*, sha256(convert_to(
    jsonb_build_array(floor(extract(epoch from now()) / 60), act)::text, 'UTF8'
  ))
  from (${eventIdentity(sql, event, late)} ${when ? sql`from (${when}) as told limit 1` : sql``}) act
  on conflict (equality) where equality is not null do update set
    count = e.count + 1,
    last_at = greatest(now(), e.last_at, e.created_at),
    xid = pg_current_xact_id()
`

/** The columns that decide whether two events are equal. */
function eventIdentity(sql: Sql, event: PendingAuditEvent, late: LateEventColumns) {
  const userId = late.userId ? sql`coalesce(${late.userId}, ${event.userId})` : sql`${event.userId}`
  const actorId = event.isProof ? userId : sql`${event.actorId}`
  const details = sql`${JSON.stringify(event.details)}::text::jsonb`
  return sql`
    select ${late.name ?? sql`${event.name}`}::text as event, ${actorId}::text as actor_id,
      ${late.impersonatorId ?? sql`${event.impersonatorId}`}::text as impersonator_id, ${event.keyId}::text as key_id,
      ${event.isServer}::boolean as is_server, ${userId}::text as user_id, ${event.organizationId}::text as organization_id,
      ${event.target}::text as target, ${late.details ? sql`${details} || ${late.details}` : details} as details,
      ${event.ipAddress}::text as ip_address
  `
}

/** Inserts several events for one statement that does several things. */
export const insertAuditEvents = (sql: Sql, events: readonly PendingAuditEvent[]) => sql`
  insert into audit_events (
    id, event, actor_id, impersonator_id, key_id, is_server, user_id, organization_id, target, details, ip_address,
    user_agent, request_id
  )
  select id, name, "actorId", "impersonatorId", "keyId", "isServer", "userId", "organizationId", target, details,
    "ipAddress", "userAgent", "requestId"
  from jsonb_to_recordset(${JSON.stringify(events)}::text::jsonb) as e (
    id text, name text, "actorId" text, "impersonatorId" text, "keyId" text, "isServer" boolean, "userId" text,
    "organizationId" text, target text, details jsonb, "ipAddress" text, "userAgent" text, "requestId" text
  )
`

/** The step `done`, which makes or changes rows, followed by its audit event. Null: nothing shall change. */
export const withAuditEvent = (sql: Sql, done: postgres.Fragment, event: PendingAuditEvent | null) => sql`
  done as (${done})
  ${event ? sql`, audited as (${insertAuditEvent(sql, event, sql`select from done`)})` : sql``}
`

/** Runs a statement together with its audit event. False when it made or changed no row, and so recorded nothing. */
export const runAudited = async (sql: Sql, done: postgres.Fragment, event: PendingAuditEvent): Promise<boolean> =>
  (await sql`with ${withAuditEvent(sql, done, event)} select from done`).length > 0

/** The number of rows that a step yielded, for the event's details. */
export const stepCount = (sql: Sql, step: string) =>
  sql`jsonb_build_object('count', (select count(*) from ${sql(step)}))`

/**
 * Deletes events whose month is past `seconds` (0: never), one bounded batch at a time: only those that a table of
 * several months still holds, since other months are dropped before. Concurrent processes never wait for each other.
 * The database lets only this statement delete events: it declares itself as the sweep.
 */
export const deleteOldAuditEvents = (sql: Sql, batch: number, seconds: number) => sql`
  with sweep as materialized (select set_config('postern.audit_sweep', 'on', true) as is_on)
  delete from audit_events
  where id = any(array(
    select e.id from sweep s
    join audit_events e on s.is_on = 'on' and ${seconds} > 0
      and e.created_at < now() - make_interval(secs => ${seconds}) - interval '31 days'
    order by e.created_at, e.id
    limit ${batch}
    for update of e skip locked
  ))
`

/**
 * Takes the origins out of the next events of people who are deleted, `batch` at most. The deletion itself did it for
 * the newest ones. Returns the number of events by or about them, or `batch` once half a second is over. Throws when
 * somebody's could not be done, which undoes none of the others.
 */
export async function eraseDeletedPeople(sql: Sql, batch: number): Promise<{ readonly count: number }> {
  const { events, failures } = await one(
    sql<{ events: number; failures: string[] | null }[]>`select events, failures from erase_due_people(${batch})`,
  )
  if (failures)
    throw new Error(
      `Events of people who are deleted keep their origins; another try in an hour: ${failures.join('; ')}`,
    )
  return { count: events }
}

/**
 * The events `e` that a snapshot did not see, however late their transactions committed: those of later transactions,
 * and those of transactions that it saw at work. `select` reads each of the two by a range of the index of its own, so
 * that a transaction that stays open for hours makes nobody read again what was written meanwhile.
 */
export function unseenEvents(
  sql: Sql,
  seen: postgres.Fragment,
  select: (unseen: postgres.Fragment) => postgres.Fragment,
): postgres.Fragment {
  const isOfServer = sql`e.copy = (select max(number) from database_copies)`
  const later = sql`e.xid >= pg_snapshot_xmax(${seen}) and e.xid < pg_snapshot_xmax(pg_current_snapshot())`
  // The range adds nothing to the result; it tells the planner that these are few.
  const atWork = sql`e.xid >= pg_snapshot_xmin(${seen}) and e.xid < pg_snapshot_xmax(${seen})
    and e.xid = any(array(select pg_snapshot_xip(${seen})))`
  return sql`${select(sql`${isOfServer} and ${later}`)} union all ${select(sql`${isOfServer} and ${atWork}`)}`
}
