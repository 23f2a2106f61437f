import { isIPv6 } from 'node:net'
import postgres from 'postgres'
import { outageAsFailure, retryConflict } from './outage.ts'
import type { PoolLoad } from './pool-load.ts'
import type { Tag } from './row-type.ts'
import {
  type PipeliningDriver,
  queryOf,
  type Send,
  type Statement,
  statementTag,
  type TransactionDriver,
} from './statement.ts'
import { traced } from './statement-span.ts'

/** The driver's own connection pool. */
export type Driver = postgres.Sql

/** `isShort`: the whole trip has one query's deadline. */
type SendTogether = (statements: readonly Statement[], isShort?: boolean) => Promise<unknown[]>

declare const canWrite: unique symbol

/** A pool of connections, or the one connection of a transaction. `sql.end()` closes the pool. */
export type Sql = ReadSql & { readonly [canWrite]: true }

/**
 * What a list is read with, perhaps on a replica. Functions that write, or that decide who may do what, take `Sql`, so
 * they do not compile with it.
 */
export type ReadSql = Tag &
  Driver & {
    /** The pool or connection itself, which a new one replaces after `distrust`. */
    readonly driver: PipeliningDriver
    /** Sends the statements in one round trip; outside a transaction, all or none take effect. */
    readonly together: SendTogether
    /**
     * Call when an answer belongs to another query: closes every connection of the pool at once and logs it. Later
     * queries use new connections. Returns the error for the caller to throw.
     */
    readonly distrust: () => Error
  }

/** The connection of a transaction. */
export type TransactionSql = Sql & { readonly driver: TransactionDriver }

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
  /** Called for each round trip, except those that ask for the types of a new statement's parameters. */
  readonly onTrip?: () => void
  /** Called when the pool was closed because an answer belonged to another query. */
  readonly onDistrust?: (error: Error) => void
  /** Measures the load of the pool. */
  readonly load?: PoolLoad | undefined
}

/** A query has this many seconds to be answered, after at most two fifths of that for a connection. */
export const deadlinesOf = (seconds: number): Deadlines => ({ queue: 400 * seconds, query: 1000 * seconds })

const usualTimeout = 5

/**
 * Makes the server end long statements itself before we give up their connection. Milliseconds. It leaves idle
 * connections alone, whatever the role has: it would end some just as they are used again.
 */
const serverLimits = ({ query }: Deadlines) => ({
  statement_timeout: 0.9 * query,
  lock_timeout: 0.4 * query,
  idle_in_transaction_session_timeout: 2 * query,
  // The longest there is, because the driver leaves out a zero.
  idle_session_timeout: 2_147_483_647,
})

/**
 * How transactions begin. A statement has to see what others committed while it waited for a lock: where the database
 * or the role has another level as its default, limits would be counted wrongly, and ended sessions missed.
 */
export const readCommitted = 'isolation level read committed'

/**
 * How the server writes what we read, and the level for statements outside a transaction, whatever the database or the
 * role has as its default.
 */
const serverForms = { DateStyle: 'ISO', bytea_output: 'hex', default_transaction_isolation: 'read committed' } as const

/**
 * A plan of a long trail has so many parts that the server would compile them to machine code, at each execution anew:
 * a second for a statement that takes a millisecond.
 */
const serverWork = { jit: 'off' } as const

/** The driver's options with those that our patch adds and its types lack. */
type DriverOptions = postgres.Options<Record<string, never>> & {
  /** Seconds. */
  queue_timeout?: number
  query_timeout?: number
  /** Converts each error into the one that the caller receives. */
  explain?: (error: unknown) => unknown
  on_trip?: () => void
}

/**
 * Creates a connection pool that opens connections on demand. Every query settles. Outages become failures, so callers
 * need not know the driver's error codes. Through our patch of the driver, a connection carries one query at a time and
 * is never reused after anything unexpected happened on it. What the server undid because of another transaction is
 * sent again, at most twice.
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
  const { load } = options
  const watch = <T extends PromiseLike<unknown>>(work: T): T => (load ? load.watch(work) : work)
  return handleOf<Sql>(() => pool, {
    distrust,
    send: async (statement) => watch(traced([statement], () => retryConflict(() => queryOf(statement, pool)))),
    together: (statements, isShort) =>
      watch(traced(statements, () => retryConflict(() => pool.together(queriesOf(statements, pool), isShort)))),
    begin: (work) =>
      watch(pool.begin(readCommitted, (tx) => work(transactionOf(tx as unknown as TransactionDriver, distrust)))),
  })
}

const queriesOf = (statements: readonly Statement[], driver: PipeliningDriver) =>
  statements.map((statement) => queryOf(statement, driver))

const transactionOf = (driver: TransactionDriver, distrust: Sql['distrust']): TransactionSql =>
  handleOf<TransactionSql>(() => driver, {
    distrust,
    send: async (statement) => traced([statement], async () => queryOf(statement, driver)),
    together: (statements) => traced(statements, () => driver.together(queriesOf(statements, driver))),
  })

interface OwnParts extends Pick<Sql, 'distrust'>, Partial<Pick<Sql, 'together'>> {
  readonly send: Send
  readonly begin?: (work: (tx: TransactionSql) => unknown) => unknown
}

/** A tag for statements, with everything else that the driver can do. */
function handleOf<Handle extends Sql>(driverOf: () => Handle['driver'], { send, ...own }: OwnParts): Handle {
  const tag = Object.assign(statementTag(send), own)
  return new Proxy(tag as unknown as Handle, {
    get: (_tag, name) =>
      name === 'driver' ? driverOf() : Reflect.get(Object.hasOwn(tag, name) ? tag : driverOf(), name),
  })
}

type Works<Results extends readonly unknown[]> = { [N in keyof Results]: (sql: Sql) => PromiseLike<Results[N]> }

/**
 * Sends the statements of all `works` in one round trip, in this order. Each work sends exactly one. Outside a
 * transaction, all or none take effect.
 */
export const inOneTrip = <Results extends readonly unknown[]>(sql: Sql, ...works: Works<Results>): Promise<Results> =>
  gather(sql, works, (statements) => sql.together(statements))

/** The same for short reads outside a transaction: the whole trip has one query's deadline. */
export const inShortTrip = (
  sql: Sql,
  works: readonly ((sql: Sql) => PromiseLike<unknown>)[],
): Promise<readonly unknown[]> => gather<readonly unknown[]>(sql, works, (statements) => sql.together(statements, true))

/**
 * The same for the last statements of a transaction: its commit travels with them. Nothing can undo them afterwards.
 */
export const inLastTrip = <Results extends readonly unknown[]>(
  tx: TransactionSql,
  ...works: Works<Results>
): Promise<Results> =>
  gather(tx, works, (statements) => traced(statements, () => tx.driver.finish(queriesOf(statements, tx.driver))))

/** The same for one statement. */
export const withCommit = async <T>(tx: TransactionSql, work: (sql: Sql) => PromiseLike<T>): Promise<T> =>
  (await inLastTrip(tx, work))[0]

interface Waiting {
  readonly statement: Statement
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

async function gather<Results extends readonly unknown[]>(
  sql: Sql,
  works: Works<Results>,
  sendAll: SendTogether,
): Promise<Results> {
  const waiting: Waiting[] = []
  const fail = (error: unknown) => waiting.forEach(({ reject }) => reject(error))
  const tell = (answers: readonly unknown[]) => waiting.forEach(({ resolve }, index) => resolve(answers[index]))
  const { driver } = sql
  // Only once for all of them: a second time would close the connections that have just replaced the old ones.
  let distrusted: Error | undefined
  const distrust = () => (distrusted ??= sql.distrust())
  const handle = (index: number) =>
    handleOf<Sql>(() => driver, {
      distrust,
      send: (statement) =>
        new Promise((resolve, reject) => {
          if (waiting[index]) throw new Error('Statements that travel together are one for each work')
          waiting[index] = { statement, resolve, reject }
          if (Object.keys(waiting).length < works.length) return
          sendAll(waiting.map((each) => each.statement)).then(tell, fail)
        }),
    })
  const asked = works.map((work, index) => work(handle(index)))
  const requireSent = (index: number) => {
    if (!waiting[index]) fail(new Error('A work sent no statement'))
  }
  for (const [index, each] of asked.entries()) each.then(() => requireSent(index), fail)
  return (await Promise.all(asked)) as unknown as Results
}

function openPool(
  database: Database,
  { connections, prepare, deadlines, onStatement, onTrip }: PoolOptions,
): PipeliningDriver {
  const times = deadlines ?? deadlinesOf(usualTimeout)
  return open(database, {
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
    // PgBouncer refuses these, but for DateStyle, which it would set anew for each transaction.
    connection: {
      application_name: 'postern',
      ...(prepare ? { ...serverForms, ...serverWork, ...serverLimits(times) } : {}),
    },
    onnotice: () => undefined,
    ...(onTrip ? { on_trip: onTrip } : {}),
    ...(onStatement ? { debug: (_connection: number, statement: string) => onStatement(statement) } : {}),
  }) as PipeliningDriver
}

/** Opens a connection for migrations, without time limits except that for connecting, in seconds. */
export const connectForMigration = (database: Database, connectTimeout = usualTimeout): Driver =>
  open(database, {
    max: 1,
    prepare: false,
    connect_timeout: connectTimeout,
    connection: { DateStyle: 'ISO' },
    onnotice: () => undefined,
  })

/**
 * Opens another connection to the same database, in a pool of its own: in one pool, a statement whose connection is
 * refused for lack of room would wait for the transaction on the other connection, which waits for the statement.
 */
export const connectBeside = ({ options }: Driver): Driver => postgres({ ...options, max: 1 } as object)

const open = (database: Database, options: DriverOptions): Driver =>
  typeof database === 'string' ? openAddress(new URL(database), options) : postgres({ ...database, ...options })

/**
 * `?host=/folder` means a Unix socket, as in libpq, and so does `%2Ffolder` as the host. The driver would send the first to
 * the server as a setting, and look for a host of the second name.
 */
function openAddress(address: URL, options: DriverOptions): Driver {
  const host = address.searchParams.get('host') ?? decodeURIComponent(address.hostname).replace(/^\[(.*)\]$/, '$1')
  // The patched driver connects to one host only. It would never try the next one, and the query would wait forever.
  if (host.includes(',')) throw new Error('DATABASE_URL names several hosts: name only the server that accepts writes')
  address.searchParams.delete('host')
  // As in libpq, `allow` accepts a server without TLS, on which the driver would insist.
  if (address.searchParams.get('sslmode') === 'allow') address.searchParams.set('sslmode', 'prefer')
  return postgres(address.href, { ...placeOf(host, address.port), ...options })
}

/** The driver would take a text with colons for a host and its port, but not a list of hosts and one of ports. */
function placeOf(host: string, port: string): object {
  if (isIPv6(host)) return { host: [host], port: [Number(port) || 5432] }
  return host ? { host } : {}
}
