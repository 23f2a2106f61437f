import type postgres from 'postgres'
import { asFailure } from './outage.ts'

export interface Deadlines {
  /** Milliseconds until a query must have found a connection. */
  readonly queue: number
  /** Milliseconds until a query must have been answered. */
  readonly query: number
}

/** Milliseconds until a cancelled query has to be over, before its connection is given up too. */
const cancelTime = 1000

/** The part of postgres.js's query that its types leave out. */
interface Driver {
  executed: boolean
  /** The connection that it was sent over. */
  state: { abandon: (query: Driver) => unknown } | null
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  handle: () => Promise<void>
  /** What `cancel()` calls, whose promise it hides: with that goes the error of a cancel that finds no server. */
  canceller: (query: Driver) => Promise<unknown>
  clock?: Clock
}

/** What a query with a deadline carries along: its clock, and the driver's own methods. */
interface Clock extends Pick<Driver, 'resolve' | 'reject' | 'handle'> {
  readonly deadlines: Deadlines
  timer?: NodeJS.Timeout
  overdue?: Overdue
}

type Armed = Driver & { clock: Clock }

class Overdue extends Error {
  override readonly name = 'Overdue'
  readonly code: 'POOL_TIMEOUT' | 'DEADLINE'
  constructor(code: 'POOL_TIMEOUT' | 'DEADLINE') {
    super(
      code === 'POOL_TIMEOUT' ? 'No database connection became free in time' : 'The database did not answer in time',
    )
    this.code = code
  }
}

/**
 * Makes every query of `sql` settle: the driver itself can wait for ever when a server closes during startup or a pool is
 * exhausted. Outages come out as failures, so that no caller has to know the driver's error codes.
 */
export function withDeadlines<S extends postgres.ISql>(sql: S, deadlines: Deadlines): S {
  return new Proxy(sql, {
    apply(target, self, parts: unknown[]) {
      const made: unknown = Reflect.apply(target as unknown as (...parts: unknown[]) => unknown, self, parts)
      if (made instanceof Promise) arm(made as unknown as Driver, deadlines)
      return made
    },
  })
}

/**
 * Starts the clock when the query starts; a fragment inside another query never does. The methods are shared: V8 puts a
 * function that is made for a property where only a full collection finds it, and the whole request with it.
 */
function arm(query: Driver, deadlines: Deadlines): void {
  const { resolve, reject, handle } = query
  query.clock = { deadlines, resolve, reject, handle }
  query.handle = start
  query.resolve = settle
  query.reject = fail
}

function start(this: Armed): Promise<void> {
  if (!this.executed) this.clock.timer = setTimeout(checkQueue, this.clock.deadlines.queue, this)
  return this.clock.handle.call(this)
}

function settle(this: Armed, value: unknown): void {
  clearTimeout(this.clock.timer)
  this.clock.resolve(value)
}

function fail(this: Armed, error: unknown): void {
  clearTimeout(this.clock.timer)
  this.clock.reject(asFailure(this.clock.overdue ?? error))
}

function checkQueue(query: Armed): void {
  const { queue, query: whole } = query.clock.deadlines
  if (query.state) query.clock.timer = setTimeout(giveUp, whole - queue, query, 'DEADLINE')
  else giveUp(query, 'POOL_TIMEOUT')
}

function giveUp(query: Armed, code: 'POOL_TIMEOUT' | 'DEADLINE'): void {
  query.clock.overdue = new Overdue(code)
  // In this order: a refused query no longer counts as active, and would be cancelled when it is too late.
  query.canceller(query).catch(() => undefined)
  query.reject(query.clock.overdue)
  // A way that swallows everything would hold the connection for as long as TCP has patience: a quarter of an hour.
  setTimeout(() => query.state?.abandon(query), cancelTime).unref()
}
