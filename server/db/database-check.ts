import { within } from '../../shared/within.ts'
import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { standbyError } from './outage.ts'

/** Why a database cannot be used, with the error that showed it. */
export interface DatabaseFault {
  readonly kind: 'unreachable' | 'behind'
  readonly cause?: unknown
}

/** Milliseconds for which a database that answered before is slow, not gone. */
const slowFor = 5000

/**
 * Returns a check that the database answers, is no standby, and has the newest migration. Null when nothing is wrong.
 * Where all is busy, proxies that took slow for gone would leave the whole load to the fewer instances that are left. Asks
 * one question at a time, so that checks occupy one connection, and waits for it for `timeout` milliseconds.
 */
export function createDatabaseCheck(sql: Sql, newest: string, timeout: number): () => Promise<DatabaseFault | null> {
  let last: DatabaseFault | null = { kind: 'unreachable', cause: 'no answer' }
  let asked: { readonly at: number; readonly answer: Promise<DatabaseFault | null> } | null = null
  const ask = async () => {
    try {
      const [row] = await sql<{ isStandby: boolean }[]>`
        select pg_is_in_recovery() as is_standby from migrations where name = ${newest}
      `
      if (row?.isStandby) throw standbyError()
      last = row ? null : { kind: 'behind' }
    } catch (cause) {
      last = { kind: isTableMissing(cause) ? 'behind' : 'unreachable', cause }
    }
    asked = null
    return last
  }
  return () => {
    const { at, answer } = (asked ??= { at: performance.now(), answer: ask() })
    return within(timeout, answer, () =>
      performance.now() - at < slowFor ? last : { kind: 'unreachable', cause: 'no answer' },
    )
  }
}

const isTableMissing = (error: unknown): boolean => Object(error).code === '42P01'

/**
 * Returns whether the server itself ends long statements, and transactions that stand still. Behind PgBouncer the
 * service cannot set that for its connection.
 */
export async function hasTimeLimits(sql: Sql): Promise<boolean> {
  const { limits } = await one(sql<{ limits: string[] }[]>`
    select array[
      current_setting('statement_timeout'), current_setting('lock_timeout'),
      current_setting('idle_in_transaction_session_timeout')
    ] as limits
  `)
  return !limits.includes('0')
}
