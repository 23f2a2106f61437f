import { isDeepStrictEqual } from 'node:util'
import type { JobQueue } from './fair-queue.ts'

interface Waiting<Answer> {
  readonly question: unknown
  readonly answer: Promise<Answer>
}

/**
 * A queue in which equal questions of one sender share an answer while they wait for their turn. Making it begins after
 * each of them was asked, so it is as recent as one that each would have got alone.
 */
export class SharedAnswers<Answer> {
  readonly #queue: JobQueue
  readonly #lines = new Map<string, Set<Waiting<Answer>>>()

  constructor(queue: JobQueue) {
    this.#queue = queue
  }

  /** `question` is all that the answer depends on, besides what is stored. A failure is shared as well. */
  ask(question: unknown, sender: string, make: () => Promise<Answer>): Promise<Answer> {
    const line = this.#lines.get(sender) ?? new Set()
    for (const other of line) if (isDeepStrictEqual(other.question, question)) return other.answer
    const leave = () => {
      line.delete(own)
      if (line.size === 0) this.#lines.delete(sender)
    }
    const job = () => {
      leave()
      return make()
    }
    const own: Waiting<Answer> = { question, answer: this.#queue.run(job, sender) }
    this.#lines.set(sender, line.add(own))
    own.answer.catch(leave)
    return own.answer
  }
}
