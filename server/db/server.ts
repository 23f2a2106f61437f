import { within } from '../../shared/within.ts'
import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'

/** Why a database cannot be used, with the error that showed it. */
export interface DatabaseFault {
  readonly kind: 'unreachable' | 'behind'
  readonly cause?: unknown
}

/** Checks that the database answers within a second and has the newest migration. Null when nothing is wrong. */
export async function findDatabaseFault(sql: Sql, newest: string): Promise<DatabaseFault | null> {
  const asked = sql`select from migrations where name = ${newest}`.then(
    (rows): DatabaseFault | null => (rows.length > 0 ? null : { kind: 'behind' }),
    (cause: unknown): DatabaseFault => ({ kind: isTableMissing(cause) ? 'behind' : 'unreachable', cause }),
  )
  return within(1000, asked, () => ({ kind: 'unreachable', cause: 'no answer within a second' }))
}

const isTableMissing = (error: unknown): boolean => Object(error).code === '42P01'

/**
 * Returns whether the server ends long statements itself. Behind PgBouncer the service cannot set that for its
 * connection.
 */
export async function endsLongStatements(sql: Sql): Promise<boolean> {
  const limits = await one(sql<{ statement: string; lock: string }[]>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock
  `)
  return limits.statement !== '0' && limits.lock !== '0'
}
