import type { Column } from '../output/cell.ts'
import type { AnswerFields } from '../output/json.ts'
import type { Fields, ValuesOf } from './field.ts'
import type { SelectingFlag } from './flow.ts'
import type { FlowContext } from './flow-context.ts'

/** The facts of a read command: its command line, schema and repeatable line are derived from it. */
export interface LookFacts<F extends Fields = Fields> {
  /** The words of its command: `team list`. */
  readonly command: string
  /** A sentence for --help. */
  readonly summary: string
  readonly fields: F
  /** The path of its call, for the log of requests. */
  readonly call: string
  /** The global flags that it uses, beside those of its call and its session. */
  readonly globalFlags?: readonly SelectingFlag[]
  /** The fields of one item, for `--json=a,b` and `schema`. */
  readonly answer: AnswerFields
  /** For --help: the text after the command's own words. A line that starts another command first is whole. */
  readonly examples: readonly string[]
}

/** Part of a long list, and how to get the next part. */
export interface ListPart<T> {
  readonly items: readonly T[]
  /** The total number; null if unknown. */
  readonly total: number | null
  readonly next: { readonly value: string; readonly flags: readonly string[] } | null
}

/** A command that lists items. */
export interface Listing<T extends object, F extends Fields = Fields> extends LookFacts<F> {
  readonly columns: readonly Column<T>[] | ((items: readonly T[]) => readonly Column<T>[])
  /** The field that `--quiet` prints; default: `id`. */
  readonly id?: string
  /** Shown when there is no data. */
  readonly empty: string | ((values: ValuesOf<F>) => string)
  readonly list: (context: FlowContext, values: ValuesOf<F>) => Promise<readonly T[] | ListPart<T>>
}

/** A command that shows one item. */
export interface Sheet<T extends object, F extends Fields = Fields> extends LookFacts<F> {
  readonly columns: readonly Column<T>[]
  readonly view: (context: FlowContext, values: ValuesOf<F>) => Promise<T>
}

/** A command that answers yes or no. */
export interface Check<F extends Fields = Fields> extends LookFacts<F> {
  readonly ask: (context: FlowContext, values: ValuesOf<F>) => Promise<Verdict>
}

interface Verdict {
  readonly sentence: string
  readonly resource: object
  /** The answer is no: exit 5. */
  readonly isDenied?: boolean
}
