import type { Output } from '../../../shared/contract/call.ts'
import type { pollDeviceLink, startDeviceLink } from '../../../shared/contract/device-link.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { passing, pause, slowDown } from '../device/poll.ts'
import { clientId } from '../device/start.ts'
import type { FlowConnection, Ports } from '../ports.ts'
import type { Waiting } from '../waiting.ts'

type Linked = Output<typeof pollDeviceLink>['linked']

export interface LinkPolls {
  readonly started: Output<typeof startDeviceLink>
  /** For the error: what to type again. */
  readonly provider: string
  /** The last moment, in milliseconds since 1970. */
  readonly until: number
}

/** Asks as slowly as the service wants it, until the link is made, refused or too late. Faults on the way pass. */
export async function pollUntilLinked(
  { now }: Pick<Ports, 'now'>,
  api: FlowConnection['api'],
  { started, provider, until }: LinkPolls,
  { signal, say }: Waiting,
): Promise<Linked> {
  let interval = 1000 * Math.min(Math.max(started.interval, 1), 60)
  while (now() + interval <= until) {
    await pause(interval, signal)
    const outcome = await pollOnce(api, started.device_code, provider)
    signal.throwIfAborted()
    if ('linked' in outcome) return outcome.linked
    say(outcome.fault && `${outcome.fault.message}; trying on`)
    if (outcome.isTooFast) interval += slowDown
  }
  await pause(until - now(), signal)
  throw notLinked(provider, 'in time')
}

type Outcome = { readonly linked: Linked } | { readonly isTooFast: boolean; readonly fault: CliError | undefined }

async function pollOnce(api: FlowConnection['api'], deviceCode: string, provider: string): Promise<Outcome> {
  try {
    return await api.link.pollDeviceLink({ client_id: clientId, device_code: deviceCode })
  } catch (error) {
    return outcomeOf(toCliError(error), provider)
  }
}

function outcomeOf(error: CliError, provider: string): Outcome {
  const { code, exitCode } = error
  if (code === 'authorization_pending') return { isTooFast: false, fault: undefined }
  if (code === 'slow_down') return { isTooFast: true, fault: undefined }
  if (passing.has(exitCode)) return { isTooFast: false, fault: error }
  if (code === 'access_denied') throw refused(provider)
  throw code === 'expired_token' || code === 'invalid_grant' ? notLinked(provider, 'in time') : error
}

const again = (provider: string) => `Begin again: postern account link add ${provider}`

const refused = (provider: string) =>
  new CliError(exitCodes.forbidden, 'The link was refused in the browser', {
    code: 'ACCESS_DENIED',
    hint: again(provider),
  })

const notLinked = (provider: string, why: string) =>
  new CliError(exitCodes.rejected, `Nothing was linked ${why}`, { code: 'LINK_OVER', hint: again(provider) })
