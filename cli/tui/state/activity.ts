import { countText } from '../../output/words.ts'
import type { Stoppable } from './stoppable.ts'

/** Tracks work that the user started and waits for. */
export class Activity {
  #running = 0
  #begun = 0
  #progress: string | undefined
  /** What runs for several, with the screen that it was begun on. */
  readonly #stoppables = new Map<Stoppable, string>()
  /** What must not run twice at the same time, on whatever screen it was begun. */
  readonly #single = new Set<string>()
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly isBusy = (): boolean => this.#running > 0

  /** How often work was started. */
  get begun(): number {
    return this.#begun
  }

  /** `12 of 402`, while the work consists of several calls. */
  readonly progress = (): string | undefined => this.#progress

  readonly tellProgress = (done: number, total: number): void => {
    this.#progress = `${countText(done)} of ${countText(total)}`
    this.#tell()
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#begun += 1
    this.#change(1)
    try {
      return await work()
    } finally {
      this.#change(-1)
    }
  }

  /** The same for several, which `stop` of that screen ends early. */
  async duringSeveral<T>(stoppable: Stoppable, screenKey: string, work: () => Promise<T>): Promise<T> {
    this.#stoppables.set(stoppable, screenKey)
    return this.during(work).finally(() => this.#stoppables.delete(stoppable))
  }

  /** Lets no more begin of what was begun on that screen. Returns whether there was something to stop. */
  readonly stop = (screenKey: string): boolean =>
    [...this.#stoppables].filter(([stoppable, begunOn]) => begunOn === screenKey && stoppable.stop()).length > 0

  /** Returns whether it was begun, which it is not while the same still runs. */
  beginOnce(key: string, work: () => Promise<void>): boolean {
    if (this.#single.has(key)) return false
    this.#single.add(key)
    void work().finally(() => this.#single.delete(key))
    return true
  }

  async whenIdle(): Promise<void> {
    while (this.isBusy()) await this.#nextChange()
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = this.subscribe(() => {
        unsubscribe()
        resolve()
      })
    })
  }

  #change(by: 1 | -1): void {
    this.#running += by
    if (!this.isBusy()) this.#progress = undefined
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
