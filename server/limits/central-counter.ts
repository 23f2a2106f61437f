import type { RateLimit } from '../settings/rate-limits.ts'
import type { CountWindow } from './memory-rate-limiter.ts'
import type { SharedCount } from './shared-rate-limiter.ts'

interface Options {
  readonly now: () => number
  readonly limit: RateLimit
  /** Takes over what each worker has counted of a key. */
  readonly collect: (key: string) => Promise<readonly CountWindow[]>
}

const capacity = 50_000

/** Counts for all workers the keys that one of them has used up its own share of. */
export class CentralCounter {
  /** May change: windows that are open keep their count and their end. */
  limit: RateLimit
  readonly #options: Omit<Options, 'limit'>
  readonly #windows = new Map<string, CountWindow | Promise<CountWindow>>()

  constructor({ limit, ...options }: Options) {
    this.limit = limit
    this.#options = options
  }

  async count(key: string): Promise<SharedCount> {
    const { now } = this.#options
    const open = await this.#windowOf(key)
    open.count += 1
    const retryAfter = open.count > this.limit.max ? Math.max(1, Math.ceil((open.endsAt - now()) / 1000)) : null
    return { retryAfter, endsAt: open.endsAt }
  }

  async refund(key: string): Promise<void> {
    const open = await this.#windows.get(key)
    if (open && open.count > 0) open.count -= 1
  }

  #windowOf(key: string): CountWindow | Promise<CountWindow> {
    const found = this.#windows.get(key)
    if (found && (found instanceof Promise || found.endsAt > this.#options.now())) return found
    this.#sweep()
    const opening = this.#open(key)
    this.#windows.set(key, opening)
    return opening
  }

  async #open(key: string): Promise<CountWindow> {
    const { now, collect } = this.#options
    const counted = await collect(key)
    const endsAt = Math.min(now() + this.limit.window * 1000, ...counted.map((one) => one.endsAt))
    const window = { count: counted.reduce((sum, one) => sum + one.count, 0), endsAt }
    this.#windows.set(key, window)
    return window
  }

  /** All windows have about the same length, so the first ones end first. */
  #sweep(): void {
    const time = this.#options.now()
    for (const [key, window] of this.#windows) {
      if (window instanceof Promise || (window.endsAt > time && this.#windows.size < capacity)) return
      this.#windows.delete(key)
    }
  }
}
