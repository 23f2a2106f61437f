import { type ExitCode, exitCodeOf, exitCodes } from '../../shared/exit-codes.ts'
import { ServiceFailure } from '../client/errors.ts'
import { CliError } from './cli-error.ts'
import type { Paint } from './colour.ts'
import { escapeControls, jsonText } from './escape-controls.ts'
import { hintOf } from './hints.ts'
import { hangingNames, hangingProse } from './prose.ts'

/** Converts any error to the one that is reported. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (error instanceof ServiceFailure) return fromService(error)
  return fromClient(error) ?? fromUnexpected(error)
}

/** For people: what happened, then what to do next. */
export function errorText(error: CliError, paint: Paint, width = Number.POSITIVE_INFINITY): string {
  // The message contains names that others chose, so text in it that looks like a command is not set apart for copying.
  const told = (text: string, left: number) => hangingNames(escapeControls(text), left, width)
  const lines = [`${paint('red', 'error:')} ${told(error.message, 7)}`]
  lines.push(...error.details.map((line) => `  ${told(line, 2)}`))
  if (error.hint) lines.push(`  ${paint('dim', 'next:')} ${hangingProse(escapeControls(error.hint), 8, width)}`)
  return `${lines.join('\n')}\n`
}

/** For programs: one line. */
export function errorJson({ code, message: sentence, details, status, exitCode, hint, fields }: CliError): string {
  const message = [sentence, ...details].join('\n')
  const error = { code, message, status: status ?? null, exitCode, hint: hint ?? null, fields: fields ?? null }
  return `${jsonText({ error })}\n`
}

function fromService(error: ServiceFailure): CliError {
  const { status, message, retryAfter } = error
  const exitCode = exitCodeOf(status, error.code)
  const wait = retryAfter === undefined ? undefined : `Try again in ${retryAfter} s`
  const code = error.code ?? statusNames[status] ?? `STATUS_${status}`
  return new CliError(exitCode, message, {
    code,
    status,
    hint: withLimit(hintOf(exitCode, code, wait), { code, limit: error.limit }),
    problems: error.problems,
    limit: error.limit,
    cause: error,
  })
}

/** Puts the actual limit before the hint, which only knows that there is one. */
const withLimit = (hint: string | undefined, refusal: Pick<CliError, 'code' | 'limit'>): string | undefined =>
  [limitText(refusal), hint].filter(Boolean).join('. ') || undefined

const statusNames: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
}

// Recognizes the client's errors by shape: importing their classes is free, but zod's must not be loaded here.
function fromClient(error: unknown): CliError | undefined {
  const { name, message, exitCode, hint } = Object(error)
  if (name === 'ZodError' || name === '$ZodError') {
    return new CliError(exitCodes.server, 'The service gave an unexpected answer', {
      code: 'UNEXPECTED_ANSWER',
      hint: 'Check that the address is right and the service is as new as this command: postern auth status --explain',
      cause: error,
    })
  }
  if (typeof exitCode !== 'number' || typeof message !== 'string') return undefined
  const code = String(name)
    .replace(/Error$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toUpperCase()
  return new CliError(exitCode as ExitCode, message, { code, hint: hint ?? hintOf(exitCode as ExitCode), cause: error })
}

function fromUnexpected(error: unknown): CliError {
  const message = error instanceof Error ? error.message : String(error)
  return new CliError(exitCodes.failure, `Unexpected: ${message}`, {
    code: 'UNEXPECTED',
    hint: 'Run the same command with --debug for details',
    cause: error,
  })
}

/** The violated limit in words. */
export const limitText = ({ code, limit }: Pick<CliError, 'code' | 'limit'>): string | undefined =>
  limit === undefined ? undefined : `${code.endsWith('TOO_SHORT') ? 'At least' : 'At most'} ${limit} characters`
