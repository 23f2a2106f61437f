import type { AuditEventName } from '../../shared/audit-events.ts'
import type { Act, Room } from '../request/audit-event.ts'
import type { Sql } from './connect.ts'
import { asFailure, isConflict } from './outage.ts'

const maxTries = 3

/** A transaction that tells of events of a request. */
export type Tx<E extends AuditEventName> = Sql & Act<E>

/**
 * Runs one statement, and logs the events that it wrote; none when it failed, or when `wasDone` says of its result that nothing
 * was done. What belongs to a transaction is told by that.
 */
export async function tellWhenKept<T>(
  work: (act: Act) => PromiseLike<T>,
  wasDone: (result: Awaited<T>) => boolean,
): Promise<T> {
  const act: Act = { whenKept: [] }
  const result = await work(act)
  if (wasDone(result)) for (const tell of act.whenKept) tellAnyway(tell)
  return result
}

/** Of a statement that answers null where nothing was done. */
export const isFound = (result: object | null): boolean => result !== null

/** Of a statement that does something in any case, or fails. */
export const always = (): true => true

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
 * another: it would wait for a second connection.
 */
export const transaction = <T>(sql: Sql, work: (tx: Sql) => Promise<T>): Promise<T> =>
  retryConflict(() => begin(sql, {}, work))

const begin = <T, A extends object>(sql: Sql, act: A, work: (tx: Sql & A) => Promise<T>): Promise<T> =>
  sql.begin((tx) => work(Object.assign(tx as unknown as Sql, { distrust: sql.distrust, ...act }))) as Promise<T>

/**
 * A transaction that tells of events of a request, for which there was room before: they are logged once it is committed, but
 * those that `work` withdrew. Where nothing is to be done, `work` throws: no result of it says so.
 */
export const toldTransaction = <T extends object | void, E extends AuditEventName>(
  sql: Sql,
  _room: Room<E>,
  work: (tx: Tx<E>) => Promise<T>,
): Promise<T> => retryConflict(() => tellWhenKept((act) => begin<T, Act<E>>(sql, act, work), always))

/** For a single statement that locks rows of several tables: once more, twice at most, when it was undone to end a deadlock. */
export async function retryConflict<T>(attempt: () => PromiseLike<T>, tries = maxTries): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (tries > 1 && isConflict(error)) return retryConflict(attempt, tries - 1)
    throw asFailure(error)
  }
}

/** What a statement with rules of its own did: all of it (`done`), or nothing, since a rule was against it. */
export type Outcome<Done extends object, Rule extends string> =
  | ({ readonly outcome: 'done' } & Done)
  | { readonly outcome: Rule }
