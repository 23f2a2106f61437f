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

/** Drops each past month whose last event is older than `seconds` (0: none). Returns the names of the tables. */
export async function dropAuditMonths(sql: Sql, seconds: number): Promise<readonly string[]> {
  if (seconds === 0) return []
  const rows = await sql<{ month: string }[]>`
    select month from drop_audit_months(make_interval(secs => ${seconds})) as month
  `
  return rows.map(({ month }) => month)
}
