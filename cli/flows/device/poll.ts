import { deviceGrantType } from '../../../shared/device.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { originOf } from '../../accounts/accounts.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { endSession } from '../auth/sign-out.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import { isTransient } from '../transient-error.ts'
import { pause, type Waiting } from '../waiting.ts'
import { beginLine, clientId, resumeLine } from './start.ts'
import type { NamedTicket, Ticket } from './ticket.ts'

export interface PollOptions {
  /** The deadline, in milliseconds since 1970. */
  readonly until: number
  readonly waiting: Waiting
}

/** What waits for a browser: a sign-in or a link. */
export interface Pending<T> {
  /** What an earlier poll has left in the ticket. */
  readonly kept: (ticket: Ticket) => T | undefined
  readonly poll: (ticket: Ticket) => Promise<Outcome<T>>
  readonly stillPending: (name: string) => CliError
  /** The error when it ended as these words say: `not approved in time`. */
  readonly over: (how: string, ticket: Ticket) => CliError
}

/**
 * Polls at the interval that the service asks for, until somebody has decided in the browser or it is too late. Retries
 * after temporary errors.
 */
export async function pollUntilDecided<T>(
  context: FlowContext,
  { name, ticket: first }: NamedTicket,
  options: PollOptions,
  pending: Pending<T>,
): Promise<T> {
  const { waiting } = options
  let [ticket, fault] = [first, undefined as CliError | undefined]
  for (;;) {
    const kept = pending.kept(ticket)
    if (kept !== undefined) return kept
    await pauseUntilPoll(context, { name, ticket }, { ...options, pending, fault })
    const outcome = await pending.poll(ticket)
    if ('done' in outcome) return outcome.done
    waiting.signal.throwIfAborted()
    fault = outcome.fault
    waiting.say(fault && `${fault.message}; retrying`)
    const interval = outcome.isTooFast ? ticket.interval + slowDown : ticket.interval
    const changed = await context.tickets.change(name, { interval, pollAfter: context.now() + interval })
    if (!changed) throw pending.over('finished or given up elsewhere', ticket)
    ticket = changed
  }
}

/** The sign-in of a ticket. */
export async function pendingSignIn(
  context: FlowContext,
  { name, ticket: first }: NamedTicket,
): Promise<Pending<string>> {
  const { api } = await context.asNobody(first.server)
  return {
    kept: ({ token }) => token,
    poll: async (ticket) => {
      await checkStorable(context, ticket)
      const outcome = await pollOnce(api, ticket)
      return 'done' in outcome ? { done: await keepToken(context, { name, ticket }, outcome.done) } : outcome
    },
    stillPending: () => stillPending('Not approved yet', `Keep waiting: ${resumeLine(name, context.scope)}`),
    over: signInOverError,
  }
}

/** A session is handed out once, so first check that it can be stored. */
export const checkStorable = ({ accounts }: FlowContext, { server }: Ticket): Promise<void> =>
  accounts.checkWritable(originOf(server))

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
const slowDown = 5000

interface Pause extends PollOptions {
  readonly fault: CliError | undefined
  readonly pending: Pick<Pending<unknown>, 'stillPending' | 'over'>
}

/** Waits until the next poll is allowed. If none is allowed in time, waits until the end and throws the reason. */
async function pauseUntilPoll(
  context: FlowContext,
  named: NamedTicket,
  { until, waiting, fault, pending }: Pause,
): Promise<void> {
  const { expiresAt, pollAfter } = named.ticket
  const end = Math.min(until, expiresAt)
  const isLast = pollAfter > end
  await pause((isLast ? end : pollAfter) - context.now(), waiting.signal)
  if (!isLast) return
  if (expiresAt > until) throw fault ?? pending.stillPending(named.name)
  await context.tickets.drop(named.name)
  throw pending.over('not approved in time', named.ticket)
}

type Outcome<T> = { readonly done: T } | NotYet

interface NotYet {
  readonly isTooFast: boolean
  readonly fault: CliError | undefined
}

/** `code`: the one that the browser came back with. */
export async function pollOnce(api: FlowConnection['api'], ticket: Ticket, code?: string): Promise<Outcome<string>> {
  const { deviceCode, verifier } = ticket
  try {
    const answer = await api.device.pollDevice({
      grant_type: deviceGrantType,
      device_code: deviceCode,
      client_id: clientId,
      code_verifier: verifier,
      ...(code === undefined ? {} : { code }),
    })
    return { done: answer.access_token }
  } catch (error) {
    return notYet(toCliError(error), (end) => ended(end, ticket))
  }
}

/** What a refused poll means while nothing is decided. Throws what `end` makes of any other error. */
export function notYet(error: CliError, end: (error: CliError) => CliError): NotYet {
  if (error.code === 'authorization_pending') return { isTooFast: false, fault: undefined }
  if (error.code === 'slow_down') return { isTooFast: true, fault: undefined }
  if (isTransient(error)) return { isTooFast: false, fault: error }
  throw end(error)
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

export const stillPending = (sentence: string, hint: string): CliError =>
  new CliError(exitCodes.pending, sentence, { code: 'AUTHORIZATION_PENDING', hint })
