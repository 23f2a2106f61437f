import type { Call } from '../../shared/contract/call.ts'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { InputProblem } from '../../shared/input-problem.ts'

interface CliErrorOptions {
  /** Stable name for scripts (`error.code` under --json). */
  readonly code: string
  /** What to do next, usually a command line. */
  readonly hint?: string | undefined
  /** HTTP status, if the service answered. */
  readonly status?: number | undefined
  /** Further lines for people. */
  readonly details?: readonly string[] | undefined
  /** Flags or fields that the error is about. */
  readonly fields?: readonly string[] | undefined
  /** Fields of the input, and what the service expects there. */
  readonly problems?: readonly InputProblem[] | undefined
  /** The minimum or maximum length that was violated. */
  readonly limit?: number | undefined
  readonly cause?: unknown
}

/** An expected failure of a command: what happened, the exit code, and what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  readonly code: string
  readonly hint: string | undefined
  readonly status: number | undefined
  readonly fields: readonly string[] | undefined
  readonly problems: readonly InputProblem[]
  readonly limit: number | undefined
  readonly details: readonly string[]

  constructor(exitCode: ExitCode, message: string, options: CliErrorOptions) {
    super(message, { cause: options.cause })
    this.exitCode = exitCode
    this.code = options.code
    this.hint = options.hint
    this.status = options.status
    this.fields = options.fields ?? fieldsOf(options.problems ?? [])
    this.limit = options.limit
    this.problems = options.problems ?? []
    this.details = options.details ?? this.problems.map(problemText)
  }
}

/** The error with other options, or another message. */
export function changedError(
  error: CliError,
  changes: Partial<CliErrorOptions>,
  message: string = error.message,
): CliError {
  const { exitCode, message: _, ...options } = error
  return new CliError(exitCode, message, { ...options, cause: error.cause, ...changes })
}

/** The error with what the service had confirmed before, each once. */
export function withDone(error: CliError, changes: readonly Call[]): CliError {
  if (changes.length === 0) return error
  const done = changes.map(({ summary, method, path }) => `Already done: ${summary} (${method} ${path})`)
  return changedError(error, { details: [...new Set([...error.details, ...done])] })
}

/** One problem of the input as a line. */
export const problemText = ({ path, message }: InputProblem): string => (path === '' ? message : `${path}: ${message}`)

function fieldsOf(problems: readonly InputProblem[]): readonly string[] | undefined {
  const fields = new Set(problems.map(({ path }) => path).filter(Boolean))
  return fields.size > 0 ? [...fields] : undefined
}

/** An error that ends the command with exit code 2: the arguments are wrong and nothing was sent. */
export const usageError = (message: string, hint?: string, fields?: readonly string[]): CliError =>
  new CliError(exitCodes.usage, message, { code: 'USAGE', hint, fields })

/** An error that ends the command with exit code 4: nobody is signed in. */
export const signedOutError = (message: string, hint: string): CliError =>
  new CliError(exitCodes.signedOut, message, { code: 'NOT_SIGNED_IN', hint })

/**
 * An error that ends the command with exit code 4: the service refused the key. It does not tell unauthenticated
 * callers why.
 */
export const keyRefusedError = (): CliError =>
  signedOutError(
    'The machine key was refused',
    'It has expired, was revoked or replaced, or is not allowed from this network. Its creator can see which: postern key list',
  )

/** An error that ends the command with exit code 6: what was named does not exist. */
export const notFoundError = (message: string, hint: string): CliError =>
  new CliError(exitCodes.notFound, message, { code: 'NOT_FOUND', hint })

/** An error that ends the command with exit code 15: a local file is damaged, unreadable or cannot be written. */
export const localStateError = (message: string, hint: string, cause?: unknown): CliError =>
  new CliError(exitCodes.localState, message, { code: 'LOCAL_STATE', hint, cause })

/** An error that ends the command with exit code 11: the answer cannot come from a Postern service. */
export const serverError = (message: string, hint?: string): CliError =>
  new CliError(exitCodes.server, message, { code: 'UNEXPECTED_ANSWER', hint })

/** An error that ends the command with exit code 2: --read-only refuses a write before anything is sent. */
export const readOnlyError = (from: string): CliError =>
  new CliError(exitCodes.usage, `Refused, since ${from} allows reading only`, {
    code: 'READ_ONLY',
    hint: from === '--read-only' ? 'Leave --read-only out' : 'See who set it: postern auth status --explain',
    fields: [from],
  })

/** An error that ends the command with exit code 3: the user cancelled. */
export const cancelledError = (message = 'Cancelled, nothing was changed'): CliError =>
  new CliError(exitCodes.cancelled, message, { code: 'CANCELLED' })

export const isCancelled = (error: unknown): error is CliError =>
  error instanceof CliError && error.exitCode === exitCodes.cancelled

/** An error that ends the command with exit code 130: the user pressed Ctrl+C. */
export const interruptedError = (): CliError =>
  new CliError(exitCodes.interrupted, 'Interrupted', { code: 'INTERRUPTED' })

/** An error that ends the command with exit code 143: it was told to end (SIGTERM). */
export const terminatedError = (): CliError => new CliError(exitCodes.terminated, 'Terminated', { code: 'TERMINATED' })
