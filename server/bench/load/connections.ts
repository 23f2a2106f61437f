import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  /** With the status line. */
  readonly head: string
  readonly body: string
}

/** Nothing was done, and the request can be sent again. A refusal without it may have been done all the same. */
export const isToldToReturn = ({ head }: Answer): boolean => /\r\nretry-after: *\d+/i.test(head)

interface Job {
  readonly text: string
  readonly answered: (answer: Answer) => void
  readonly failed: (error: Error) => void
}

/** Milliseconds without an answer after which a request has failed. */
const patience = 30_000

/**
 * Connections to one server that stay open, each with one request at a time. A client library would take several times
 * the CPU, and the machine's cores are the service's.
 */
export class Connections {
  readonly #port: number
  readonly #most: number
  readonly #all = new Set<Connection>()
  readonly #idle: Connection[] = []
  readonly #waiting: Job[] = []
  readonly #watch: NodeJS.Timeout

  constructor(origin: string, most: number) {
    this.#port = Number(new URL(origin).port)
    this.#most = most
    this.#watch = setInterval(() => {
      for (const one of this.#all) one.endIfStuck()
    }, 1000).unref()
  }

  /** Sends a whole request of HTTP/1.1 as it is. */
  send(text: string): Promise<Answer> {
    return new Promise((answered, failed) => {
      const job = { text, answered, failed }
      const connection = this.#idle.pop() ?? this.#open()
      if (connection) connection.run(job)
      else this.#waiting.push(job)
    })
  }

  close(): void {
    clearInterval(this.#watch)
    for (const one of this.#all) one.end()
  }

  #open(): Connection | undefined {
    if (this.#all.size >= this.#most) return undefined
    const connection: Connection = new Connection(this.#port, {
      onIdle: () => {
        const next = this.#waiting.shift()
        if (next) connection.run(next)
        else this.#idle.push(connection)
      },
      onEnd: () => {
        this.#all.delete(connection)
        const place = this.#idle.indexOf(connection)
        if (place >= 0) this.#idle.splice(place, 1)
        const next = this.#waiting.shift()
        if (next) this.#open()?.run(next)
      },
    })
    this.#all.add(connection)
    return connection
  }
}

class Connection {
  readonly #socket: Socket
  readonly #onIdle: () => void
  #job: Job | undefined
  #since = 0
  #read = ''

  constructor(port: number, { onIdle, onEnd }: { readonly onIdle: () => void; readonly onEnd: () => void }) {
    this.#onIdle = onIdle
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#take(text))
    // `close` follows.
    this.#socket.on('error', () => undefined)
    this.#socket.once('close', () => {
      const job = this.#job
      this.#job = undefined
      onEnd()
      job?.failed(new Error('the connection was closed without an answer'))
    })
  }

  run(job: Job): void {
    this.#job = job
    this.#since = performance.now()
    this.#socket.write(job.text, 'latin1')
  }

  end(): void {
    this.#socket.destroy()
  }

  endIfStuck(): void {
    if (this.#job && performance.now() - this.#since > patience) this.end()
  }

  #take(text: string): void {
    this.#read += text
    const headEnd = this.#read.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = this.#read.slice(0, headEnd)
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
    // Each answer of the service says how long it is.
    if (length === undefined) {
      this.end()
      return
    }
    const end = headEnd + 4 + Number(length)
    if (this.#read.length < end) return
    const answer = { status: Number(head.slice(9, 12)), head, body: this.#read.slice(headEnd + 4, end) }
    const job = this.#job
    this.#job = undefined
    this.#read = ''
    this.#onIdle()
    job?.answered(answer)
  }
}
