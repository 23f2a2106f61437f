import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { InputProblem } from '../../shared/input-problem.ts'

/** A client-side failure: what happened, what to do next, and the exit code. */
export abstract class ClientError extends Error {
  abstract readonly exitCode: ExitCode
  readonly hint: string
  /** Whether a retry may succeed. */
  readonly isTransient: boolean = false

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause })
    this.hint = hint
  }
}

/**
 * A URL or path that is refused: http to another machine, an invalid URL, or a path that the URL parser would rewrite.
 */
export class AddressError extends ClientError {
  override readonly name = 'AddressError'
  readonly exitCode = exitCodes.usage
}

/** No answer: a DNS, connection, TLS or proxy fault, or a timeout. */
export class NetworkError extends ClientError {
  override readonly name = 'NetworkError'
  readonly exitCode = exitCodes.network
  override readonly isTransient: boolean

  constructor(message: string, hint: string, options: { cause?: unknown; isTransient?: boolean } = {}) {
    super(message, hint, options.cause)
    this.isTransient = options.isTransient ?? false
  }
}

/** An answer that does not come from the service: wrong type, too large, truncated, or a redirect. */
export class AnswerError extends ClientError {
  override readonly name = 'AnswerError'
  readonly exitCode = exitCodes.server
}

/** An answer above the size limit. A list can be read in pages instead. */
export class AnswerTooLargeError extends ClientError {
  override readonly name = 'AnswerTooLargeError'
  readonly exitCode = exitCodes.server
}

/** The jar or its lock is held, unreadable, another user's, corrupt, or of a newer format. */
export class LocalStateError extends ClientError {
  override readonly name: string = 'LocalStateError'
  readonly exitCode = exitCodes.localState
}

/** The service has answered, but the jar could not take the answer's cookies. */
export class UnkeptAnswerError extends LocalStateError {
  override readonly name = 'UnkeptAnswerError'
  readonly status: number

  constructor(status: number, message: string, { hint, cause }: { readonly hint: string; readonly cause: unknown }) {
    super(message, hint, cause)
    this.status = status
  }
}

/** An error response in the service's own words. */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure'
  readonly status: number
  /** The wire code, if the body had one. */
  readonly code: string | undefined
  /** Seconds until a retry, if the service sent them. */
  readonly retryAfter: number | undefined
  /** The length limit that the input violated, if the service sent it. */
  readonly limit: number | undefined
  /** The invalid input fields, if known, and what each expects. */
  readonly problems: readonly InputProblem[]

  constructor(
    status: number,
    body: { code?: string | undefined; message?: string | undefined },
    { retryAfter, limit, problems = [] }: Partial<Pick<ServiceFailure, 'retryAfter' | 'limit' | 'problems'>> = {},
  ) {
    super(body.message ?? defaultSentence(status))
    this.status = status
    this.code = body.code
    this.retryAfter = retryAfter
    this.limit = limit
    this.problems = problems
  }
}

const defaultSentence = (status: number): string =>
  status === 401 ? 'Not signed in' : `The service refused the call (status ${status})`

/** The system's error code, otherwise the message. */
export const reasonOf = (fault: unknown): string => {
  const { code, message } = Object(fault)
  return String(code ?? message ?? fault)
}
