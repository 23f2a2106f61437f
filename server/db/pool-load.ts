/** The load of a pool. A connection carries one query or one transaction at a time; everything above that waits. */
export class PoolLoad {
  readonly connections: number
  #asked = 0

  constructor(connections: number) {
    this.connections = connections
  }

  get used(): number {
    return Math.min(this.#asked, this.connections)
  }

  get waiting(): number {
    return this.#asked - this.used
  }

  /** Counts work until it settles. */
  watch<T extends PromiseLike<unknown>>(work: T): T {
    this.#asked += 1
    const settle = () => {
      this.#asked -= 1
    }
    work.then(settle, settle)
    return work
  }
}
