import postgres from 'postgres'
import { asFailure } from './outage.ts'
import { type PoolLoad, watched } from './pool-load.ts'
import type { Tag } from './row-type.ts'

/** Connections as the driver gives them. */
export type Driver = postgres.Sql

/** A pool of connections, or the one connection of a transaction: a postgres.js client. `sql.end()` closes it. */
export type Sql = Tag &
  Driver & {
    /**
     * For an answer that belongs to another question: ends every connection of the pool at once, and logs it. Later queries
     * use new connections. Returns the error for the caller to throw.
     */
    readonly distrust: () => Error
  }

/** Where PostgreSQL is: an address such as `postgres://user:password@host:5432/id`, or the options of the embedded one. */
export type Database = string | { host: string; port: number; user: string; database: string; password?: string }

/** Milliseconds. */
interface Deadlines {
  /** Until a query must have found a connection. */
  readonly queue: number
  /** Until a query must have been answered, once it has a connection; longer than the server's own limits, which come first. */
  readonly query: number
}

export interface PoolOptions {
  /** The most that are open at once. */
  readonly connections: number
  /** Off behind PgBouncer in transaction mode, which keeps neither prepared statements nor session settings. */
  readonly prepare: boolean
  readonly deadlines?: Deadlines
  /** Called with each statement; tests count them. */
  readonly onStatement?: (statement: string) => void
  /** Called when the pool was ended because of an answer to another question. */
  readonly onDistrust?: (error: Error) => void
  /** Counts what the pool has to do. */
  readonly load?: PoolLoad | undefined
}

/** A query has so many seconds to be answered, and two fifths of them before that to find a connection. */
export const deadlinesOf = (seconds: number): Deadlines => ({ queue: 400 * seconds, query: 1000 * seconds })

const usualTimeout = 5

/** The server ends long statements by itself, before we give up their connection. Milliseconds. */
const serverLimits = ({ query }: Deadlines) => ({
  statement_timeout: 0.9 * query,
  lock_timeout: 0.4 * query,
  idle_in_transaction_session_timeout: 2 * query,
})

/** The driver's own options; those that our patch adds are not in its types. */
type DriverOptions = postgres.Options<Record<string, never>> & {
  /** Seconds. */
  queue_timeout?: number
  query_timeout?: number
  /** Turns each error into the one that the caller gets. */
  explain?: (error: unknown) => unknown
}

/**
 * A pool of connections; opens them when they are needed. Every query settles; outages come out as failures, so that no
 * caller has to know the driver's error codes. A connection carries one query at a time, and is never used again after
 * anything unexpected happened on it: both by our patch of the driver.
 *
 * @throws Error for an address with several hosts, TypeError for what is no address.
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
    return asFailure(Object.assign(error, { code: 'FOREIGN_ANSWER' })) as Error
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
    explain: asFailure,
    queue_timeout: times.queue / 1000,
    query_timeout: times.query / 1000,
    connect_timeout: times.queue / 1000,
    // Seconds before a server that refused a connection is asked again.
    backoff: () => 0.1,
    // Column names only: the driver's ready-made transform would also rename the keys inside json.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    connection: { application_name: 'postern', ...(prepare ? serverLimits(times) : {}) },
    onnotice: () => undefined,
    ...(onStatement ? { debug: (_connection: number, statement: string) => onStatement(statement) } : {}),
  })
  return load ? watched(pool, load) : pool
}

/** A connection without time limits, for migrations, once it is there: that it has so many seconds for. */
export const connectForMigration = (database: Database, connectTimeout = usualTimeout): Driver =>
  open(database, { max: 1, prepare: false, connect_timeout: connectTimeout, onnotice: () => undefined })

const open = (database: Database, options: DriverOptions): Driver =>
  typeof database === 'string' ? openAddress(new URL(database), options) : postgres({ ...database, ...options })

/** `?host=/folder` means a Unix socket, as in libpq's addresses; the driver would send it to the server as a setting. */
function openAddress(address: URL, options: DriverOptions): Driver {
  const host = address.searchParams.get('host')
  // Our patched driver connects to one host only: it would never try the next one, and its query would wait for ever.
  if ((host ?? address.hostname).includes(','))
    throw new Error('DATABASE_URL names several hosts: expected one, which leads to the server that takes writes')
  address.searchParams.delete('host')
  return postgres(address.href, { ...(host ? { host } : {}), ...options })
}
