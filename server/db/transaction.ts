import type { Sql } from './connect.ts'
import { withDeadlines } from './deadline.ts'
import { asFailure, isConflict, poolTimeout } from './outage.ts'

/** Milliseconds until a transaction must have begun; each statement in it has 5 s. */
const patience = 2000
const deadlines = { queue: patience, query: 5000 }
const mostTries = 3

/**
 * Runs statements that belong together on one connection; a failure thrown by `work` undoes them all. Begun again, twice at
 * most, when the server chose it to end a deadlock. Never begin one inside another: it would wait for a second connection.
 */
export const transaction = <T>(sql: Sql, work: (tx: Sql) => Promise<T>): Promise<T> =>
  retryConflict(() => runOnce(sql, work))

/** For a single statement that locks rows of several tables: once more, twice at most, when it was undone to end a deadlock. */
export async function retryConflict<T>(attempt: () => PromiseLike<T>, tries = mostTries): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (tries > 1 && isConflict(error)) return retryConflict(attempt, tries - 1)
    throw asFailure(error)
  }
}

function runOnce<T>(sql: Sql, work: (tx: Sql) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(poolTimeout())
    }, patience)
    const begun = sql.begin((tx) => {
      clearTimeout(timer)
      // Nobody waits for it any more: what has begun too late ends without doing anything.
      if (isLate) throw poolTimeout()
      return work(withDeadlines(tx as unknown as Sql, deadlines))
    })
    begun.then((value) => resolve(value as T), reject).finally(() => clearTimeout(timer))
  })
}
