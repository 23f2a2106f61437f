import type postgres from 'postgres'
import type { AuditEvent } from '../request/audit-event.ts'
import type { Sql } from './connect.ts'

/** Facts that only the statement itself knows, as expressions over the rows (called `told`) that it is about. */
export interface LateFacts {
  /** What it is called: text. */
  readonly name?: postgres.Fragment
  /** Whom it concerns. */
  readonly userId?: postgres.Fragment
  /** Who really did it, in the session that the statement is about. */
  readonly impersonatorId?: postgres.Fragment
  /** What comes to the details: jsonb. */
  readonly details?: postgres.Fragment
}

/**
 * One row of the audit trail, to stand as a step (common table expression) in the statement that does what it tells, or as a
 * statement of the same transaction: both are done or neither. With `when` only if that yields a row.
 */
export const insertAuditEvent = (sql: Sql, event: AuditEvent, when?: postgres.Fragment, late: LateFacts = {}) => {
  const userId = late.userId ? sql`coalesce(${late.userId}, ${event.userId})` : sql`${event.userId}`
  const actorId = event.isProof ? userId : sql`${event.actorId}`
  const details = sql`${JSON.stringify(event.details)}::text::jsonb`
  return sql`
    insert into audit_events (
      id, event, actor_id, impersonator_id, key_id, is_server, user_id, organization_id, target, details, ip_address,
      user_agent, request_id
    )
    select ${event.id}, ${late.name ?? sql`${event.name}`}, ${actorId}, ${late.impersonatorId ?? sql`${event.impersonatorId}`}, ${event.keyId},
      ${event.isServer}, ${userId}, ${event.organizationId}, ${event.target},
      ${late.details ? sql`${details} || ${late.details}` : details}, ${event.ipAddress}, ${event.userAgent},
      ${event.requestId}
    ${when ? sql`from (${when}) as told limit 1` : sql``}
  `
}

/** The steps `done`, which makes or changes rows, and the event that tells of it. */
export const doneAndTold = (sql: Sql, done: postgres.Fragment, event: AuditEvent) => sql`
  done as (${done}),
  audited as (${insertAuditEvent(sql, event, sql`select from done`)})
`

/** How many rows a step yielded, for the details. */
export const countOf = (sql: Sql, step: string) => sql`jsonb_build_object('count', (select count(*) from ${sql(step)}))`

/**
 * Sweeps events of more than so many seconds ago (0: none), a bounded batch at a time; several processes never wait for each other. The database
 * lets nobody else delete them: the statement says that it is the sweep.
 */
export const deleteOldAuditEvents = (sql: Sql, batch: number, seconds: number) => sql`
  with sweep as materialized (select set_config('postern.audit_sweep', 'on', true) as is_on)
  delete from audit_events
  where id = any(array(
    select e.id from sweep s
    join audit_events e on s.is_on = 'on' and ${seconds} > 0 and e.created_at < now() - make_interval(secs => ${seconds})
    order by e.created_at, e.id
    limit ${batch}
    for update of e skip locked
  ))
`
