import type { Sql } from './connect.ts'
import { one } from './own-row.ts'

/** Whether the server ends long statements by itself; behind PgBouncer the service cannot set that for its connection. */
export async function endsLongStatements(sql: Sql): Promise<boolean> {
  const limits = await one(sql<{ statement: string; lock: string }[]>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock
  `)
  return limits.statement !== '0' && limits.lock !== '0'
}
