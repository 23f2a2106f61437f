import type { AuditEventName } from '../../shared/audit-events.ts'
import type { AuditRoom, UnitOfWork } from '../request/audit-event.ts'
import type { Sql, TransactionSql } from './connect.ts'
import { retryConflict } from './outage.ts'

/** A transaction that can write a request's events. */
export type Tx<E extends AuditEventName> = TransactionSql & UnitOfWork<E>

/**
 * Runs one statement, and logs the events that it wrote once it is committed. Logs nothing when it failed, or when
 * `wasDone` says that its result means nothing was done. Statements inside a transaction are logged by the transaction.
 */
export async function logEventsOnceCommitted<T>(
  work: (act: UnitOfWork) => PromiseLike<T>,
  wasDone: (result: Awaited<T>) => boolean,
): Promise<T> {
  const act: UnitOfWork = { whenKept: [] }
  const result = await work(act)
  if (wasDone(result)) for (const tell of act.whenKept) logWithoutThrowing(tell)
  return result
}

/** `wasDone` for statements that return null when they did nothing. */
export const isRowFound = (result: object | null): boolean => result !== null

/** `wasDone` for statements that always do something, or throw. */
export const alwaysDone = (): true => true

/** Committed work does not fail because its log line failed: the caller would repeat it. */
function logWithoutThrowing(tell: () => void): void {
  try {
    tell()
  } catch (error) {
    process.emitWarning(`An event could not be logged: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Runs related statements on one connection. A failure thrown by `work` undoes them all, and statements issued after
 * its end are refused. Repeats at most twice when the server undid this transaction for another one. Never nest
 * transactions: the inner one would wait for a second connection.
 */
export const transaction = <T>(sql: Sql, work: (tx: TransactionSql) => Promise<T>): Promise<T> =>
  retryConflict(() => begin(sql, {}, work))

const begin = <T, A extends object>(sql: Sql, act: A, work: (tx: TransactionSql & A) => Promise<T>): Promise<T> =>
  sql.begin((tx) => work(Object.assign(tx as unknown as TransactionSql, act))) as Promise<T>

/**
 * A transaction that writes a request's events, for which the audit trail had room before. They are logged after the
 * commit, except those that `work` withdrew. `work` must throw when nothing is to be done, since no result means that.
 */
export const transactionWithEvents = <T extends object | void, E extends AuditEventName>(
  sql: Sql,
  _room: AuditRoom<E>,
  work: (tx: Tx<E>) => Promise<T>,
): Promise<T> =>
  retryConflict(() => logEventsOnceCommitted((act) => begin<T, UnitOfWork<E>>(sql, act, work), alwaysDone))

/**
 * The result of a statement with its own rules: everything was done (`done`), or nothing, because of the named rule.
 */
export type Outcome<Done extends object, Rule extends string> =
  | ({ readonly outcome: 'done' } & Done)
  | { readonly outcome: Rule }
