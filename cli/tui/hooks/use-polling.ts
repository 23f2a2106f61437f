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
    const unsubscribe = whenLinked(store, (isBack) => (isBack ? poller.soon() : poller.lost()))
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

/** Calls `act` whenever the service answers again after an outage, and whenever it stops answering. */
function whenLinked(store: AppStore, act: (isBack: boolean) => void): () => void {
  let { link } = store.state
  return store.subscribe(() => {
    const before = link
    link = store.state.link
    if (before === 'offline' && link === 'online') act(true)
    if (before === 'online' && link === 'offline') act(false)
  })
}

/** In milliseconds. The random part keeps many terminals from polling at the same time. */
const intervals = {
  online: { least: 10_000, more: 20_000 },
  back: { least: 1000, more: 0 },
} as const
/**
 * A short outage is seen to end at once. During a long one, each interval is twice the one before, up to the longest.
 */
const offline = { first: 2000, longest: 30_000 }
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
 * Polls at intervals, one poll at a time: ever slower while the service does not answer, and not at all while the
 * terminal has no focus.
 */
export class Poller {
  readonly #options: PollerOptions
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #isWatched = true
  #isAsking = false
  /** Polls in a row without an answer, since the one that found the outage. */
  #misses = 0
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

  /** The service has stopped answering, which may be over soon. */
  lost(): void {
    this.#misses = 0
    this.#plan()
  }

  /** The service answers again, so outdated data is refreshed soon. */
  soon(): void {
    this.#plan('back')
  }

  readonly #ask = async (): Promise<void> => {
    if (!this.#isRunning || this.#isAsking) return
    clearTimeout(this.#timer)
    this.#isAsking = true
    const wasOffline = this.#options.isOffline()
    let hasAsked = true
    try {
      hasAsked = await this.#options.poll()
    } finally {
      if (hasAsked) this.#askedAt = Date.now()
      this.#isAsking = false
      this.#misses = wasOffline && this.#options.isOffline() ? this.#misses + 1 : 0
      this.#plan(hasAsked ? undefined : 'back')
    }
  }

  #plan(at?: keyof typeof intervals): void {
    clearTimeout(this.#timer)
    if (!this.#isRunning || !this.#isWatched || this.#isAsking) return
    const { random = Math.random } = this.#options
    const { least, more } = at ? intervals[at] : this.#interval()
    this.#timer = setTimeout(() => void this.#ask(), least + more * random())
  }
  #interval() {
    if (!this.#options.isOffline()) return intervals.online
    const least = Math.min(offline.longest, offline.first * 2 ** this.#misses)
    return { least, more: least }
  }
}
