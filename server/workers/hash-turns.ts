import type { JobQueue } from '../limits/fair-queue.ts'

/** The turns that one worker has in the queue of password hashes, which the primary keeps for all workers. */
export class HashTurns {
  readonly #queue: JobQueue
  readonly #ends = new Map<number, () => void>()
  #given = 0
  #isGone = false

  constructor(queue: JobQueue) {
    this.#queue = queue
  }

  /** The number of the turn once it has come, or why there is none. */
  take(sender?: string | null): Promise<number | string> {
    return new Promise((resolve) => {
      const untilDone = () => new Promise<void>((done) => resolve(this.#begin(done)))
      // An absent value arrives as null.
      this.#queue.run(untilDone, sender ?? undefined).catch(({ cause }: Error) => resolve(String(cause)))
    })
  }

  end(turn: number): void {
    this.#ends.get(turn)?.()
    this.#ends.delete(turn)
  }

  /** The worker is gone: its turns end, and those that it still waits for take no place. */
  endAll(): void {
    this.#isGone = true
    for (const done of this.#ends.values()) done()
    this.#ends.clear()
  }

  #begin(done: () => void): number {
    this.#given += 1
    if (this.#isGone) done()
    else this.#ends.set(this.#given, done)
    return this.#given
  }
}
