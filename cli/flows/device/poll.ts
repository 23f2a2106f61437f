import { deviceGrantType } from '../../../shared/device.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { endSession } from '../auth/sign-out.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import type { Waiting } from '../waiting.ts'
import { pause } from '../waiting.ts'
import { beginLine, clientId, resumeLine } from './start.ts'
import type { NamedTicket, Ticket } from './ticket.ts'

export interface PollOptions {
  /** The deadline, in milliseconds since 1970. */
  readonly until: number
  readonly waiting: Waiting
}

/**
 * Polls at the interval that the service asks for, until the sign-in is approved, refused or too late. Retries after
 * temporary errors.
 */
export async function pollUntilDecided(
  context: FlowContext,
  { name, ticket: first }: NamedTicket,
  { until, waiting }: PollOptions,
): Promise<string> {
  const { api } = await context.asNobody(first.server)
  let [ticket, fault] = [first, undefined as CliError | undefined]
  while (ticket.token === undefined) {
    await pauseUntilPoll(context, { name, ticket }, { until, waiting, fault })
    const outcome = await pollOnce(api, ticket)
    if ('token' in outcome) return keepToken(context, { name, ticket }, outcome.token)
    waiting.signal.throwIfAborted()
    fault = outcome.fault
    waiting.say(fault && `${fault.message}; retrying`)
    const interval = outcome.isTooFast ? ticket.interval + slowDown : ticket.interval
    const changed = await context.tickets.change(name, { interval, pollAfter: context.now() + interval })
    if (!changed) throw signInOverError('finished or given up elsewhere', ticket)
    ticket = changed
  }
  return ticket.token
}

/**
 * Stores the token before any other call, so that a crash does not lose the session. If the ticket was removed
 * meanwhile, nobody waits for the session and it is ended.
 */
export async function keepToken(context: FlowContext, { name, ticket }: NamedTicket, token: string): Promise<string> {
  if (await context.tickets.change(name, { token })) return token
  await endSession(() => context.withToken(ticket.server, token))
  throw signInOverError('given up', ticket)
}

/** Milliseconds that RFC 8628 (section 3.5) adds to the interval. */
export const slowDown = 5000

interface Pause extends PollOptions {
  readonly fault: CliError | undefined
}

/** Waits until the next poll is allowed. If none is allowed in time, waits until the end and throws the reason. */
async function pauseUntilPoll(
  context: FlowContext,
  named: NamedTicket,
  { until, waiting, fault }: Pause,
): Promise<void> {
  const { expiresAt, pollAfter } = named.ticket
  const end = Math.min(until, expiresAt)
  const isLast = pollAfter > end
  await pause((isLast ? end : pollAfter) - context.now(), waiting.signal)
  if (!isLast) return
  if (expiresAt > until) throw fault ?? stillPending(resumeLine(named.name, context.scope))
  await context.tickets.drop(named.name)
  throw signInOverError('not approved in time', named.ticket)
}

type Outcome = { readonly token: string } | { readonly isTooFast: boolean; readonly fault: CliError | undefined }

/** `code`: the one that the browser came back with. */
export async function pollOnce(api: FlowConnection['api'], ticket: Ticket, code?: string): Promise<Outcome> {
  const { deviceCode, verifier } = ticket
  try {
    const answer = await api.device.pollDevice({
      grant_type: deviceGrantType,
      device_code: deviceCode,
      client_id: clientId,
      code_verifier: verifier,
      ...(code === undefined ? {} : { code }),
    })
    return { token: answer.access_token }
  } catch (error) {
    return outcomeOf(toCliError(error), ticket)
  }
}

/** Exit codes of errors that a retry can overcome. */
export const retryableExitCodes: ReadonlySet<number> = new Set([
  exitCodes.network,
  exitCodes.server,
  exitCodes.rateLimited,
])

function outcomeOf(error: CliError, ticket: Ticket): Outcome {
  if (error.code === 'authorization_pending') return { isTooFast: false, fault: undefined }
  if (error.code === 'slow_down') return { isTooFast: true, fault: undefined }
  if (retryableExitCodes.has(error.exitCode)) return { isTooFast: false, fault: error }
  throw ended(error, ticket)
}

/** The sign-in is over. */
function ended(error: CliError, ticket: Ticket): CliError {
  if (error.code === 'access_denied') return signInRefusedError(ticket)
  if (error.code === 'expired_token') return signInOverError('not approved in time', ticket)
  return error.code === 'invalid_grant' ? takenElsewhere() : error
}

/** How the sign-in was started. */
type TicketProvider = Pick<Ticket, 'provider'>

export const signInRefusedError = ({ provider }: TicketProvider): CliError =>
  new CliError(exitCodes.forbidden, 'The sign-in was refused in the browser', {
    code: 'ACCESS_DENIED',
    hint: `Begin again if that was a mistake: ${beginLine(provider)}`,
  })

/** Exit 4: there is no session and there will be none. */
export const signInOverError = (how: string, { provider }: TicketProvider = {}): CliError =>
  new CliError(exitCodes.signedOut, `This sign-in was ${how}`, {
    code: 'SIGN_IN_OVER',
    hint: `Begin again: ${beginLine(provider)}`,
  })

/** Another run has the session, and needs the ticket to finish. */
const takenElsewhere = (): CliError =>
  new CliError(exitCodes.signedOut, 'This sign-in was finished elsewhere, or has expired', {
    code: takenCode,
    hint: 'See who is signed in: postern whoami',
  })

export const takenCode = 'SIGN_IN_TAKEN'

const stillPending = (line: string): CliError =>
  new CliError(exitCodes.pending, 'Not approved yet', {
    code: 'AUTHORIZATION_PENDING',
    hint: `Keep waiting: ${line}`,
  })
