import type { RateLimit } from '../settings/rate-limits.ts'

/** Counts by key within a window, in bounded memory. */
export interface MemoryRateLimiter {
  /** Counts one use. Returns the seconds to wait, or null when it is allowed. */
  count(key: string): number | null
  /** The seconds until one more use is allowed, or null when it is now. Counts nothing. */
  secondsUntilRoom(key: string): number | null
  /** Refunds one use. */
  refund(key: string): void
  /** Whether the key has a use in a window that is still open. */
  isOpen(key: string): boolean
}

/** About 10 MB at most. Beyond that the oldest windows are dropped first. */
const capacity = 50_000

export function createMemoryRateLimiter(now: () => number, { max, window }: RateLimit): MemoryRateLimiter {
  // All windows have the same length, so they end in insertion order.
  const windows = new Map<string, { count: number; readonly endsAt: number }>()
  const sweep = (time: number) => {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > time && windows.size < capacity) return
      windows.delete(key)
    }
  }
  return {
    count(key) {
      const time = now()
      sweep(time)
      const open = windows.get(key)
      if (!open) {
        windows.set(key, { count: 1, endsAt: time + window * 1000 })
        return null
      }
      open.count += 1
      return open.count > max ? Math.ceil((open.endsAt - time) / 1000) : null
    },
    secondsUntilRoom(key) {
      const [time, open] = [now(), windows.get(key)]
      return open && open.endsAt > time && open.count >= max ? Math.ceil((open.endsAt - time) / 1000) : null
    },
    refund(key) {
      const open = windows.get(key)
      if (open && open.count > 0) open.count -= 1
    },
    isOpen: (key) => (windows.get(key)?.endsAt ?? 0) > now(),
  }
}
