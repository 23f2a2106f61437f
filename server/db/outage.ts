import type { FailureName } from '../../shared/errors.ts'
import { Failure } from '../../shared/failure.ts'

// The server answered that the statement was not done, or nothing ever reached it.
const nothingDone = new Set([
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'QUEUE_TIMEOUT',
  '25006', // read_only_sql_transaction
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '55P03', // lock_not_available
  '57014', // query_canceled: statement_timeout
  '57P03', // cannot_connect_now
])

// The connection broke while something may have been done.
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
  '08P01', // protocol_violation: what PgBouncer says when it has no server
  '25P03', // idle_in_transaction_session_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P05', // idle_session_timeout
])

const codeOf = (error: unknown): string => String(Object(error).code ?? '')

/** Whether an error of the driver says that the database is away, not that a statement is wrong. */
export const isOutage = (error: unknown): boolean => nothingDone.has(codeOf(error)) || unknownOutcome.has(codeOf(error))

/** A connection was lost before the answer: a read may simply be asked again. */
const stale = new Set(['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'ECONNRESET', 'EPIPE', '57P01', '57P02'])

const isStaleConnection = (error: unknown): boolean => error instanceof Failure && stale.has(codeOf(error.cause))

/** Whether the server rolled a transaction back because of another one: it may simply be begun again. */
export const isConflict = (error: unknown): boolean => {
  const code = codeOf(error instanceof Failure ? error.cause : error)
  return code === '40P01' || code === '40001'
}

/** For a conflict that the server cannot see: what the transaction read first is outdated, so it has to begin again. */
export const conflict = (message: string): Error => Object.assign(new Error(message), { code: '40001' })

/** The driver notes the statement's text on its error; there is none yet while its connection is still to be made. */
const wasNeverSent = (error: unknown): boolean => 'query' in Object(error) && Object(error).query === undefined

/** An outage as the failure that callers see; any other error as it is. Retry-After only when nothing was done. */
export function asFailure(error: unknown): unknown {
  const code = codeOf(error)
  if (nothingDone.has(code) || (unknownOutcome.has(code) && wasNeverSent(error)))
    return new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfter: 1 })
  return unknownOutcome.has(code) ? new Failure('SERVICE_UNAVAILABLE', { cause: error }) : error
}

/** Asks again, once, when the connection had gone stale. Only for reads: a write may have been done. */
export const retryRead = <T>(read: () => Promise<T>): Promise<T> =>
  read().catch((error: unknown) => {
    if (!isStaleConnection(error)) throw error
    return read()
  })

/** Whether a write violated the named unique key. */
export function isUnique(error: unknown, constraint: string): boolean {
  const { code, constraint_name: name } = Object(error) as { code?: string; constraint_name?: string }
  return code === '23505' && name === constraint
}

/** Runs a write; a violation of the named unique key is the expected refusal, not a fault. */
export async function onUnique<T>(constraint: string, failure: FailureName, write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (isUnique(error, constraint)) throw new Failure(failure, { cause: error })
    throw error
  }
}
