import { AsyncResource } from 'node:async_hooks'
import { Failure } from '../../shared/failure.ts'
import { inShortTrip, type Sql } from './connect.ts'
import { failedPart, retryRead } from './outage.ts'

/** Sends one statement, and may be asked to send it again. */
type Work<T> = (sql: Sql) => PromiseLike<T>

interface Read {
  readonly work: Work<unknown>
  readonly resolve: (found: unknown) => void
  readonly reject: (error: unknown) => void
}

/** How many reads travel together at most: each waits for the answers of all. */
const maxReads = 8

/** The shared trips of each pool. */
const pools = new WeakMap<Sql, SharedTrips>()

/**
 * Reads a few rows that an index finds, with one statement. Such reads of other requests share its round trip when they
 * are sent in the same turn of the event loop. None waits for others to arrive. Repeated once when its connection was
 * stale. Never for a write, nor for a read that may take long.
 */
export const inSharedTrip = <T>(sql: Sql, work: Work<T>): Promise<T> => retryRead(() => tripsOf(sql).read(work))

function tripsOf(sql: Sql): SharedTrips {
  const known = pools.get(sql)
  if (known) return known
  const made = new SharedTrips(sql)
  pools.set(sql, made)
  return made
}

class SharedTrips {
  readonly #sql: Sql
  #underWay = 0
  #gathered: Read[] = []

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Sends it at once, or while others are under way at the end of this turn, with all that came by then. */
  async read<T>(work: Work<T>): Promise<T> {
    if (this.#underWay > 0) return this.#gather(work) as Promise<T>
    return this.#count(() => work(this.#sql))
  }

  #gather(work: Work<unknown>): Promise<unknown> {
    if (this.#gathered.length === 0) setImmediate(() => this.#sendGathered())
    // What is sent for one alone is in the trace of its own request.
    return new Promise((resolve, reject) => this.#gathered.push({ work: AsyncResource.bind(work), resolve, reject }))
  }

  #sendGathered(): void {
    const reads = this.#gathered
    this.#gathered = []
    for (let at = 0; at < reads.length; at += maxReads) void this.#send(reads.slice(at, at + maxReads))
  }

  async #send(reads: readonly Read[]): Promise<void> {
    const works = reads.map(({ work }) => work)
    try {
      const found = await this.#count(() => inShortTrip(this.#sql, works))
      for (const [index, { resolve }] of reads.entries()) resolve(found[index])
    } catch (error) {
      this.#fail(reads, error)
    }
  }

  /**
   * If the server refused one statement, only that read fails and the others are sent again. An outage fails them all.
   */
  #fail(reads: readonly Read[], error: unknown): void {
    const failed = reads.length === 1 ? 0 : failedPart(error)
    const isAllOver = failed === undefined && error instanceof Failure
    for (const [index, { work, resolve, reject }] of reads.entries())
      if (isAllOver || index === failed) reject(error)
      else this.#count(() => work(this.#sql)).then(resolve, reject)
  }

  async #count<T>(send: () => PromiseLike<T>): Promise<T> {
    this.#underWay += 1
    try {
      return await send()
    } finally {
      this.#underWay -= 1
    }
  }
}
