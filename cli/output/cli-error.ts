import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { InputProblem } from '../../shared/input-problem.ts'

export interface CliErrorOptions {
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

/** One problem of the input as a line. */
export const problemText = ({ path, message }: InputProblem): string => (path === '' ? message : `${path}: ${message}`)

function fieldsOf(problems: readonly InputProblem[]): readonly string[] | undefined {
  const fields = new Set(problems.map(({ path }) => path).filter(Boolean))
  return fields.size > 0 ? [...fields] : undefined
}

/** Exit 2: wrong arguments; nothing was sent. */
export const usageError = (message: string, hint?: string, fields?: readonly string[]): CliError =>
  new CliError(exitCodes.usage, message, { code: 'USAGE', hint, fields })

/** Exit 4. */
export const signedOutError = (message: string, hint: string): CliError =>
  new CliError(exitCodes.signedOut, message, { code: 'NOT_SIGNED_IN', hint })

/** Exit 4: the service does not tell unauthenticated callers why. */
export const keyRefusedError = (): CliError =>
  signedOutError(
    'The machine key was refused',
    'It has expired, was revoked or replaced, or is not allowed from this network. Its creator can see which: postern key list',
  )

/** Exit 6. */
export const notFoundError = (message: string, hint: string): CliError =>
  new CliError(exitCodes.notFound, message, { code: 'NOT_FOUND', hint })

/** Exit 15: a file of ours is not as we left it. */
export const localStateError = (message: string, hint: string, cause?: unknown): CliError =>
  new CliError(exitCodes.localState, message, { code: 'LOCAL_STATE', hint, cause })

/** Exit 11: an answer that a Postern service would not give. */
export const serverError = (message: string, hint?: string): CliError =>
  new CliError(exitCodes.server, message, { code: 'UNEXPECTED_ANSWER', hint })

/** Exit 2: a write under --read-only, refused before anything is sent. */
export const readOnlyError = (from: string): CliError =>
  new CliError(exitCodes.usage, `Refused, since ${from} allows reading only`, {
    code: 'READ_ONLY',
    hint: from === '--read-only' ? 'Leave --read-only out' : 'See who set it: postern auth status --explain',
    fields: [from],
  })

/** Exit 3. */
export const cancelledError = (message = 'Cancelled, nothing was changed'): CliError =>
  new CliError(exitCodes.cancelled, message, { code: 'CANCELLED' })

export const isCancelled = (error: unknown): error is CliError =>
  error instanceof CliError && error.exitCode === exitCodes.cancelled

/** Exit 130: Ctrl+C. */
export const interruptedError = (): CliError =>
  new CliError(exitCodes.interrupted, 'Interrupted', { code: 'INTERRUPTED' })
