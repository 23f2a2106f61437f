import type { Sql } from './connect.ts'

/** Whether the server ends by itself what takes too long; behind PgBouncer the service may not ask it to. */
export async function endsLongStatements(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ statement: string; lock: string }[]>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock
  `
  return row !== undefined && row.statement !== '0' && row.lock !== '0'
}
