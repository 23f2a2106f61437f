import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config.ts'
import { connectForMigration, type Database, type Driver, type Sql } from '../db/connect.ts'
import { releaseCopyMails } from '../db/database-copies.ts'
import { explainNoTls } from '../db/explain-no-tls.ts'
import { checkVersion, type MigrateOptions, migrate } from '../db/migrate.ts'
import { detectCopy } from '../domain/copy/detect-copy.ts'
import { resumeCopyWebhooks } from '../domain/copy/resume-webhooks.ts'

/** A database that this process uses until it closes it. */
export interface OpenDatabase {
  /** For `connect` and `applyMigrations`. */
  readonly database: Database
  /** Leaves the embedded database. It stops when the last process leaves. */
  readonly close: () => Promise<void>
}

/**
 * The server of DATABASE_URL, without connecting yet; or the embedded database, which is started, or joined when it is
 * already running. `leaving` ends a first start of that one, which takes seconds.
 *
 * @throws Error, named EmbeddedDatabaseError, with what to do when the embedded one cannot be used.
 * @example
 * const opened = await openDatabase(config, log)
 * const sql = connect(opened.database, { connections: 10, prepare: true })
 * // …
 * await opened.close()
 */
export async function openDatabase(config: Config, log: Logger, leaving?: AbortSignal): Promise<OpenDatabase> {
  if (config.DATABASE_URL) return { database: config.DATABASE_URL, close: () => Promise.resolve() }
  if (lacksDatabase(config)) log.info({ dataDir: config.DATA_DIR }, makingDatabase)
  const { startEmbedded } = await import('../embedded/start.ts')
  const embedded = await startEmbedded({ dataDir: config.DATA_DIR, log, leaving })
  return { database: embedded.connection, close: () => embedded.stop() }
}

/** Whether the embedded database is still to be made. */
export const lacksDatabase = ({ DATABASE_URL, DATA_DIR }: Config): boolean =>
  !DATABASE_URL && !existsSync(join(DATA_DIR, 'postgres'))

/** Says before it is made that there is none: the service may well keep its data elsewhere. */
export const makingDatabase = 'there is no database of a service in DATA_DIR, so a new one is made'

/**
 * Commands that inspect a service create no database: an empty one would only hide that the service keeps its data
 * elsewhere.
 */
export function refuseNoDatabase(config: Config): void {
  if (!lacksDatabase(config)) return
  throw new ConfigError([
    `DATA_DIR is ${config.DATA_DIR}: it contains no database of a service; expected the DATA_DIR that the service runs with`,
  ])
}

/** A migration without a lock is logged once per this many attempts, which take about a minute. */
const attemptsPerLogLine = 15

interface ApplyOptions extends Omit<MigrateOptions, 'onBlocked'> {
  /** Seconds within which the database must accept a connection. */
  readonly connectTimeout?: number
}

/**
 * Applies pending migrations, in their order. Waits for other processes that migrate, and up to ten
 * minutes for those that use what a migration changes, while the service goes on.
 *
 * @returns the names of the migrations that were applied: `['0001_users_accounts_sessions.sql', …]`.
 * @throws Error when a newer version has changed the database, an applied migration was edited, or another process
 * holds what one changes; the driver's error when the database does not answer.
 * @example
 * await applyMigrations('postgres://localhost/id', log)
 */
export async function applyMigrations(
  database: Database,
  log: Logger,
  { connectTimeout, ...options }: ApplyOptions = {},
): Promise<string[]> {
  const onBlocked = (migration: string, tries: number) => {
    if (tries % attemptsPerLogLine === 1)
      log.warn({ migration }, 'a migration is waiting for a lock that another connection holds, trying again')
  }
  const work = async (sql: Driver) => {
    const names = await migrate(sql, { ...options, onBlocked })
    await detectCopy({ sql: sql as Sql, log })
    return names
  }
  const applied = await withConnection(database, connectTimeout, work)
  if (applied.length > 0) log.info({ applied }, 'migrations applied')
  return applied
}

/** Applies pending migrations, or with MIGRATE off only throws when the tables are too new for this version. */
export const prepareDatabase = (
  database: Database,
  { MIGRATE, DATABASE_TIMEOUT: connectTimeout }: Pick<Config, 'MIGRATE' | 'DATABASE_TIMEOUT'>,
  log: Logger,
): Promise<unknown> =>
  MIGRATE ? applyMigrations(database, log, { connectTimeout }) : refuseNewerDatabase(database, log, connectTimeout)

const refuseNewerDatabase = (database: Database, log: Logger, connectTimeout: number): Promise<void> =>
  withConnection(database, connectTimeout, async (sql) => {
    await checkVersion(sql)
    await detectCopy({ sql: sql as Sql, log })
  })

/** Releases the mails that are held because this database is a copy. Returns how many were released. */
export const releaseHeldMails = (database: Database, connectTimeout: number): Promise<number> =>
  withConnection(database, connectTimeout, async (sql) => (await releaseCopyMails(sql as Sql)).count)

/** Resumes the webhooks that are parked for the same reason, from now on. Returns how many. */
export const resumeParkedWebhooks = (database: Database, connectTimeout: number): Promise<number> =>
  withConnection(database, connectTimeout, (sql) => resumeCopyWebhooks(sql as Sql))

/** Does this on a connection of its own, which is closed afterwards. */
export async function withConnection<T>(
  database: Database,
  connectTimeout: number | undefined,
  work: (sql: Driver) => Promise<T>,
): Promise<T> {
  const sql = connectForMigration(database, connectTimeout)
  try {
    return await work(sql)
  } catch (error) {
    throw await explainNoTls(sql, error)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
