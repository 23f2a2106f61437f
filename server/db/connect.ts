import postgres from 'postgres'
import { type Deadlines, withDeadlines } from './deadline.ts'

export type Sql = postgres.Sql

/** Where PostgreSQL is: an address, or the options of the embedded one. */
export type Database = string | { host: string; port: number; user: string; database: string; password?: string }

export interface PoolOptions {
  readonly connections: number
  /** Off behind PgBouncer in transaction mode, which keeps neither prepared statements nor session settings. */
  readonly prepare: boolean
  readonly deadlines?: Deadlines
  /** Told each statement; tests count with it. */
  readonly onStatement?: (statement: string) => void
}

const defaultDeadlines: Deadlines = { queue: 2000, query: 5000 }

/** The server gives up by itself, so that an abandoned statement holds nothing for long. Milliseconds. */
const serverLimits = { statement_timeout: 5000, lock_timeout: 2000, idle_in_transaction_session_timeout: 10_000 }

/** The driver's own options; its types leave one out. */
type DriverOptions = postgres.Options<Record<string, never>> & { max_pipeline?: number }

/** A pool of connections; opens them when they are needed. Every query settles (see deadline.ts). */
export function connect(database: Database, { connections, prepare, deadlines, onStatement }: PoolOptions): Sql {
  const options: DriverOptions = {
    max: connections,
    prepare,
    backoff: () => 0.1,
    connect_timeout: 2,
    // A few statements share a busy connection's packets; more would only wait behind one that waits for a lock.
    max_pipeline: 3,
    // Column names only: the driver's ready-made transform would also rename the keys inside json.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    connection: { application_name: 'postern', ...(prepare ? serverLimits : {}) },
    onnotice: () => undefined,
    ...(onStatement ? { debug: (_connection: number, statement: string) => onStatement(statement) } : {}),
  }
  return withDeadlines(open(database, options), deadlines ?? defaultDeadlines)
}

/** A connection without limits of time, for migrations. */
export const connectForMigration = (database: Database): Sql =>
  open(database, { max: 1, prepare: false, connect_timeout: 5, onnotice: () => undefined })

const open = (database: Database, options: DriverOptions): Sql =>
  typeof database === 'string' ? openAddress(new URL(database), options) : postgres({ ...database, ...options })

/** `?host=/folder` means a Unix socket, as in libpq's addresses; the driver would send it to the server as a setting. */
function openAddress(address: URL, options: DriverOptions): Sql {
  const host = address.searchParams.get('host')
  address.searchParams.delete('host')
  return postgres(address.href, { ...(host ? { host } : {}), ...options })
}
