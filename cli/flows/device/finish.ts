import type { User } from '../../../shared/entities.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { CliError, isCancelled } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { adoptSession } from '../auth/sign-in-token.ts'
import type { FlowResult } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import type { BrowserReturn, BrowserTask } from '../waiting.ts'
import {
  checkStorable,
  keepToken,
  type PollOptions,
  pendingSignIn,
  pollOnce,
  pollUntilDecided,
  signInOverError,
  signInRefusedError,
  takenCode,
} from './poll.ts'
import { type DeviceStartOptions, resumeLine, startDevice } from './start.ts'
import type { NamedTicket, Ticket } from './ticket.ts'

interface WaitOptions extends Pick<BrowserTask, 'title' | 'opened'> {
  /** In milliseconds. */
  readonly wait: number
  readonly hasPicture: boolean
}

interface FinishOptions extends WaitOptions {
  readonly here?: LocalSignIn | undefined
}

/** Waits for the browser and stores the new session. Removes the ticket when it can lead to nothing any more. */
export async function finishDevice(
  context: FlowContext,
  named: NamedTicket,
  options: FinishOptions,
): Promise<FlowResult<User>> {
  const { server } = named.ticket
  try {
    const token = await tokenOf(context, named, options)
    const done = await adoptSession(context, { server, token, isNew: true })
    await context.tickets.drop(named.name)
    return done
  } catch (error) {
    throw await leave(context, named, error)
  }
}

const tokenOf = (context: FlowContext, named: NamedTicket, { here, ...options }: FinishOptions): Promise<string> =>
  waitForDecision(context, named, { ...options, opened: here && { code: here.code } }, (polling) =>
    firstToken(context, named, { ...polling, here }),
  )

/** Shows what to do in the browser while it is polled. */
export async function waitForDecision<T>(
  context: FlowContext,
  { ticket }: NamedTicket,
  { wait, ...task }: WaitOptions,
  poll: (polling: PollOptions) => Promise<T>,
): Promise<T> {
  const until = context.now() + wait
  // A single check, with nothing to show.
  if (wait === 0) return poll({ until, waiting: { signal: new AbortController().signal, say: () => {} } })
  const { url, userCode: code, expiresAt } = ticket
  const shown = { ...task, url, code, until: Math.min(until, expiresAt), isKept: true }
  return context.waitFor(shown, (waiting) => poll({ until, waiting }))
}

/** The session from the printed address or from the page opened here, whichever is approved first. */
async function firstToken(
  context: FlowContext,
  named: NamedTicket,
  { until, waiting, here }: PollOptions & { readonly here: LocalSignIn | undefined },
): Promise<string> {
  const isOver = new AbortController()
  const signal = AbortSignal.any([waiting.signal, isOver.signal])
  const polling = { until, waiting: { ...waiting, signal } }
  const printed = pollUntilDecided(context, named, polling, await pendingSignIn(context, named))
  try {
    return await (here ? Promise.race([printed, tokenFromHere(context, named, here)]) : printed)
  } finally {
    isOver.abort()
    here?.close()
  }
}

const tokenFromHere = async (context: FlowContext, named: NamedTicket, here: LocalSignIn): Promise<string> =>
  keepToken(context, named, await here.token())

/**
 * Returns the error to report. After an interruption, or while the sign-in is pending, it can be resumed; otherwise the
 * ticket is removed.
 */
async function leave(context: FlowContext, { name }: NamedTicket, error: unknown): Promise<unknown> {
  const { exitCode, code } = toCliError(error)
  if (exitCode === exitCodes.interrupted) return interrupted('nobody is signed in yet', resumeLine(name, context.scope))
  const isEnd = ending.has(exitCode) && code !== takenCode
  if (isCancelled(error) || isEnd) await context.tickets.drop(name)
  return error
}

const ending: ReadonlySet<number> = new Set([exitCodes.forbidden, exitCodes.signedOut])

export const interrupted = (what: string, line: string) =>
  new CliError(exitCodes.interrupted, `Interrupted: ${what}`, {
    code: 'INTERRUPTED',
    hint: `Continue: ${line}`,
  })

/** A sign-in whose page was opened on this machine, so that only this machine can complete it. */
interface LocalSignIn {
  /** The code that the page shows. */
  readonly code: string
  /** Resolves to the session's token when the browser comes back. */
  readonly token: () => Promise<string>
  readonly close: () => void
}

/** Undefined if this is not possible; the printed address works without it. */
export async function openLocalSignIn(
  context: FlowContext,
  wanted: DeviceStartOptions,
): Promise<LocalSignIn | undefined> {
  const back = await context.browser.awaitReturn().catch(() => undefined)
  if (!back) return undefined
  const started = await startComingBack(context, wanted, back)
  if (started && (await context.browser.open(started.completeUrl))) return localSignInOf(context, started.ticket, back)
  back.close()
  return undefined
}

const startComingBack = (context: FlowContext, wanted: DeviceStartOptions, { address, state }: BrowserReturn) =>
  startDevice(context, { ...wanted, comeBack: { redirect_uri: address, state } }).catch(() => undefined)

const localSignInOf = (context: FlowContext, ticket: Ticket, { query, close }: BrowserReturn): LocalSignIn => ({
  code: ticket.userCode,
  close,
  token: async () => {
    const code = (await query).get('code')
    if (code === null) throw signInRefusedError(ticket)
    await checkStorable(context, ticket)
    const { api } = await context.asNobody(ticket.server)
    const outcome = await pollOnce(api, ticket, code)
    if ('done' in outcome) return outcome.done
    throw outcome.fault ?? signInOverError('not finished: the browser came back too early', ticket)
  },
})
