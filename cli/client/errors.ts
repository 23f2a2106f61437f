import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'

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

/** The system's code of a fault, else its message. */
export const reasonOf = (fault: unknown): string => {
  const { code, message } = Object(fault)
  return String(code ?? message ?? fault)
}
