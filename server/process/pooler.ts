import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connect, type Database, type PoolOptions } from '../db/connect.ts'
import { hasTimeLimits } from '../db/database-check.ts'
import { isOutage } from '../db/outage.ts'
import type { Deps } from '../deps.ts'

/** What PgBouncer says of a connection that brings time limits of its own. */
const refusal = /unsupported startup parameter/i

/**
 * The settings for the database that was found: PgBouncer in front of it takes connections only without time limits,
 * and in transaction mode keeps no prepared statements, so both are left out.
 *
 * @throws an outage of `isOutage` if the database is away, so that nothing is known of it.
 */
export async function suitedTo(config: Config, database: Database, pool: PoolOptions, log: Logger): Promise<Config> {
  if (!config.DATABASE_PREPARE || !config.DATABASE_URL || !(await refusesLimits(database, pool))) return config
  log.info('DATABASE_URL leads to PgBouncer: prepared statements are off, as with DATABASE_PREPARE=off')
  return { ...config, DATABASE_PREPARE: false }
}

async function refusesLimits(database: Database, options: PoolOptions): Promise<boolean> {
  const sql = connect(database, { ...options, connections: 1 })
  try {
    await sql`select 1`
    return false
  } catch (error) {
    const cause = causeOf(error)
    if (refusal.test(String(Object(cause).message))) return true
    if (isOutage(cause)) throw cause
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The driver's own error, of which others were made. */
function causeOf(error: unknown): unknown {
  const { cause } = Object(error)
  return cause === undefined ? error : causeOf(cause)
}

/**
 * A cancelled statement goes on in the server, and holds its locks, until the server ends it. So does the transaction of
 * a process that stands still: PgBouncer keeps the connection.
 */
export async function warnOfNoLimits({ sql, log, config: { DATABASE_TIMEOUT: seconds } }: Deps): Promise<void> {
  const isLimited = await hasTimeLimits(sql).catch(() => true)
  if (!isLimited)
    log.warn(
      `Prepared statements are off and the database lacks time limits, so what is given up may hold its locks for longer: run alter role … set statement_timeout = '${900 * seconds}ms', and set lock_timeout = '${400 * seconds}ms' and idle_in_transaction_session_timeout = '${2000 * seconds}ms'`,
    )
}
