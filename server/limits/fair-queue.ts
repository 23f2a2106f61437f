import { isDeepStrictEqual } from 'node:util'
import type { Failure } from '../../shared/failure.ts'

export interface FairQueueLimits {
  /** The maximum number of concurrent jobs. */
  readonly running: number
  readonly waiting: number
  /** Maximum wait for a turn, in milliseconds. */
  readonly timeout: number
  /** The maximum that one sender may have of each. */
  readonly runningEach: number
  readonly waitingEach: number
  /** The failure for a refused job, thrown before anything is done. The reason is for the log. */
  readonly busy: (reason: string) => Failure
}

interface Waiter {
  readonly question: unknown
  /** Its turn has come, or with `shared` somebody else's who asked the same. */
  readonly start: (shared?: Shared) => void
  readonly giveUp: (reason: string) => void
  readonly timer: NodeJS.Timeout
}

/** The answer of a job that began after this one was asked for. In an object, so that nobody awaits it by accident. */
interface Shared {
  readonly answer: Promise<unknown>
}

/** The jobs of one sender. */
interface Line {
  readonly sender: string | undefined
  running: number
  /** Jobs that are being prepared. */
  expected: number
  readonly waiters: Set<Waiter>
}

interface QueueLoad {
  readonly running: number
  readonly waiting: number
  /** Jobs refused since the start. */
  readonly refused: number
}

/** Runs jobs in turns. */
export interface JobQueue extends QueueLoad {
  /**
   * Runs a job in its sender's turn. A job without a sender can take any free place. `question` is all that the answer
   * depends on, besides what is stored: when the turn of one comes, those of this sender that wait with an equal question
   * get its answer, or its failure.
   */
  run<T>(job: () => Promise<T>, sender?: string, question?: unknown): Promise<T>
  /**
   * Does what has to be known before a job can be run. Refuses at once when the job would find no place: a flood must
   * not cost the database what it cannot cost the queue.
   */
  prepare<T>(work: () => Promise<T>, sender?: string): Promise<T>
}

/** A bounded queue whose senders take turns: a busy sender's jobs wait for each other and delay nobody else's. */
export class FairQueue implements JobQueue {
  /** May change: jobs that run or wait stay. */
  limits: FairQueueLimits
  /** The first sender has the next turn. */
  readonly #lines = new Map<string | undefined, Line>()
  #running = 0
  #waiting = 0
  #expected = 0
  #refused = 0

  constructor(limits: FairQueueLimits) {
    this.limits = limits
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  get refused(): number {
    return this.#refused
  }

  async run<T>(job: () => Promise<T>, sender?: string, question?: unknown): Promise<T> {
    const line = this.#lineOf(sender)
    const shared = await this.#admit(line, question)
    if (shared) return shared.answer as Promise<T>
    try {
      const answer = job()
      this.#share(line, question, answer)
      // The job keeps its place until it ends, even after its client has disconnected.
      return await answer
    } finally {
      this.#running -= 1
      line.running -= 1
      this.#startNext()
      this.#tidy(line)
    }
  }

  async prepare<T>(work: () => Promise<T>, sender?: string): Promise<T> {
    const line = this.#lineOf(sender)
    if (!this.#mayExpect(line)) throw this.#refusal('too many are waiting')
    this.#lines.set(sender, line)
    this.#expected += 1
    line.expected += 1
    try {
      return await work()
    } finally {
      this.#expected -= 1
      line.expected -= 1
      this.#tidy(line)
    }
  }

  #lineOf(sender: string | undefined): Line {
    return this.#lines.get(sender) ?? { sender, running: 0, expected: 0, waiters: new Set() }
  }

  /** Whether one more job would find a place if all that are being prepared came now. */
  #mayExpect({ sender, running, waiters, expected }: Line): boolean {
    const limits = this.limits
    const places = limits.running + limits.waiting
    const own = running + waiters.size + expected
    if (this.#expected >= places) return false
    if (sender !== undefined && own >= limits.runningEach + limits.waitingEach) return false
    const taken = this.#running + this.#waiting + this.#expected
    return taken < places || this.#lastOfLongest(waiters.size + expected + 1) !== undefined
  }

  async #admit(line: Line, question: unknown): Promise<Shared | undefined> {
    const isFree = this.#mayRun(line)
    if (!isFree && !this.#hasRoom(line)) throw this.#refusal('too many are waiting')
    this.#lines.set(line.sender, line)
    if (!isFree) return this.#turn(line, question)
    this.#take(line)
    return undefined
  }

  #share(line: Line, question: unknown, answer: Promise<unknown>): void {
    if (question === undefined) return
    for (const waiter of line.waiters) {
      if (!isDeepStrictEqual(waiter.question, question)) continue
      this.#leave(line, waiter)
      waiter.start({ answer })
    }
  }

  #mayRun({ sender, running }: Line): boolean {
    return this.#running < this.limits.running && (sender === undefined || running < this.limits.runningEach)
  }

  /**
   * When all places are taken, the last job of the longest line is refused to make room for a sender with fewer jobs.
   */
  #hasRoom({ sender, waiters }: Line): boolean {
    const { waiting, waitingEach } = this.limits
    if (sender !== undefined && waiters.size >= waitingEach) return false
    if (this.#waiting < waiting) return true
    const last = this.#lastOfLongest(waiters.size + 1)
    last?.giveUp('gave its place to a sender with fewer jobs')
    return last !== undefined
  }

  /** The last job of the longest line that belongs to a sender and is longer than `length`. */
  #lastOfLongest(length: number): Waiter | undefined {
    let longest: ReadonlySet<Waiter> = new Set()
    for (const { sender, waiters } of this.#lines.values())
      if (sender !== undefined && waiters.size > Math.max(length, longest.size)) longest = waiters
    return [...longest].at(-1)
  }

  #take(line: Line): void {
    this.#running += 1
    line.running += 1
  }

  #turn(line: Line, question: unknown): Promise<Shared | undefined> {
    return new Promise((resolve, reject) => {
      const giveUp = (reason: string) => {
        this.#leave(line, waiter)
        this.#tidy(line)
        reject(this.#refusal(reason))
      }
      const { timeout } = this.limits
      const timer = setTimeout(giveUp, timeout, `had no turn within ${timeout} ms`)
      const waiter: Waiter = { question, start: resolve, giveUp, timer }
      line.waiters.add(waiter)
      this.#waiting += 1
    })
  }

  #refusal(reason: string): Failure {
    this.#refused += 1
    return this.limits.busy(reason)
  }

  #leave(line: Line, waiter: Waiter): void {
    clearTimeout(waiter.timer)
    line.waiters.delete(waiter)
    this.#waiting -= 1
  }

  /** Gives the place directly to the next waiter, so that no newcomer can take it. */
  #startNext(): void {
    for (const line of this.#lines.values()) {
      const [next] = line.waiters
      if (!next || !this.#mayRun(line)) continue
      this.#leave(line, next)
      this.#take(line)
      // Moves the sender to the end: the other senders come first now.
      this.#lines.delete(line.sender)
      this.#lines.set(line.sender, line)
      next.start()
      return
    }
  }

  #tidy({ sender, running, expected, waiters }: Line): void {
    if (running === 0 && expected === 0 && waiters.size === 0) this.#lines.delete(sender)
  }
}
