import { copyText } from '../memory/copy-text.ts'
import type { RateLimit } from '../settings/rate-limits.ts'
import { type CountWindow, createMemoryRateLimiter, dropEnded, type RateLimiter } from './memory-rate-limiter.ts'

/** What the central counter says of one use: the seconds to wait, or null, and when the key's window ends. */
export interface SharedCount {
  readonly retryAfter: number | null
  readonly endsAt: number
}

/** The process that counts for all workers. */
interface CentralCounts {
  count(key: string): Promise<SharedCount>
  refund(key: string): void
}

/** A worker's part of a limiter that all workers share. */
export interface SharedRateLimiter extends RateLimiter {
  /** Hands the worker's own count of a key over to the central counter. From then on it asks there. */
  take(key: string): CountWindow | null
}

/**
 * Each worker may let through this part of a limit without asking, so that ordinary clients cost no message. All
 * workers together let through half of the limit that way.
 */
export const ownShare = (max: number, workers: number): number => Math.floor(max / (2 * workers))

/** Milliseconds for which a full window is taken to stay full: a flood costs few messages, and refunds elsewhere count soon. */
const believed = 250

interface Options {
  readonly now: () => number
  readonly limit: RateLimit
  readonly workers: number
  readonly central: CentralCounts
}

/**
 * A rate limiter that is exact over all workers: a key is counted here up to the worker's own share, and beyond that by
 * the central counter, which first collects what every worker has counted.
 */
export function createSharedRateLimiter({ now, limit, workers, central }: Options): SharedRateLimiter {
  const share = ownShare(limit.max, workers)
  const local = createMemoryRateLimiter(now, { ...limit, max: share })
  const held = createHeldKeys(now)
  const ask = async (key: string) => {
    const { retryAfter, endsAt } = await central.count(key)
    held.set(key, { endsAt, fullUntil: retryAfter === null ? 0 : now() + believed })
    return retryAfter
  }
  /** Counts locally if the share has room. */
  const isWithinShare = (key: string) => {
    if (share > 0 && local.secondsUntilRoom(key) === null) return local.count(key) === null
    return false
  }
  return {
    count(key) {
      const found = held.get(key)
      if (found && found.fullUntil > now()) return Math.ceil((found.endsAt - now()) / 1000)
      return !found && isWithinShare(key) ? null : ask(key)
    },
    refund(key) {
      const found = held.get(key)
      if (!found) return local.refund(key)
      central.refund(key)
      held.set(key, { ...found, fullUntil: 0 })
    },
    open: (key) => local.open(key),
    isOpen: (key) => held.get(key) !== undefined || local.isOpen(key),
    take(key) {
      held.set(key, { endsAt: now() + limit.window * 1000, fullUntil: 0 })
      return local.take(key)
    },
  }
}

/** A key that the central counter counts until its window ends. */
interface HeldKey {
  readonly endsAt: number
  /** Until then no use is asked for. */
  readonly fullUntil: number
}

/** Beyond as many as a limiter has windows the oldest are forgotten, and asked for again. */
function createHeldKeys(now: () => number) {
  const held = new Map<string, HeldKey>()
  return {
    set(key: string, one: HeldKey): void {
      held.delete(key)
      dropEnded(held, now())
      held.set(copyText(key), one)
    },
    get(key: string): HeldKey | undefined {
      const found = held.get(key)
      if (found && found.endsAt > now()) return found
      held.delete(key)
      return undefined
    },
  }
}
