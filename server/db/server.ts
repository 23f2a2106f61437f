import { within } from '../../shared/within.ts'
import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'

/** Why a database cannot be used, with the error that showed it. */
export interface DatabaseFault {
  readonly kind: 'unreachable' | 'behind'
  readonly cause?: unknown
}

/** Milliseconds that a check waits, which is less than proxies wait for it. */
const patience = 500
/** Milliseconds since its last answer for which a database that does not answer is slow, not gone. */
const slowFor = 5000

/**
 * Returns a check that the database answers and has the newest migration. Null when nothing is wrong. Where all is busy,
 * proxies that took slow for gone would leave the whole load to the fewer instances that are left.
 */
export function createDatabaseCheck(sql: Sql, newest: string): () => Promise<DatabaseFault | null> {
  let last: { readonly at: number; readonly fault: DatabaseFault | null } = { at: -Infinity, fault: null }
  const ask = () =>
    sql`select from migrations where name = ${newest}`.then(
      (rows): DatabaseFault | null => {
        const fault = rows.length > 0 ? null : ({ kind: 'behind' } as const)
        last = { at: performance.now(), fault }
        return fault
      },
      (cause: unknown): DatabaseFault => ({ kind: isTableMissing(cause) ? 'behind' : 'unreachable', cause }),
    )
  const late = (): DatabaseFault | null => {
    const isSlow = performance.now() - last.at < slowFor
    return isSlow ? last.fault : { kind: 'unreachable', cause: 'no answer' }
  }
  return () => within(patience, ask(), late)
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
