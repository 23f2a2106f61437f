import postgres from 'postgres'
import { outageAsFailure } from './outage.ts'
import { type PoolLoad, watchPool } from './pool-load.ts'
import type { Tag } from './row-type.ts'

/** The driver's own connection pool. */
export type Driver = postgres.Sql

/** A pool of connections, or the one connection of a transaction: a postgres.js client. `sql.end()` closes it. */
export type Sql = Tag &
  Driver & {
    /**
     * Call when an answer belongs to another query: closes every connection of the pool at once and logs it. Later
     * queries use new connections. Returns the error for the caller to throw.
     */
    readonly distrust: () => Error
  }

/**
 * The location of PostgreSQL: an address such as `postgres://user:password@host:5432/id`, or the options of the
 * embedded server.
 */
export type Database = string | { host: string; port: number; user: string; database: string; password?: string }

/** In milliseconds. */
interface Deadlines {
  /** How long a query may wait for a connection. */
  readonly queue: number
  /**
   * How long a query may take once it has a connection. Longer than the server's own limits, which take effect first.
   */
  readonly query: number
}

export interface PoolOptions {
  /** The largest number of open connections. */
  readonly connections: number
  /** False behind PgBouncer in transaction mode, which keeps neither prepared statements nor session settings. */
  readonly prepare: boolean
  readonly deadlines?: Deadlines
  /** Called with each statement; tests count them. */
  readonly onStatement?: (statement: string) => void
  /** Called when the pool was closed because an answer belonged to another query. */
  readonly onDistrust?: (error: Error) => void
  /** Measures the load of the pool. */
  readonly load?: PoolLoad | undefined
}

/** A query has this many seconds to be answered, after at most two fifths of that for a connection. */
export const deadlinesOf = (seconds: number): Deadlines => ({ queue: 400 * seconds, query: 1000 * seconds })

const usualTimeout = 5

/** Makes the server end long statements itself before we give up their connection. Milliseconds. */
const serverLimits = ({ query }: Deadlines) => ({
  statement_timeout: 0.9 * query,
  lock_timeout: 0.4 * query,
  idle_in_transaction_session_timeout: 2 * query,
})

/** The driver's options with those that our patch adds and its types lack. */
type DriverOptions = postgres.Options<Record<string, never>> & {
  /** Seconds. */
  queue_timeout?: number
  query_timeout?: number
  /** Converts each error into the one that the caller receives. */
  explain?: (error: unknown) => unknown
}

/**
 * Creates a connection pool that opens connections on demand. Every query settles. Outages become failures, so callers
 * need not know the driver's error codes. Through our patch of the driver, a connection carries one query at a time and
 * is never reused after anything unexpected happened on it.
 *
 * @throws Error for an address with several hosts, TypeError for an invalid address.
 * @example
 * const sql = connect('postgres://localhost/id', { connections: 10, prepare: true })
 * await sql.end({ timeout: 5 }) // seconds
 */
export function connect(database: Database, options: PoolOptions): Sql {
  let pool = openPool(database, options)
  const distrust = () => {
    const error = new Error('An answer of the database was not the one that was asked for')
    void pool.end({ timeout: 0 })
    pool = openPool(database, options)
    options.onDistrust?.(error)
    return outageAsFailure(Object.assign(error, { code: 'FOREIGN_ANSWER' })) as Error
  }
  return new Proxy(pool as Sql, {
    apply: (_first, self, parts) => Reflect.apply(pool as unknown as () => unknown, self, parts),
    get: (_first, name) => (name === 'distrust' ? distrust : Reflect.get(pool, name)),
  })
}

function openPool(database: Database, { connections, prepare, deadlines, onStatement, load }: PoolOptions): Driver {
  const times = deadlines ?? deadlinesOf(usualTimeout)
  const pool = open(database, {
    max: connections,
    prepare,
    explain: outageAsFailure,
    queue_timeout: times.queue / 1000,
    query_timeout: times.query / 1000,
    connect_timeout: times.queue / 1000,
    // Seconds before another attempt at a server that refused a connection.
    backoff: () => 0.1,
    // Column names only: the driver's ready-made transform would also rename the keys inside JSON.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    connection: { application_name: 'postern', ...(prepare ? serverLimits(times) : {}) },
    onnotice: () => undefined,
    ...(onStatement ? { debug: (_connection: number, statement: string) => onStatement(statement) } : {}),
  })
  return load ? watchPool(pool, load) : pool
}

/** Opens a connection for migrations, without time limits except that for connecting, in seconds. */
export const connectForMigration = (database: Database, connectTimeout = usualTimeout): Driver =>
  open(database, { max: 1, prepare: false, connect_timeout: connectTimeout, onnotice: () => undefined })

const open = (database: Database, options: DriverOptions): Driver =>
  typeof database === 'string' ? openAddress(new URL(database), options) : postgres({ ...database, ...options })

/** `?host=/folder` means a Unix socket, as in libpq. The driver would send it to the server as a setting. */
function openAddress(address: URL, options: DriverOptions): Driver {
  const host = address.searchParams.get('host')
  // The patched driver connects to one host only. It would never try the next one, and the query would wait forever.
  if ((host ?? address.hostname).includes(','))
    throw new Error('DATABASE_URL names several hosts: name only the server that accepts writes')
  address.searchParams.delete('host')
  return postgres(address.href, { ...(host ? { host } : {}), ...options })
}
