/** Keys that one statement asks for at the most. */
export const mostKeys = 32

/** Milliseconds; short beside the time that a statement may wait for a connection: who joins last has nearly all of it. */
const usualJoinTime = 100

/**
 * The keys that one statement asks for, and its parameter. The driver makes the text when it sends it, over a connection that
 * knows the statement: until then more keys may join.
 */
export class Batch {
  readonly keys: Set<string>
  readonly #closesAt: number
  #isOpen = true

  constructor(first: string, joinTime: number) {
    this.keys = new Set([first])
    this.#closesAt = performance.now() + joinTime
  }

  get isOpen(): boolean {
    return this.#isOpen && this.keys.size < mostKeys && performance.now() < this.#closesAt
  }

  close(): void {
    this.#isOpen = false
  }

  toString(): string {
    this.close()
    return [...this.keys].join(',')
  }
}

/** Asks for a whole batch with one statement. */
type Ask<Rows> = (batch: Batch) => Promise<Rows>

/**
 * Look-ups of one kind over one pool. The first is sent at once; those that come while it is under way are gathered until the
 * turn of the event loop ends, or until there is a connection for their statement. None waits for others to come.
 */
export class Batches<Rows> {
  readonly #ask: Ask<Rows>
  readonly #joinTime: number
  #underWay = 0
  #last: { readonly batch: Batch; readonly rows: Promise<Rows> } | undefined

  constructor(ask: Ask<Rows>, joinTime = usualJoinTime) {
    this.#ask = ask
    this.#joinTime = joinTime
  }

  /** The rows of the batch that takes the key in. What goes wrong with the statement goes wrong for everybody in it. */
  join(key: string): Promise<Rows> {
    if (this.#last?.batch.isOpen) this.#last.batch.keys.add(key)
    else this.#last = this.#begin(key)
    return this.#last.rows
  }

  #begin(key: string) {
    const batch = new Batch(key, this.#joinTime)
    return { batch, rows: this.#send(batch) }
  }

  async #send(batch: Batch): Promise<Rows> {
    if (this.#underWay > 0) await endOfTurn()
    this.#underWay += 1
    try {
      return await this.#ask(batch)
    } finally {
      // One that found no connection, too: who comes next asks anew.
      this.#underWay -= 1
      batch.close()
      if (this.#last?.batch === batch) this.#last = undefined
    }
  }
}

/** When everything has been read that lay ready. */
const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
