import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'

/** A place in the write-ahead log of one database. */
export interface Position {
  /** The database and its timeline: places of different ones cannot be compared. */
  readonly history: string
  readonly lsn: bigint
}

/** Milliseconds: a replica that lacks what the primary had so long ago is not read. */
const maxLag = 10_000
/** Milliseconds between two looks at the primary. */
const lookEvery = 1000

/** Where the primary is now. */
export async function primaryPosition(sql: Sql): Promise<Position> {
  const { history, lsn } = await one(sql<{ history: string; lsn: string }[]>`
    select database_identity() || '/' || left(pg_walfile_name(w.lsn), 8) as history, (w.lsn - '0/0')::text as lsn
    from pg_current_wal_insert_lsn() w (lsn)
  `)
  return { history, lsn: BigInt(lsn) }
}

export const positionText = ({ history, lsn }: Position): string => `${history} ${lsn}`

/** Undefined for a text that is none. */
export function parsePosition(text: string): Position | undefined {
  const [, history, lsn] = /^(\S{1,100}) (\d{1,20})$/.exec(text) ?? []
  return history === undefined || lsn === undefined ? undefined : { history, lsn: BigInt(lsn) }
}

/** Where the primary was in the last seconds, as far as somebody looked. */
export class Positions {
  readonly #ask: () => Promise<Position>
  readonly #now: () => number
  /** The oldest first, at least a second apart, all of the same history. */
  #seen: readonly (Position & { readonly at: number })[] = []
  #newestAt = Number.NEGATIVE_INFINITY
  #running: Promise<Position> | undefined
  #next: Promise<Position> | undefined

  constructor(ask: () => Promise<Position>, now: () => number) {
    this.#ask = ask
    this.#now = now
  }

  /**
   * Looks now. All who ask while a look is under way share the next one: the running one may have missed their write.
   */
  look(): Promise<Position> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  /**
   * The least that a replica must have replayed to be at most ten seconds behind. Null when nobody has looked for so
   * long. Looks again when that is due, without making anybody wait.
   */
  known(): Position | null {
    const now = this.#now()
    if (now - this.#newestAt >= lookEvery && this.#running === undefined) this.#start().catch(() => undefined)
    return this.#seen.find(({ at }) => now - at <= maxLag) ?? null
  }

  /** Whether a replica that has replayed so much is too late, rather than only later than a look of just now. */
  isLate(lsn: bigint): boolean {
    const soon = this.#now() - 0.8 * maxLag
    return this.#seen.some((seen) => seen.at <= soon && seen.lsn > lsn)
  }

  #start(): Promise<Position> {
    this.#next = undefined
    const at = this.#now()
    this.#running = this.#ask()
      .then((position) => this.#keep({ ...position, at }))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  #keep(seen: Position & { readonly at: number }): Position {
    const same = this.#seen.filter(({ at, history }) => history === seen.history && seen.at - at <= maxLag)
    this.#newestAt = seen.at
    const [last] = same.slice(-1)
    this.#seen = last && seen.at - last.at < lookEvery ? same : [...same, seen]
    return seen
  }
}
