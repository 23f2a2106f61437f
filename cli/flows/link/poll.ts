import type { Output } from '../../../shared/contract/call.ts'
import type { pollDeviceLink, startDeviceLink } from '../../../shared/contract/device-link.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { passing, slowDown } from '../device/poll.ts'
import { clientId } from '../device/start.ts'
import { pause } from '../pause.ts'
import type { FlowConnection, Ports } from '../ports.ts'
import type { Waiting } from '../waiting.ts'

type Linked = Output<typeof pollDeviceLink>['linked']

export interface LinkPolls {
  readonly started: Output<typeof startDeviceLink>
  /** For the errors: what people call the provider, and the command that begins again. */
  readonly provider: string
  readonly again: string
  /** The last moment, in milliseconds since 1970. */
  readonly until: number
}

/** Asks as slowly as the service wants it, until the link is made, refused or too late. Faults on the way pass. */
export async function pollUntilLinked(
  { now }: Pick<Ports, 'now'>,
  api: FlowConnection['api'],
  polls: LinkPolls,
  { signal, say }: Waiting,
): Promise<Linked> {
  const { started, again, until } = polls
  let interval = 1000 * Math.min(Math.max(started.interval, 1), 60)
  while (now() + interval <= until) {
    await pause(interval, signal)
    const outcome = await pollOnce(api, polls)
    signal.throwIfAborted()
    if ('linked' in outcome) return outcome.linked
    say(outcome.fault && `${outcome.fault.message}; trying on`)
    if (outcome.isTooFast) interval += slowDown
  }
  await pause(until - now(), signal)
  throw notLinked(again, 'in time')
}

type Outcome = { readonly linked: Linked } | { readonly isTooFast: boolean; readonly fault: CliError | undefined }

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
  if (passing.has(exitCode)) return { isTooFast: false, fault: error }
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

/** Only an account with the address that both sides have verified is linked by an old sign-in. */
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
