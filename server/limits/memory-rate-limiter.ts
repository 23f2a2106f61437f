import { copyText } from '../memory/copy-text.ts'
import type { RateLimit } from '../settings/rate-limits.ts'

/** Counts by key within a window. */
export interface RateLimiter {
  /** Counts one use. The seconds to wait, or null when it is allowed. */
  count(key: string): number | null | Promise<number | null>
  /** Refunds one use. */
  refund(key: string): void
  /** Opens a window for the key without counting a use. */
  open(key: string): void
  /** Whether the key's window is open. */
  isOpen(key: string): boolean
}

/** The uses of a key, and when its window ends, by the limiter's clock. */
export interface CountWindow {
  count: number
  readonly endsAt: number
}

/** A rate limiter in bounded memory. */
export interface MemoryRateLimiter extends RateLimiter {
  count(key: string): number | null
  /** The seconds until one more use is allowed, or null when it is now. Counts nothing. */
  secondsUntilRoom(key: string): number | null
  /** Removes a key's open window and returns it. Null without one. */
  take(key: string): CountWindow | null
  /** All open windows, and the way back. */
  windows(): readonly (readonly [key: string, window: CountWindow])[]
  restore(windows: readonly (readonly [key: string, window: CountWindow])[]): void
}

/** About 10 MB at most. Beyond that the oldest windows are dropped first. */
const capacity = 50_000

type Windows = Map<string, CountWindow>

/**
 * Windows of the same length end in insertion order. Behind a longer one, which was restored from a limit that has since
 * changed, some that have ended stay for a while. Leaves room for one more.
 */
export function dropEnded(windows: Map<string, { readonly endsAt: number }>, time: number): void {
  for (const [key, { endsAt }] of windows) {
    if (endsAt > time && windows.size < capacity) return
    windows.delete(key)
  }
}

export function createMemoryRateLimiter(now: () => number, { max, window }: RateLimit): MemoryRateLimiter {
  const windows: Windows = new Map()
  const isOpen = (key: string) => (windows.get(key)?.endsAt ?? 0) > now()
  const openWindow = (key: string, time: number): CountWindow => {
    dropEnded(windows, time)
    const found = windows.get(key)
    if (found && found.endsAt > time) return found
    const open = { count: 0, endsAt: time + window * 1000 }
    windows.delete(key)
    windows.set(copyText(key), open)
    return open
  }
  return {
    count(key) {
      const time = now()
      const open = openWindow(key, time)
      open.count += 1
      return open.count > max ? Math.ceil((open.endsAt - time) / 1000) : null
    },
    open: (key) => void openWindow(key, now()),
    secondsUntilRoom(key) {
      const [time, open] = [now(), windows.get(key)]
      return open && open.endsAt > time && open.count >= max ? Math.ceil((open.endsAt - time) / 1000) : null
    },
    refund(key) {
      const open = windows.get(key)
      if (open && open.count > 0) open.count -= 1
    },
    isOpen,
    take(key) {
      const open = isOpen(key) ? windows.get(key) : undefined
      windows.delete(key)
      return open ?? null
    },
    windows: () => [...windows],
    restore: (given) => given.forEach(([key, open]) => void windows.set(key, open)),
  }
}
