import type { Column } from '../output/cell.ts'
import type { CliError } from '../output/cli-error.ts'

/** One look at a list. */
export interface Look<T> {
  readonly items: readonly T[]
  readonly columns: readonly Column<T>[]
  /** Below the list: that it is empty, or only a part. */
  readonly note: string | undefined
}

/** Shows the looks at a list in the form that its reader asked for. */
export interface Viewer<T> {
  readonly show: (look: Look<T>) => void | Promise<void>
  /** Undefined when it is over. */
  readonly outage: (fault: CliError | undefined) => void
  readonly close: () => void
}
