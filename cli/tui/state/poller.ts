/** In milliseconds; what is added at random keeps many terminals from asking all at once. */
const pace = { online: { least: 10_000, more: 20_000 }, offline: { least: 30_000, more: 30_000 } } as const
/** A look away that was shorter needs no question at once. In milliseconds. */
const glance = 5000

export interface PollerOptions {
  /** Never fails: what goes wrong is part of what it finds out. */
  readonly poll: () => Promise<void>
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

  readonly #ask = async (): Promise<void> => {
    if (!this.#isRunning || this.#isAsking) return
    clearTimeout(this.#timer)
    this.#isAsking = true
    await this.#options.poll().finally(() => {
      this.#askedAt = Date.now()
      this.#isAsking = false
      this.#plan()
    })
  }

  #plan(): void {
    clearTimeout(this.#timer)
    if (!this.#isRunning || !this.#isWatched || this.#isAsking) return
    const { isOffline, random = Math.random } = this.#options
    const { least, more } = pace[isOffline() ? 'offline' : 'online']
    this.#timer = setTimeout(() => void this.#ask(), least + more * random())
  }
}
