import { useStdin } from 'ink'
import { useEffect } from 'react'
import type { AppStore } from '../state/app-store.ts'
import { Keyboard } from '../terminal/keyboard.ts'

/** Keeps what is known of accounts and sessions true as long as the terminal is looked at. */
export function usePolling(store: AppStore): void {
  const { stdin } = useStdin()
  useEffect(() => {
    const isOffline = () => store.state.link === 'offline'
    const poller = new Poller({ poll: () => store.poll(), isOffline })
    const focus = (isFocused: boolean) => poller.watched(isFocused)
    const keyboard = stdin instanceof Keyboard ? stdin : undefined
    keyboard?.on('focus', focus)
    poller.start()
    const unsubscribe = whenBack(store, () => poller.soon())
    return () => {
      unsubscribe()
      poller.stop()
      keyboard?.off('focus', focus)
    }
  }, [store, stdin])
}

/** Calls that each time the service is there again, whoever asked it. */
function whenBack(store: AppStore, act: () => void): () => void {
  let { link } = store.state
  return store.subscribe(() => {
    const before = link
    link = store.state.link
    if (before === 'offline' && link === 'online') act()
  })
}

/** In milliseconds; what is added at random keeps many terminals from asking all at once. */
const pace = {
  online: { least: 10_000, more: 20_000 },
  offline: { least: 30_000, more: 30_000 },
  back: { least: 1000, more: 0 },
} as const
/** A look away that was shorter needs no question at once. In milliseconds. */
const glance = 5000

export interface PollerOptions {
  /** Whether it asked: not while somebody else does. Never fails: what goes wrong is part of what it finds out. */
  readonly poll: () => Promise<boolean>
  readonly isOffline: () => boolean
  readonly random?: () => number
}

/** Asks every now and then, one question at a time, slower while nobody answers and not at all while nobody looks. */
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

  /** Terminals that do not tell whether they are looked at are taken as looked at. */
  watched(isWatched: boolean): void {
    if (isWatched === this.#isWatched) return
    this.#isWatched = isWatched
    if (isWatched && Date.now() - this.#askedAt >= glance) void this.#ask()
    else this.#plan()
  }

  /** Somebody was answered again: what is shown is not to stay of before for long. */
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

  #plan(at: keyof typeof pace = this.#options.isOffline() ? 'offline' : 'online'): void {
    clearTimeout(this.#timer)
    if (!this.#isRunning || !this.#isWatched || this.#isAsking) return
    const { random = Math.random } = this.#options
    const { least, more } = pace[at]
    this.#timer = setTimeout(() => void this.#ask(), least + more * random())
  }
}
