/** Tracks work that the user started and waits for. */
export class Activity {
  #running = 0
  #begun = 0
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

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#begun += 1
    this.#change(1)
    try {
      return await work()
    } finally {
      this.#change(-1)
    }
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
    for (const listener of this.#listeners) listener()
  }
}
