import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { connectForMigration, type Database, type Driver } from './db/connect.ts'
import { checkVersion, migrate } from './db/migrate.ts'

export interface OpenDatabase {
  readonly database: Database
  /** Leaves the embedded database; the last one to leave stops it. */
  close(): Promise<void>
}

/** DATABASE_URL's server, or the embedded one: then it is started, or joined when it runs already. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  if (config.DATABASE_URL) return { database: config.DATABASE_URL, close: () => Promise.resolve() }
  const { startEmbedded } = await import('./embedded/start.ts')
  const embedded = await startEmbedded({ dataDir: config.DATA_DIR, log })
  return { database: embedded.connection, close: () => embedded.stop() }
}

/** Brings the tables up to date; waits for others that do the same. */
export async function applyMigrations(database: Database, log: Logger): Promise<string[]> {
  const applied = await withConnection(database, migrate)
  if (applied.length > 0) log.info({ applied }, 'migrations applied')
  return applied
}

/** With MIGRATE off: throws when the tables are too new for this version. */
export const refuseNewerDatabase = (database: Database): Promise<void> => withConnection(database, checkVersion)

async function withConnection<T>(database: Database, work: (sql: Driver) => Promise<T>): Promise<T> {
  const sql = connectForMigration(database)
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
