import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'

/**
 * Gives the events of a month that is over a table of their own. Returns its name; null when there is nothing to do, or
 * not now.
 */
export async function closeAuditMonth(sql: Sql): Promise<string | null> {
  const { month } = await one(sql<{ month: string | null }[]>`select close_audit_month() as month`)
  return month
}

/** The names of the tables of past months. */
export async function pastAuditMonths(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ month: string }[]>`
    select inhrelid::regclass::text as month from pg_inherits where inhparent = 'audit_events'::regclass order by 1
  `
  return rows.map(({ month }) => month)
}

/**
 * Drops a past month whose last event is older than `seconds`. Returns whether it did; throws when something that
 * somebody else made, such as a view, needs the table.
 */
export async function dropAuditMonth(sql: Sql, month: string, seconds: number): Promise<boolean> {
  const { isDropped } = await one(sql<{ isDropped: boolean }[]>`
    select drop_audit_month(${month}, make_interval(secs => ${seconds})) as is_dropped
  `)
  return isDropped
}
