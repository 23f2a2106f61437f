import type { Sql } from './connect.ts'

/** Whether the server ends long statements by itself; behind PgBouncer the service cannot set that for its connection. */
export async function endsLongStatements(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ statement: string; lock: string }[]>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock
  `
  return row !== undefined && row.statement !== '0' && row.lock !== '0'
}
