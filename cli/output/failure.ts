import { type ExitCode, exitCodeOf, exitCodes } from '../../shared/exit-codes.ts'
import { ServiceFailure } from '../client/client.ts'
import { Refusal } from '../refusal.ts'
import type { Paint } from './colour.ts'
import { visible } from './filter.ts'
import { jsonText } from './json.ts'

/** What to do next, by what went wrong; a command's own hint comes first. */
const hints: Readonly<Partial<Record<ExitCode, string>>> = {
  [exitCodes.signedOut]: 'postern sign-in',
  [exitCodes.network]: 'Is the service running there? See the address: postern auth status --explain',
  [exitCodes.server]: "Try again; if it stays, give the service's owner the output of the same command with --debug",
  [exitCodes.rejected]: 'See what the command takes: the same command with --help',
}

const hintsByCode: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'Check both, or make an account: postern sign-up',
  USER_ALREADY_EXISTS: 'postern sign-in --email',
  PASSWORD_TOO_COMMON: 'Take one that others would not: a few words in a row, without your name and address',
  EMAIL_NOT_VERIFIED:
    'A mail with a link is on its way to you: postern account email verify LINK, then postern sign-in again',
  SESSION_IS_NOT_FRESH: 'Prove that it is you: postern sign-in again',
  SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION:
    'Prove that it is you: postern sign-in again, or give the password with --password-file',
  COULDNT_UPDATE_YOUR_EMAIL: 'Choose another address: this one belongs to an account',
  SESSION_NOT_FOUND: 'postern session list',
}

/** Any error as the refusal that is reported. */
export function refusalFrom(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof ServiceFailure) return fromService(error)
  return fromClient(error) ?? fromUnexpected(error)
}

/** For people: what happened, then what to do next. */
export function failureText(refusal: Refusal, paint: Paint): string {
  const lines = [`${paint('red', 'error:')} ${visible(refusal.message)}`]
  lines.push(...refusal.details.map((line) => `  ${visible(line)}`))
  if (refusal.hint) lines.push(`  ${paint('dim', 'next:')} ${visible(refusal.hint)}`)
  return `${lines.join('\n')}\n`
}

/** For programs: one line. */
export function failureJson({ code, message: sentence, details, status, exitCode, hint, fields }: Refusal): string {
  const message = [sentence, ...details].join('\n')
  const error = { code, message, status: status ?? null, exitCode, hint: hint ?? null, fields: fields ?? null }
  return `${jsonText({ error })}\n`
}

function fromService(error: ServiceFailure): Refusal {
  const { status, message, retryAfter } = error
  const exitCode = exitCodeOf(status, error.code)
  const wait = retryAfter === undefined ? undefined : `Come back in ${retryAfter} s`
  const code = error.code ?? statusNames[status] ?? `STATUS_${status}`
  return new Refusal(exitCode, message, {
    code,
    status,
    hint: hintsByCode[code] ?? wait ?? hints[exitCode],
    cause: error,
  })
}

const statusNames: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
}

// The client's own errors, by shape: importing their classes would load nothing more, but zod's must not be loaded here.
function fromClient(error: unknown): Refusal | undefined {
  const { name, message, exitCode, hint } = Object(error)
  if (name === 'ZodError' || name === '$ZodError') {
    return new Refusal(exitCodes.server, 'The answer is not one of this service', {
      code: 'UNEXPECTED_ANSWER',
      hint: 'Is the address right, and the service as new as this command? postern auth status --explain',
      cause: error,
    })
  }
  if (typeof exitCode !== 'number' || typeof message !== 'string') return undefined
  const code = String(name)
    .replace(/Error$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toUpperCase()
  return new Refusal(exitCode as ExitCode, message, { code, hint: hint ?? hints[exitCode as ExitCode], cause: error })
}

function fromUnexpected(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error)
  return new Refusal(exitCodes.failure, `Unexpected: ${message}`, {
    code: 'UNEXPECTED',
    hint: 'The same command with --debug shows where',
    cause: error,
  })
}
