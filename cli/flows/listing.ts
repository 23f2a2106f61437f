import type { Column } from '../output/cell.ts'
import type { AnswerFields } from '../output/json.ts'
import type { Fields, ValuesOf } from './field.ts'
import type { Ports } from './ports.ts'

/** What a look says of itself: its command, its schema and the line that repeats it are made from it. */
interface LookFacts<F extends Fields> {
  /** The words of its command: `team list`. */
  readonly command: string
  /** A sentence for --help. */
  readonly summary: string
  readonly fields: F
  /** The path of the call that it makes, for the log of requests. */
  readonly call: string
  /** Fields of one thing, for `--json=a,b` and `schema`. */
  readonly answer: AnswerFields
  /** For --help: what stands behind those words. A line that names another command too is whole. */
  readonly examples: readonly string[]
}

/** A part of a list that may be long, and how to get at the next one. */
export interface Part<T> {
  readonly items: readonly T[]
  /** How many there are in all; null: nobody counted. */
  readonly total: number | null
  readonly next: { readonly value: string; readonly flags: readonly string[] } | null
}

/** A look at several things. */
export interface Listing<T extends object, F extends Fields = Fields> extends LookFacts<F> {
  readonly columns: readonly Column<T>[] | ((items: readonly T[]) => readonly Column<T>[])
  /** The field that `--quiet` prints; else `id`. */
  readonly id?: string
  /** Said where there is nothing. */
  readonly empty: string | ((values: ValuesOf<F>) => string)
  readonly list: (ports: Ports, values: ValuesOf<F>) => Promise<readonly T[] | Part<T>>
}

/** A look at one thing. */
export interface Sheet<T extends object, F extends Fields = Fields> extends LookFacts<F> {
  readonly columns: readonly Column<T>[]
  readonly view: (ports: Ports, values: ValuesOf<F>) => Promise<T>
}

/** A question that is answered by yes or no. */
export interface Check<F extends Fields = Fields> extends LookFacts<F> {
  readonly ask: (ports: Ports, values: ValuesOf<F>) => Promise<Verdict>
}

interface Verdict {
  readonly sentence: string
  readonly resource: object
  /** The answer is no: exit 5. */
  readonly isDenied?: boolean
}
