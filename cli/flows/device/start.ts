import type { Output } from '../../../shared/contract/call.ts'
import type { startDevice as startCall } from '../../../shared/contract/device.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { validateServicePage } from '../../browser/page.ts'
import { CliError, notFoundError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandLine } from '../../output/shell-line.ts'
import { signInLine } from '../auth/sign-in-line.ts'
import { flag } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { type OfferedProvider, offeredProviders } from './offered.ts'
import type { StartedInBrowser } from './started.ts'
import type { Ticket } from './ticket.ts'

/** This program's OAuth client id. */
export const clientId = 'postern'

interface DeviceStart {
  readonly ticket: Ticket
  /** The page's address including the code. */
  readonly completeUrl: string
}

export interface DeviceStartOptions {
  readonly server: string
  readonly provider: string | undefined
  /** Where the browser returns to; polling then needs the code it brings. */
  readonly comeBack?: { readonly redirect_uri: string; readonly state: string }
}

/** Starts a browser sign-in. The polling is useless to an eavesdropper without the verifier. */
export async function startDevice(
  context: FlowContext,
  { server, provider, comeBack }: DeviceStartOptions,
): Promise<DeviceStart> {
  // Loaded on first use: the other account commands do not need it.
  const { createHash, randomBytes } = process.getBuiltinModule('node:crypto')
  const verifier = randomBytes(32).toString('base64url')
  const { api } = await context.asNobody(server)
  const asked = {
    client_id: clientId,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256' as const,
    ...(provider === undefined ? {} : { provider }),
    ...comeBack,
  }
  const answer = await api.device.startDevice(asked).catch(async (error: unknown) => {
    // Asked only now: no other sign-in needs them.
    const offered = provider === undefined ? [] : await offeredProviders({ api }).catch(() => [])
    throw explained(toCliError(error), { server, provider, offered })
  })
  const ticket = { ...ticketOf(answer, server, context.now()), provider, verifier }
  return { ticket, completeUrl: validateServicePage(answer.verification_uri_complete, server) }
}

/** The ticket of a request that just began to wait. */
export const ticketOf = (answer: Output<typeof startCall>, server: string, now: number): Ticket => ({
  server,
  url: validateServicePage(answer.verification_uri, server),
  userCode: answer.user_code,
  deviceCode: answer.device_code,
  expiresAt: now + 1000 * Math.min(answer.expires_in, 86_400),
  interval: 1000 * Math.min(Math.max(answer.interval, 1), 60),
  pollAfter: now,
})

interface Refused extends Pick<DeviceStartOptions, 'server' | 'provider'> {
  readonly offered: readonly OfferedProvider[]
}

function explained(error: CliError, { server, provider, offered }: Refused): CliError {
  if (error.status === 404)
    return notFoundError(
      `${server} does not support sign-in with a browser`,
      `Sign in with a password: ${signInLine('EMAIL')}`,
    )
  if (provider === undefined || error.message !== 'Provider not found') return error
  return new CliError(exitCodes.notFound, `${server} does not support sign-in with ${provider}`, {
    code: 'PROVIDER_NOT_FOUND',
    status: error.status,
    hint: hintFor(provider, offered),
    fields: ['--provider'],
    cause: error,
  })
}

function hintFor(provider: string, offered: Refused['offered']): string {
  const ids = offered.map(({ id }) => id)
  const near = ids.find((id) => id.startsWith(provider.slice(0, 4)))
  const there = ids.length > 0 ? `It has ${ids.join(', ')}. ` : ''
  return `${near ? `Did you mean ${near}? ` : there}The sign-in page lists its providers: ${beginLine()}`
}

/** Starts a browser sign-in without waiting for it. */
export async function beginSignIn(
  context: FlowContext,
  { server, provider }: { readonly server: string; readonly provider: string | undefined },
): Promise<StartedInBrowser> {
  return keepStarted(context, (await startDevice(context, { server, provider })).ticket)
}

export async function keepStarted({ tickets }: FlowContext, ticket: Ticket): Promise<StartedInBrowser> {
  const { url, userCode, expiresAt, interval } = ticket
  const name = await tickets.keep(ticket)
  return { ticket: name, url, userCode, expiresAt: new Date(expiresAt), interval: interval / 1000 }
}

/** The command that resumes a sign-in by its ticket. */
export const resumeLine = (name: string, scope: readonly string[]): string =>
  commandLine('postern', 'sign-in', '--resume', name, ...scope)

/** The same for a link. */
export const resumeLinkLine = (name: string, scope: readonly string[] = []): string =>
  commandLine('postern', 'account', 'link', 'add', '--resume', name, ...scope)

/** The command that starts a sign-in again, with the same provider. */
export const beginLine = (provider?: string): string =>
  commandLine('postern', 'sign-in', ...(provider ? flag('provider', provider) : ['--device']))
