import type { RateLimit } from '../settings/rate-limits.ts'

/** Counts by key within a window, in bounded memory. */
export interface MemoryRateLimiter {
  /** The seconds to wait, or null. */
  count(key: string): number | null
  /** The seconds until there is room for one more, or null; counts nothing. */
  secondsFull(key: string): number | null
  /** Takes one count back. */
  takeBack(key: string): void
  /** Whether the key was counted in a window that is still open. */
  isOpen(key: string): boolean
}

/** About 10 MB at most. Beyond it the oldest windows are forgotten first. */
const capacity = 50_000

export function createMemoryRateLimiter(now: () => number, { max, window }: RateLimit): MemoryRateLimiter {
  // All windows are equally long, so the order of insertion is the order in which they end.
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
    secondsFull(key) {
      const [time, open] = [now(), windows.get(key)]
      return open && open.endsAt > time && open.count >= max ? Math.ceil((open.endsAt - time) / 1000) : null
    },
    takeBack(key) {
      const open = windows.get(key)
      if (open && open.count > 0) open.count -= 1
    },
    isOpen: (key) => (windows.get(key)?.endsAt ?? 0) > now(),
  }
}
