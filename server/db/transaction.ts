import type { Sql } from './connect.ts'
import { asFailure, isConflict } from './outage.ts'

const maxTries = 3

/**
 * Runs statements that belong together on one connection; a failure thrown by `work` undoes them all, and queries of `work`
 * after its end are refused. Begun again, twice at most, when the server chose it to end a deadlock. Never begin one inside
 * another: it would wait for a second connection.
 */
export const transaction = <T>(sql: Sql, work: (tx: Sql) => Promise<T>): Promise<T> =>
  retryConflict(
    () => sql.begin((tx) => work(Object.assign(tx as unknown as Sql, { distrust: sql.distrust }))) as Promise<T>,
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
