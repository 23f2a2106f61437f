import { useStdin } from 'ink'
import { useEffect } from 'react'
import type { AppStore } from '../state/app-store.ts'
import { Keyboard } from '../terminal/keyboard.ts'

/** Keeps accounts and sessions up to date while the terminal has the focus. */
export function usePolling(store: AppStore): void {
  const { stdin } = useStdin()
  useEffect(() => {
    const isOffline = () => store.state.link === 'offline'
    const poller = new Poller({ poll: () => store.poll(), isOffline })
    const focus = (isFocused: boolean) => poller.watched(isFocused)
    const keyboard = stdin instanceof Keyboard ? stdin : undefined
    keyboard?.on('focus', focus)
    poller.start()
    const looking = setInterval(() => void store.look(), lookTime)
    const unsubscribe = whenBack(store, () => poller.soon())
    return () => {
      unsubscribe()
      clearInterval(looking)
      poller.stop()
      keyboard?.off('focus', focus)
    }
  }, [store, stdin])
}

/** Milliseconds between two looks at this machine's files, where another terminal may have changed the account. */
const lookTime = 2000

/** Calls `act` whenever the service answers again after an outage. */
function whenBack(store: AppStore, act: () => void): () => void {
  let { link } = store.state
  return store.subscribe(() => {
    const before = link
    link = store.state.link
    if (before === 'offline' && link === 'online') act()
  })
}

/** In milliseconds. The random part keeps many terminals from polling at the same time. */
const intervals = {
  online: { least: 10_000, more: 20_000 },
  offline: { least: 30_000, more: 30_000 },
  back: { least: 1000, more: 0 },
} as const
/** Milliseconds. After a shorter loss of focus, the next poll does not come early. */
const shortAbsence = 5000

export interface PollerOptions {
  /**
   * Returns whether it polled, which it does not while the user waits for an action. Never rejects: failures are part
   * of the result.
   */
  readonly poll: () => Promise<boolean>
  readonly isOffline: () => boolean
  readonly random?: () => number
}

/**
 * Polls at intervals, one poll at a time: slower while the service does not answer, and not at all while the terminal
 * has no focus.
 */
export class Poller {
  readonly #options: PollerOptions
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #isWatched = true
  #isAsking = false
  #askedAt = Date.now()

  constructor(options: PollerOptions) {
    this.#options = options
  }

  start(): void {
    this.#isRunning = true
    this.#plan()
  }

  stop(): void {
    this.#isRunning = false
    clearTimeout(this.#timer)
  }

  /** Terminals that do not report their focus count as focused. */
  watched(isWatched: boolean): void {
    if (isWatched === this.#isWatched) return
    this.#isWatched = isWatched
    if (isWatched && Date.now() - this.#askedAt >= shortAbsence) void this.#ask()
    else this.#plan()
  }

  /** The service answers again, so outdated data is refreshed soon. */
  soon(): void {
    this.#plan('back')
  }

  readonly #ask = async (): Promise<void> => {
    if (!this.#isRunning || this.#isAsking) return
    clearTimeout(this.#timer)
    this.#isAsking = true
    let hasAsked = true
    try {
      hasAsked = await this.#options.poll()
    } finally {
      if (hasAsked) this.#askedAt = Date.now()
      this.#isAsking = false
      this.#plan(hasAsked ? undefined : 'back')
    }
  }

  #plan(at: keyof typeof intervals = this.#options.isOffline() ? 'offline' : 'online'): void {
    clearTimeout(this.#timer)
    if (!this.#isRunning || !this.#isWatched || this.#isAsking) return
    const { random = Math.random } = this.#options
    const { least, more } = intervals[at]
    this.#timer = setTimeout(() => void this.#ask(), least + more * random())
  }
}
