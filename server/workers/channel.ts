/** One end of the pipe between two processes: `process` in a worker, the `Worker` in the primary. */
export interface Port {
  send?(message: unknown, whenSent: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
}

type Calls<T> = Record<keyof T, (...given: never[]) => unknown>
type Given<T, Name extends keyof T> = T[Name] extends (...given: infer P) => unknown ? P : never
type Answer<T, Name extends keyof T> = T[Name] extends (...given: never) => infer R ? Awaited<R> : never

/** `id` is absent when nobody waits for the answer. */
interface Question {
  readonly name: string
  readonly given: readonly unknown[]
  readonly id?: number
}

interface Reply {
  readonly to: number
  readonly answer?: unknown
  readonly error?: string
}

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

/**
 * Calls between two processes. What one turn of the event loop sends travels in one message, so that a busy worker pays
 * for few writes.
 */
export class Channel<Own extends Calls<Own>, Other extends Calls<Other>> {
  readonly #port: Port
  readonly #own: Own
  readonly #waiting = new Map<number, Waiting>()
  #outgoing: (Question | Reply)[] = []
  #asked = 0
  #isClosed = false

  constructor(port: Port, own: Own) {
    this.#port = port
    this.#own = own
    port.on('message', (batch) => {
      // Libraries may send messages of their own.
      if (Array.isArray(batch)) for (const one of batch as (Question | Reply)[]) this.#receive(one)
    })
  }

  /** Rejects when the other process ends, or fails, before it has answered. */
  ask<Name extends keyof Other & string>(name: Name, ...given: Given<Other, Name>): Promise<Answer<Other, Name>> {
    if (this.#isClosed) return Promise.reject(gone())
    this.#asked += 1
    const id = this.#asked
    this.#put({ name, given, id })
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  tell<Name extends keyof Other & string>(name: Name, ...given: Given<Other, Name>): void {
    if (!this.#isClosed) this.#put({ name, given })
  }

  /** Call when the other process has ended. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(gone())
    this.#waiting.clear()
  }

  /** Sends now what would be sent after this turn of the event loop. */
  flush(): Promise<void> {
    const batch = this.#outgoing
    this.#outgoing = []
    if (batch.length === 0 || this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      // A pipe that is closed is noticed by the end of the process behind it.
      if (this.#port.send) this.#port.send(batch, () => resolve())
      else resolve()
    })
  }

  #put(message: Question | Reply): void {
    if (this.#outgoing.length === 0) setImmediate(() => void this.flush())
    this.#outgoing.push(message)
  }

  #receive(message: Question | Reply): void {
    if ('to' in message) this.#settle(message)
    else void this.#answer(message)
  }

  #settle({ to, answer, error }: Reply): void {
    const waiting = this.#waiting.get(to)
    this.#waiting.delete(to)
    if (error === undefined) waiting?.resolve(answer as never)
    else waiting?.reject(new Error(error))
  }

  async #answer({ name, given, id }: Question): Promise<void> {
    try {
      const answer = await this.#own[name as keyof Own](...(given as never[]))
      if (id !== undefined) this.#put({ to: id, answer })
    } catch (error) {
      if (id === undefined) throw error
      this.#put({ to: id, error: String(error) })
    }
  }
}

const gone = () => new Error('the other process has ended')
