import type { Output } from '../../../shared/contract/call.ts'
import type { pollDeviceLink, startDeviceLink } from '../../../shared/contract/device-link.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { providerDisplayName } from '../../../shared/providers.ts'
import { validateServicePage } from '../../browser/page.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandWith } from '../command-line.ts'
import { knownProviders, waitingFields, waitOf } from '../device/fields.ts'
import { retryableExitCodes, slowDown } from '../device/poll.ts'
import { clientId } from '../device/start.ts'
import type { ValuesOf } from '../field.ts'
import { type Flow, type FlowResult, noSubject } from '../flow.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import type { Waiting } from '../waiting.ts'
import { pause } from '../waiting.ts'
import { type LinkedAccount, labelOf, linkedAccountFields } from './accounts.ts'

const fields = {
  provider: {
    kind: 'text',
    label: 'Provider',
    argument: '<provider>',
    summary: 'google, github, … as the service has it',
    complete: knownProviders,
    check: (text: string) =>
      /^[a-z0-9_-]{1,64}$/.test(text) ? undefined : 'A provider is a word like google or github',
  },
  ...waitingFields,
} as const

/** Works like a browser sign-in, but nobody is signed in by it: the account is shown in the browser. */
export const addLink: Flow<undefined, typeof fields, unknown, LinkedAccount> = {
  command: 'account link add',
  summary: 'Link an account at a provider, in a browser here or elsewhere',
  title: 'Link an account',
  writes: true,
  needsSession: true,
  subject: noSubject,
  fields,
  call: '/device/link',
  answer: linkedAccountFields,
  examples: ['google', 'github --qr --wait 2m'],
  run: (context, _, values) => linkInBrowser(context, values, context.browser.isHere),
}

/** Prints an address and a code, and waits. `opens`: also opens the page on this machine. */
export async function linkInBrowser(
  context: FlowContext,
  { provider, wait, qr }: ValuesOf<typeof fields>,
  opens: boolean,
): Promise<FlowResult<LinkedAccount>> {
  const { api, server } = await context.signedIn()
  const started = await api.link.startDeviceLink({ client_id: clientId, provider }).catch((cause: unknown) => {
    throw explained(toCliError(cause), provider)
  })
  const until = context.now() + Math.min(waitOf(wait), 1000 * started.expires_in)
  const url = validateServicePage(started.verification_uri, server)
  // The code must still be typed: a link that fills it in could have been sent by a stranger.
  const opened = opens && (await context.browser.open(url)) ? {} : undefined
  const name = providerDisplayName(provider)
  const title = `${addLink.title} at ${name}`
  const task = { title, url, code: started.user_code, opened, until, hasPicture: qr }
  const again = commandWith(addLink, [], { given: { provider } })
  const linked = await context.waitFor(task, (waiting) =>
    pollUntilLinked(context, api, { started, provider: name, again, until }, waiting),
  )
  return { sentence: `Linked ${labelOf(linked)}`, status: 'created', resource: linked }
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

interface LinkPolls {
  readonly started: Output<typeof startDeviceLink>
  /** For error messages: the provider's name, and the command that starts again. */
  readonly provider: string
  readonly again: string
  /** The deadline, in milliseconds since 1970. */
  readonly until: number
}

/**
 * Polls at the interval that the service asks for, until the account is linked, refused or too late. Retries after
 * temporary errors.
 */
async function pollUntilLinked(
  { now }: Pick<FlowContext, 'now'>,
  api: FlowConnection['api'],
  polls: LinkPolls,
  { signal, say }: Waiting,
): Promise<NewLink> {
  const { started, again, until } = polls
  let interval = 1000 * Math.min(Math.max(started.interval, 1), 60)
  while (now() + interval <= until) {
    await pause(interval, signal)
    const outcome = await pollOnce(api, polls)
    signal.throwIfAborted()
    if ('linked' in outcome) return outcome.linked
    say(outcome.fault && `${outcome.fault.message}; retrying`)
    if (outcome.isTooFast) interval += slowDown
  }
  await pause(until - now(), signal)
  throw notLinked(again, 'in time')
}

type Outcome = { readonly linked: NewLink } | { readonly isTooFast: boolean; readonly fault: CliError | undefined }

async function pollOnce(api: FlowConnection['api'], polls: LinkPolls): Promise<Outcome> {
  try {
    return await api.link.pollDeviceLink({ client_id: clientId, device_code: polls.started.device_code })
  } catch (error) {
    return outcomeOf(toCliError(error), polls)
  }
}

function outcomeOf(error: CliError, { again, provider }: LinkPolls): Outcome {
  const { code, exitCode } = error
  if (code === 'authorization_pending') return { isTooFast: false, fault: undefined }
  if (code === 'slow_down') return { isTooFast: true, fault: undefined }
  if (retryableExitCodes.has(exitCode)) return { isTooFast: false, fault: error }
  if (code === 'access_denied') throw refused(again, 'in the browser')
  if (code === 'denied_by_provider') throw refused(again, `at ${provider}`)
  if (code === 'SESSION_IS_NOT_FRESH') throw stale(again)
  throw code === 'expired_token' || code === 'invalid_grant' ? notLinked(again, 'in time') : error
}

const refused = (again: string, where: string) =>
  new CliError(exitCodes.forbidden, `The link was refused ${where}`, {
    code: 'ACCESS_DENIED',
    hint: `Begin again: ${again}`,
  })

/** An old sign-in can only link an account whose address both sides have verified. */
const stale = (again: string) =>
  new CliError(
    exitCodes.signedOut,
    'Nothing was linked: you signed in too long ago to add an account with another address',
    {
      code: 'SESSION_IS_NOT_FRESH',
      hint: `Sign in again, then repeat it: postern sign-in, then ${again}`,
    },
  )

const notLinked = (again: string, why: string) =>
  new CliError(exitCodes.rejected, `Nothing was linked ${why}`, { code: 'LINK_OVER', hint: `Begin again: ${again}` })
