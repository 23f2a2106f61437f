import type { Output } from '../../../shared/contract/call.ts'
import type { pollDeviceLink } from '../../../shared/contract/device-link.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { providerDisplayName } from '../../../shared/providers.ts'
import { CliError, isCancelled, usageError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandWith } from '../command-line.ts'
import { waitOf } from '../device/fields.ts'
import { interrupted, waitForDecision } from '../device/finish.ts'
import { notYet, type Pending, pollUntilDecided, stillPending } from '../device/poll.ts'
import { clientId, keepStarted, resumeLine, resumeLinkLine, ticketOf } from '../device/start.ts'
import type { StartedInBrowser } from '../device/started.ts'
import { isOfLink, type NamedTicket, type Ticket } from '../device/ticket.ts'
import type { FlowResult } from '../flow.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import { type LinkedAccount, labelOf, linkList } from './accounts.ts'
import { type AddLinkValues, linking, type ResumeLinkValues } from './fields.ts'

/** Prints an address and a code, and waits. `opens`: also opens the page on this machine. */
export async function linkInBrowser(
  context: FlowContext,
  { provider, wait, qr }: AddLinkValues,
  opens: boolean,
): Promise<FlowResult<LinkedAccount>> {
  const begun = await startLink(context, provider)
  // The first poll comes after one interval: nobody can have linked anything yet.
  const ticket = { ...begun, pollAfter: context.now() + begun.interval }
  const named = { name: await context.tickets.keep(ticket), ticket }
  // The code must still be typed: a link that fills it in could have been sent by a stranger.
  const opened = opens && (await context.browser.open(ticket.url)) ? {} : undefined
  return finishLink(context, named, { wait, qr, opened })
}

/** Starts a link without waiting for it. */
export const beginLink = async (context: FlowContext, provider: string): Promise<StartedInBrowser> =>
  keepStarted(context, await startLink(context, provider))

async function startLink(context: FlowContext, provider: string): Promise<Ticket> {
  const { api, server } = await context.signedIn()
  const started = await api.link.startDeviceLink({ client_id: clientId, provider }).catch((cause: unknown) => {
    throw explained(toCliError(cause), provider)
  })
  return { ...ticketOf(started, server, context.now()), provider }
}

export async function resumeInBrowser(
  context: FlowContext,
  { ticket: name, wait, qr }: ResumeLinkValues,
): Promise<FlowResult<LinkedAccount>> {
  const ticket = await context.tickets.find(name)
  if (!ticket) throw linkOver('finished, refused or given up, or has expired')
  if (!isOfLink(ticket)) throw foreign('of a sign-in, not of a link', resumeLine(name, context.scope))
  if (ticket.server !== context.server)
    throw foreign(`of ${ticket.server}`, resumeLinkLine(name, ['--url', ticket.server]))
  return finishLink(context, { name, ticket }, { wait, qr })
}

const foreign = (of: string, line: string) => usageError(`This ticket is ${of}`, line, ['--resume'])

interface FinishOptions extends Pick<AddLinkValues, 'wait' | 'qr'> {
  readonly opened?: Readonly<Record<never, never>> | undefined
}

/** Waits for the browser. Removes the ticket when it can lead to nothing any more. */
async function finishLink(
  context: FlowContext,
  named: NamedTicket,
  { wait, qr, opened }: FinishOptions,
): Promise<FlowResult<LinkedAccount>> {
  const { api } = await context.signedIn()
  const title = `${linking.title} at ${nameIn(named.ticket)}`
  const options = { title, opened, wait: waitOf(wait), hasPicture: qr }
  try {
    const linked = await waitForDecision(context, named, options, (polling) =>
      pollUntilDecided(context, named, polling, pendingLink(context, api)),
    )
    await context.tickets.drop(named.name)
    return { sentence: `Linked ${labelOf(linked)}`, status: 'created', resource: linked }
  } catch (error) {
    throw await leave(context, named, error)
  }
}

const nameIn = ({ provider = '' }: Ticket): string => providerDisplayName(provider)

const staleCode = 'SESSION_IS_NOT_FRESH'
const overCode = 'LINK_OVER'
/** Codes that end the link. A poll by the wrong session is none of them: the right one can continue. */
const ending: ReadonlySet<string> = new Set(['ACCESS_DENIED', staleCode, overCode])

async function leave({ tickets, scope }: FlowContext, { name }: NamedTicket, error: unknown): Promise<unknown> {
  const { exitCode, code } = toCliError(error)
  if (exitCode === exitCodes.interrupted) return interrupted('nothing is linked yet', resumeLinkLine(name, scope))
  if (isCancelled(error) || ending.has(code)) await tickets.drop(name)
  return error
}

/** Explains a provider that is unknown or not set up. */
const explained = (error: CliError, provider: string): CliError =>
  error.code === 'PROVIDER_NOT_FOUND' || error.code === 'VALIDATION_ERROR'
    ? new CliError(exitCodes.notFound, `This service does not support sign-in with ${provider}`, {
        code: 'PROVIDER_NOT_FOUND',
        hint: 'Ask who runs it, or link another provider',
        fields: ['PROVIDER'],
      })
    : error

type NewLink = Output<typeof pollDeviceLink>['linked']

const pendingLink = (context: FlowContext, api: FlowConnection['api']): Pending<NewLink> => ({
  kept: () => undefined,
  poll: async ({ deviceCode, provider = '' }) => {
    try {
      return { done: (await api.link.pollDeviceLink({ client_id: clientId, device_code: deviceCode })).linked }
    } catch (error) {
      return notYet(toCliError(error), (end) => ended(end, provider))
    }
  },
  stillPending: (name) =>
    stillPending(
      'Not linked yet',
      `The page in the browser says what is missing. Keep waiting: ${resumeLinkLine(name, context.scope)}`,
    ),
  over: linkOver,
})

function ended(error: CliError, provider: string): CliError {
  const { code } = error
  if (code === 'access_denied') return refused(provider, 'in the browser')
  if (code === 'denied_by_provider') return refused(provider, `at ${providerDisplayName(provider)}`)
  if (code === staleCode) return stale(provider)
  if (code === 'expired_token') return linkOver('not made in time', { provider })
  return code === 'invalid_grant' ? takenElsewhere() : error
}

const beginLine = (provider: string): string => commandWith(linking, [], { given: { provider } })

const refused = (provider: string, where: string) =>
  new CliError(exitCodes.forbidden, `The link was refused ${where}`, {
    code: 'ACCESS_DENIED',
    hint: `Begin again: ${beginLine(provider)}`,
  })

/** An old sign-in can only link an account whose provider is trusted and states the user's own address as verified. */
const stale = (provider: string) =>
  new CliError(
    exitCodes.signedOut,
    'Nothing was linked: you signed in too long ago to add an account that does not prove your address here',
    {
      code: staleCode,
      hint: `Sign in again, then repeat it: postern sign-in, then ${beginLine(provider)}`,
    },
  )

const linkOver = (how: string, { provider = '' }: Pick<Ticket, 'provider'> = {}) =>
  new CliError(exitCodes.rejected, `This link was ${how}`, {
    code: overCode,
    hint: `Begin again: ${beginLine(provider)}`,
  })

/** The service does not reveal which of these it is. */
const takenElsewhere = () =>
  new CliError(
    exitCodes.rejected,
    'This link was finished elsewhere, has expired, or was asked for in another session',
    { code: 'LINK_TAKEN', hint: `See what is linked: ${commandWith(linkList)}` },
  )
