import type { Act } from '../request/audit-event.ts'
import type { Sql } from './connect.ts'
import { asFailure, isConflict } from './outage.ts'

const maxTries = 3

/** A transaction, which events of a request can be told of. */
export type Tx = Sql & Act

/** What says that nothing was done: no row, no, or an outcome of another name. */
const isNothing = (result: unknown): boolean =>
  result === null ||
  result === false ||
  (typeof result === 'object' && 'outcome' in result && result.outcome !== 'done')

/**
 * Runs one statement, and logs the events that it wrote; none when it failed or answers that nothing was done. What belongs to
 * a transaction is told by that.
 */
export async function tellWhenKept<T>(work: (act: Act) => PromiseLike<T>): Promise<T> {
  const act: Act = { whenKept: [] }
  const result = await work(act)
  if (!isNothing(result)) for (const tell of act.whenKept) tellAnyway(tell)
  return result
}

/** What is kept does not fail because of its line in the log: the caller would do it again. */
function tellAnyway(tell: () => void): void {
  try {
    tell()
  } catch (error) {
    process.emitWarning(`An event could not be logged: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Runs statements that belong together on one connection; a failure thrown by `work` undoes them all, and queries of `work`
 * after its end are refused. Begun again, twice at most, when the server chose it to end a deadlock. Never begin one inside
 * another: it would wait for a second connection. Its events are logged once it is committed.
 */
export const transaction = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryConflict(() =>
    tellWhenKept(
      (act) =>
        sql.begin((tx) => work(Object.assign(tx as unknown as Sql, { distrust: sql.distrust, ...act }))) as Promise<T>,
    ),
  )

/** For a single statement that locks rows of several tables: once more, twice at most, when it was undone to end a deadlock. */
export async function retryConflict<T>(attempt: () => PromiseLike<T>, tries = maxTries): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (tries > 1 && isConflict(error)) return retryConflict(attempt, tries - 1)
    throw asFailure(error)
  }
}
