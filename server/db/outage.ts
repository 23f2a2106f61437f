import { setTimeout as sleep } from 'node:timers/promises'
import type { FailureName } from '../../shared/errors.ts'
import { Failure } from '../../shared/failure.ts'
import { isTlsFault } from '../../shared/tls-fault.ts'

// Errors after which nothing was done: the server undid the statement, or nothing reached it.
const nothingDone = new Set([
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'QUEUE_TIMEOUT',
  '08001', // sqlclient_unable_to_establish_sqlconnection
  '08004', // sqlserver_rejected_establishment_of_sqlconnection
  '25006', // read_only_sql_transaction
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '55P03', // lock_not_available
  '57014', // query_canceled: statement_timeout
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout: it was not yet given what crossed this word on the way
])

// Errors after which the outcome is unknown: the connection broke while something may have been done.
const unknownOutcome = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'FOREIGN_ANSWER',
  'MESSAGE_NOT_SUPPORTED',
  'QUERY_TIMEOUT',
  'UNEXPECTED_ANSWER',
  '08000', // connection_exception
  '08003', // connection_does_not_exist
  '08006', // connection_failure
  '08P01', // protocol_violation: also what PgBouncer says of itself, see `hadNoServer`
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout, from PostgreSQL 17 on
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
])

const codeOf = (error: unknown): string => String(Object(error).code ?? '')

/** Returns whether an error means that the database is unavailable rather than that a statement is wrong. */
export const isOutage = (error: unknown): boolean => nothingDone.has(codeOf(error)) || unknownOutcome.has(codeOf(error))

/** The connection was lost before the answer, so a read can be repeated. */
const stale = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  '08P01',
  '57P01',
  '57P02',
  '57P05',
])

const isLostConnection = (error: unknown): boolean => stale.has(codeOf(error))

const isStaleConnection = (error: unknown): boolean =>
  error instanceof Failure && isLostConnection(error.cause) && !hadNoServer(error.cause)

/** Returns whether the server rolled a transaction back because of another one, so that it can be repeated. */
const isConflict = (error: unknown): boolean => {
  const code = codeOf(error instanceof Failure ? error.cause : error)
  return code === '40P01' || code === '40001'
}

const maxTries = 3

/** Repeats work at most twice when the server undid it because of another one: to end a deadlock, or to serialize. */
export async function retryConflict<T>(attempt: () => PromiseLike<T>, tries = maxTries): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (tries > 1 && isConflict(error)) return retryConflict(attempt, tries - 1)
    throw outageAsFailure(error)
  }
}

/**
 * Returns whether only this one statement failed: it took too long, its values were wrong, or, on a replica, it
 * conflicted with WAL replay.
 */
export const isStatementsOwnFault = (error: unknown): boolean =>
  /^(?:57014|40001|22...)$/.test(codeOf(error instanceof Failure ? error.cause : error))

/** The place of the statement that an error of the server is about, among those that travelled together. */
export function failedPart(error: unknown): number | undefined {
  const { part } = Object(error instanceof Failure ? error.cause : error) as { readonly part?: number }
  return part
}

/**
 * An error for a conflict that the server cannot see: the transaction's first reads are outdated, so it must be
 * repeated.
 */
export const conflictError = (message: string): Error => Object.assign(new Error(message), { code: '40001' })

/**
 * An error for an answer of a standby, which may lack the newest writes: a session that it does not know may have begun,
 * and one that it knows may have ended.
 */
export const standbyError = (): unknown =>
  outageAsFailure(
    Object.assign(new Error('the database is a standby, which may lack the newest writes'), { code: '25006' }),
  )

/** The driver puts the statement's text on its error, but not while it is still connecting. */
const wasNeverSent = (error: unknown): boolean => 'query' in Object(error) && Object(error).query === undefined

/**
 * PgBouncer has one code for all its errors, so its words decide. These two mean that the statement waited and no
 * server ever had it. After any other, such as "server conn crashed?", one may have done it.
 */
const withoutServer = /^(?:query_wait_timeout$|server login has been failing\b)/

const hadNoServer = (error: unknown): boolean =>
  codeOf(error) === '08P01' && withoutServer.test(String(Object(error).message))

/** A server or pooler took no connection: no such database, a wrong password, no right to connect, whatever else. */
const wasRefused = (error: unknown): boolean => Object(error).severity === 'FATAL' && wasNeverSent(error)

/** No connection came about: no right to use the socket, no free port or file, no address, whatever else. */
const wasUnreached = (error: unknown): boolean => /^(?:connect|getaddrinfo)$/.test(Object(error).syscall)

const isConnectionLost = (error: unknown): boolean => unknownOutcome.has(codeOf(error)) || isTlsFault(codeOf(error))

const isNothingDone = (error: unknown): boolean =>
  nothingDone.has(codeOf(error)) ||
  hadNoServer(error) ||
  wasRefused(error) ||
  wasUnreached(error) ||
  (isConnectionLost(error) && wasNeverSent(error))

/**
 * Converts an outage into the failure that callers see, and returns any other error unchanged. Sets Retry-After only
 * when nothing was done.
 */
export function outageAsFailure(error: unknown): unknown {
  if (isNothingDone(error)) return new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfter: 1 })
  return isConnectionLost(error) ? new Failure('SERVICE_UNAVAILABLE', { cause: error }) : error
}

/** Repeats a read once when its connection was stale. Never for writes, which may have been done. */
export const retryRead = <T>(read: () => Promise<T>): Promise<T> =>
  read().catch((error: unknown) => {
    if (!isStaleConnection(error)) throw error
    return read()
  })

/** Milliseconds. */
const pauses = [500, 1000, 1500, 2000]

/**
 * Repeats a write, with five seconds of pauses, until a short outage is over: for what cannot be asked for again. The write must be right to do twice,
 * since nobody may know whether it was done. The last failure never says that nothing was done.
 */
export async function writeThroughOutage<T>(write: () => Promise<T>, [pause, ...rest] = pauses): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof Failure) || error.failure !== 'SERVICE_UNAVAILABLE') throw error
    if (pause === undefined) throw new Failure('SERVICE_UNAVAILABLE', { cause: error.cause })
    await sleep(pause)
    return writeThroughOutage(write, rest)
  }
}

/** Returns whether a write violated the named unique key. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint_name: name } = Object(error) as { code?: string; constraint_name?: string }
  return code === '23505' && name === constraint
}

/** Runs a write, and turns a violation of the named unique key into the expected failure. */
export async function failOnUniqueViolation<T>(
  constraint: string,
  failure: FailureName,
  write: () => PromiseLike<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (isUniqueViolation(error, constraint)) throw new Failure(failure, { cause: error })
    throw error
  }
}
