import { setTimeout as sleep } from 'node:timers/promises'
import type { Freshness } from '../request/freshness.ts'
import { one } from './checked-row.ts'
import { inOneTrip, type ReadSql, type Sql } from './connect.ts'
import { isStatementsOwnFault } from './outage.ts'
import { Positions, parsePosition, positionText, primaryPosition } from './positions.ts'

/**
 * Milliseconds between attempts of a list whose caller wrote something that the replica lacks. Then the primary is
 * asked.
 */
const pauses = [10, 20, 40]
/** Milliseconds between attempts to use a replica again that failed. */
const restTime = 1000

export interface ReplicaOptions {
  readonly primary: Sql
  readonly sql: Sql
  /** Milliseconds. */
  readonly now: () => number
  /** Called with the problem when the replica is no longer read, and with null when it is again. */
  readonly onChange?: (problem: unknown) => void
  /** Called with each list read. */
  readonly onRead?: (place: 'replica' | 'primary') => void
}

interface ReplicaState {
  readonly isReplica: boolean
  /** Of which database and timeline. */
  readonly history: string
  /** Up to where it has replayed. Null when it is none. */
  readonly lsn: string | null
}

/**
 * Where a replica is. The timeline is that of its last restart point, so for some minutes after a failover it is still
 * the old one, and the replica is not read.
 */
const stateOf = (sql: ReadSql) => sql<ReplicaState[]>`
  select pg_is_in_recovery() as is_replica,
    database_identity() || '/' || lpad(upper(to_hex(c.timeline_id)), 8, '0') as history,
    (pg_last_wal_replay_lsn() - '0/0')::text as lsn
  from pg_control_checkpoint() c
`

export type List<T> = (sql: ReadSql) => PromiseLike<T>

/** A list that the replica answered. */
interface Answered<T> {
  readonly found: T
}

/**
 * A streaming replica that answers lists, as long as it is healthy and recent enough. It never fails a call: whatever
 * is wrong with it, the caller asks the primary instead.
 */
export class Replica {
  readonly #sql: Sql
  readonly #positions: Positions
  readonly #options: ReplicaOptions
  /** Set while the replica is not read. */
  #rest: NodeJS.Timeout | undefined
  #isClosed = false
  /** Until then nobody waits for it, since somebody did in vain. */
  #lateUntil = 0

  constructor(options: ReplicaOptions) {
    this.#sql = options.sql
    this.#options = options
    this.#positions = new Positions(() => primaryPosition(options.primary), options.now)
  }

  /** Where the primary is now, for the caller who has just written something. */
  async markNow(): Promise<string> {
    return positionText(await this.#positions.look())
  }

  /** Whether a list may be tried here at all. */
  mayRead(freshness: Freshness): freshness is Exclude<Freshness, 'primary'> {
    const may = freshness !== 'primary' && this.#rest === undefined && !this.#isClosed
    if (!may) this.#options.onRead?.('primary')
    return may
  }

  /** Reads a list. Null when the primary has to be asked instead, as where `check` finds nothing yet. */
  async read<T>(
    { after }: Exclude<Freshness, 'primary'>,
    list: List<T>,
    check: List<unknown> = (sql) => sql`select`,
  ): Promise<Answered<T> | null> {
    const answered = await this.#tryRead(after, list, check).catch((error: unknown) => {
      if (!isStatementsOwnFault(error)) this.#begin(error)
      return null
    })
    this.#options.onRead?.(answered ? 'replica' : 'primary')
    return answered
  }

  async #tryRead<T>(after: string | null, list: List<T>, check: List<unknown>): Promise<Answered<T> | null> {
    const least = this.#leastFor(after)
    if (least === null) return null
    for (const pause of [...(this.#options.now() < this.#lateUntil ? [] : pauses), null]) {
      const [[state], found, checked] = await inOneTrip(this.#sql, stateOf, list, check)
      const problem = this.#problemOf(state)
      if (problem !== null) throw new Error(problem)
      if (state && BigInt(state.lsn ?? 0) >= least) return checked === null ? null : { found }
      if (pause !== null) await sleep(pause)
    }
    this.#lateUntil = this.#options.now() + restTime
    return null
  }

  /** How far the replica must be for a caller who wrote up to there. Null when no replica will do. */
  #leastFor(after: string | null): bigint | null {
    const known = this.#positions.known()
    if (known === null || after === null) return known?.lsn ?? null
    const own = parsePosition(after)
    if (own?.history !== known.history) return null
    return own.lsn > known.lsn ? own.lsn : known.lsn
  }

  #problemOf(state: ReplicaState | undefined): string | null {
    if (!state?.isReplica) return 'it is no replica, or was promoted'
    const oldest = this.#positions.known()
    if (oldest && state.history !== oldest.history) return 'it belongs to another database or timeline'
    return this.#positions.isLate(BigInt(state.lsn ?? 0)) ? 'it is too far behind' : null
  }

  #begin(problem: unknown): void {
    if (this.#rest !== undefined || this.#isClosed) return
    this.#options.onChange?.(problem)
    this.#waitAndProbe()
  }

  #waitAndProbe(): void {
    this.#rest = setTimeout(() => void this.#probe(), restTime).unref()
  }

  /** Nobody's list waits for a replica that failed: this asks it until it is well again. */
  async #probe(): Promise<void> {
    const isWell = await this.#isWell().catch(() => false)
    if (this.#isClosed) return
    if (!isWell) return this.#waitAndProbe()
    this.#rest = undefined
    this.#options.onChange?.(null)
  }

  async #isWell(): Promise<boolean> {
    await this.#positions.look()
    return this.#problemOf(await one(stateOf(this.#sql))) === null
  }

  async end(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#rest)
    await this.#sql.end({ timeout: 5 })
  }
}
