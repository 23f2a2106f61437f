import { type Answer, isToldToReturn } from './connections.ts'

/** How long answers took, in milliseconds. */
export interface Waits {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** Answers of one kind within a minute, or over a whole load. */
class Kind {
  readonly waits: number[] = []
  /** Of those that were refused. */
  readonly refusals: number[] = []
  readonly statuses = new Map<number, number>()
  /** Refusals that do not say when to come back. */
  hasteless = 0
}

export interface KindFigures {
  /** Of those with status 200. */
  readonly served: Waits
  readonly refused: Waits
  readonly statuses: Readonly<Record<string, number>>
  readonly withoutRetryAfter: number
}

const refusing = new Set([429, 503])

/** What became of all requests of a load, by kind and by minute. */
export class Tally {
  #minute = new Map<string, Kind>()
  readonly #closed: Map<string, Kind>[] = []
  /** Answers that belong to somebody else, or say something wrong. The first few are kept. */
  readonly wrong: string[] = []
  wrongCount = 0
  /** Answers that nobody should get. */
  readonly unexpected: string[] = []
  unexpectedCount = 0

  /** Undefined: there was no answer. */
  note(kind: string, ms: number, answer: Answer | undefined): void {
    const one = this.#minute.get(kind) ?? new Kind()
    this.#minute.set(kind, one)
    const status = answer?.status ?? 0
    one.statuses.set(status, (one.statuses.get(status) ?? 0) + 1)
    if (status === 200) one.waits.push(ms)
    if (!answer || !refusing.has(status)) return
    one.refusals.push(ms)
    if (!isToldToReturn(answer)) one.hasteless += 1
  }

  tellWrong(text: string): void {
    this.wrongCount += 1
    if (this.wrong.length < 10) this.wrong.push(text.slice(0, 300))
  }

  tellUnexpected(text: string): void {
    this.unexpectedCount += 1
    if (this.unexpected.length < 10) this.unexpected.push(text.slice(0, 300))
  }

  closeMinute(): void {
    this.#closed.push(this.#minute)
    this.#minute = new Map()
  }

  /** By minute; a kind that was not asked for has no figures. */
  minutesOf(kind: string): readonly (KindFigures | undefined)[] {
    return this.#closed.map((minute) => {
      const one = minute.get(kind)
      return one && figuresOf([one])
    })
  }

  wholeOf(kind: string): KindFigures {
    return figuresOf([...this.#closed, this.#minute].flatMap((minute) => minute.get(kind) ?? []))
  }

  get kinds(): readonly string[] {
    return [...new Set([...this.#closed, this.#minute].flatMap((minute) => [...minute.keys()]))]
  }
}

function figuresOf(all: readonly Kind[]): KindFigures {
  const statuses: Record<string, number> = {}
  for (const { statuses: own } of all)
    for (const [status, count] of own) statuses[status] = (statuses[status] ?? 0) + count
  return {
    served: waitsOf(all.flatMap(({ waits }) => waits)),
    refused: waitsOf(all.flatMap(({ refusals }) => refusals)),
    statuses,
    withoutRetryAfter: all.reduce((sum, { hasteless }) => sum + hasteless, 0),
  }
}

function waitsOf(values: readonly number[]): Waits {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) }
}
