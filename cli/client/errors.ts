import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { InputProblem } from '../../shared/input-problem.ts'

/** A failure on this side of the wire: what happened, what to do next, and the exit code it ends with. */
export abstract class ClientError extends Error {
  abstract readonly exitCode: ExitCode
  readonly hint: string
  /** Whether another try may succeed. */
  readonly isPassing: boolean = false

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause })
    this.hint = hint
  }
}

/** A URL or path that is not requested: http to another machine, no URL, or a path that would be rewritten. */
export class AddressError extends ClientError {
  override readonly name = 'AddressError'
  readonly exitCode = exitCodes.usage
}

/** No answer: name, connection, TLS, proxy or time. */
export class NetworkError extends ClientError {
  override readonly name = 'NetworkError'
  readonly exitCode = exitCodes.network
  override readonly isPassing: boolean

  constructor(message: string, hint: string, options: { cause?: unknown; isPassing?: boolean } = {}) {
    super(message, hint, options.cause)
    this.isPassing = options.isPassing ?? false
  }
}

/** An answer that is not the service's: wrong type, too large, cut, or a redirect. */
export class AnswerError extends ClientError {
  override readonly name = 'AnswerError'
  readonly exitCode = exitCodes.server
}

/** More than is taken at once; of a list its pages can be asked for. */
export class AnswerTooLargeError extends ClientError {
  override readonly name = 'AnswerTooLargeError'
  readonly exitCode = exitCodes.server
}

/** The jar or its lock: held, unreadable, somebody else's, corrupt, or of a newer format. */
export class LocalStateError extends ClientError {
  override readonly name = 'LocalStateError'
  readonly exitCode = exitCodes.localState
}

/** A refusal as the service worded it. */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure'
  readonly status: number
  /** The wire code, when the body had one. */
  readonly code: string | undefined
  /** Seconds, when the service said when to come back. */
  readonly retryAfter: number | undefined
  /** The least or greatest length that the input did not keep to, when the service said it. */
  readonly limit: number | undefined
  /** The fields of the input that it concerns, when that is known, and what is expected there. */
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

/** The system's code of a fault, else its message. */
export const reasonOf = (fault: unknown): string => {
  const { code, message } = Object(fault)
  return String(code ?? message ?? fault)
}
