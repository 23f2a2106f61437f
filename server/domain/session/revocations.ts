import type { Config } from '../../config.ts'
import { copyText } from '../../memory/copy-text.ts'

/** Sessions that this process, or another worker, ended within the lifetime of a cookie cache. Their cached copies are refused at once. */
export interface Revocations {
  add(sessionIds: readonly string[]): void
  has(sessionId: string): boolean
  /** Those that are still refused, for a process that takes part later. */
  all(): readonly string[]
}

/** Seconds that the clock of the machine that made a copy may be ahead: so much longer the copy lives here. */
const clockDifference = 60

// Beyond this many within one cache lifetime the oldest are forgotten. Their caches expire anyway.
const capacity = 100_000

/** Without cookie caches there are no copies to refuse. */
const none: Revocations = { add: () => undefined, has: () => false, all: () => [] }

type CacheSettings = Pick<Config, 'COOKIE_CACHE' | 'COOKIE_CACHE_MAX_AGE'>

/** Milliseconds at which an entry ends, by both clocks. */
interface Ends {
  readonly time: number
  readonly steady: number
}

/**
 * Remembers until both clocks say that no copy is left. By `now` alone, a clock that jumps ahead and back would lose what
 * was ended; by `steadyNow` alone, a clock that is set back would bring a copy from before to life again.
 */
export function createRevocations(
  { COOKIE_CACHE, COOKIE_CACHE_MAX_AGE: seconds }: CacheSettings,
  now: () => Date,
  steadyNow: () => number,
): Revocations {
  if (!COOKIE_CACHE) return none
  const kept = new Map<string, Ends>()
  const life = (seconds + clockDifference) * 1000
  const isOver = (ends: Ends) => ends.time <= now().getTime() && ends.steady <= steadyNow()
  const forget = () => {
    for (const [id, ends] of kept) {
      if (!isOver(ends) && kept.size <= capacity) return
      kept.delete(id)
    }
  }
  return {
    add(sessionIds) {
      forget()
      const ends = { time: now().getTime() + life, steady: steadyNow() + life }
      for (const id of sessionIds) kept.set(copyText(id), ends)
    },
    has(sessionId) {
      const ends = kept.get(sessionId)
      return ends !== undefined && !isOver(ends)
    },
    all() {
      forget()
      return [...kept.keys()]
    },
  }
}
