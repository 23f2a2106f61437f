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

export function createRevocations(
  { COOKIE_CACHE, COOKIE_CACHE_MAX_AGE: seconds }: CacheSettings,
  now: () => Date,
): Revocations {
  if (!COOKIE_CACHE) return none
  const endsAt = new Map<string, number>()
  const forget = (time: number) => {
    for (const [id, end] of endsAt) {
      if (end > time && endsAt.size <= capacity) return
      endsAt.delete(id)
    }
  }
  return {
    add(sessionIds) {
      const time = now().getTime()
      forget(time)
      for (const id of sessionIds) endsAt.set(copyText(id), time + (seconds + clockDifference) * 1000)
    },
    has: (sessionId) => (endsAt.get(sessionId) ?? 0) > now().getTime(),
    all() {
      forget(now().getTime())
      return [...endsAt.keys()]
    },
  }
}
