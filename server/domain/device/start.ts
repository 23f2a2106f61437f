import type { Input, Output } from '../../../shared/contract/call.ts'
import type { startDevice as StartDeviceCall } from '../../../shared/contract/device.ts'
import type { startDeviceLink as StartDeviceLinkCall } from '../../../shared/contract/device-link.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import { createSessionToken, createUserCode, digestOf } from '../../crypto/token.ts'
import { insertDeviceRequest, type LinkingSession, type NewDeviceRequest } from '../../db/device-requests.ts'
import type { Limits } from '../../db/limits.ts'
import { alwaysDone, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { truncateUserAgent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { deviceLinkLimits, deviceStartLimits, refuseBeyondLimit } from '../limits.ts'
import { formatUserCode, linkMacOf, storedMacOf } from './user-code.ts'

/** Seconds: long enough to type the code, short enough to allow few guesses (RFC 8628, 5.1). */
export const userCodeLifetime = 600
const interval = 5

export const isKnownClient = ({ DEVICE_CLIENTS }: Config, clientId: string): boolean =>
  DEVICE_CLIENTS.length === 0 || DEVICE_CLIENTS.includes(clientId)

/**
 * Makes two secrets. The user code is shown, typed and short-lived. The device code is used for polling and never
 * leaves the asking machine.
 */
export async function startDeviceSignIn(
  deps: Deps,
  client: Client,
  input: Input<typeof StartDeviceCall>,
): Promise<Output<typeof StartDeviceCall>> {
  if (!isKnownClient(deps.config, input.client_id)) throw new Failure('DEVICE_CLIENT_UNKNOWN')
  if (input.provider !== undefined && !deps.providers.find(input.provider)) throw new Failure('DEVICE_PROVIDER_UNKNOWN')
  return startDeviceRequest(deps, client, input, { linker: null, name: 'device-sign-in-asked' })
}

interface Purpose {
  readonly linker: LinkingSession | null
  readonly name: 'device-sign-in-asked' | 'device-link-asked'
}

const limitsOf = (deps: Deps, client: Client, linker: LinkingSession | null): Limits =>
  linker ? deviceLinkLimits(deps, client, linker.userId) : deviceStartLimits(deps, client)

/** Stores a request that is finished in a browser: a sign-in, or a link for the signed-in user. */
async function startDeviceRequest(
  deps: Deps,
  client: Client,
  input: Input<typeof StartDeviceCall>,
  { linker, name }: Purpose,
): Promise<Output<typeof StartDeviceCall>> {
  const [deviceCode, userCode] = [createSessionToken(), createUserCode()]
  const request = { ...requestOf(deps, client, input, [deviceCode, userCode]), linker }
  await logEventsOnceCommitted(async (act) => {
    const event = client.event(act, name, { userId: linker?.userId ?? null })
    const made = await insertDeviceRequest(deps.sql, { ...request, event }, limitsOf(deps, client, linker))
    refuseBeyondLimit(made.refusedFor)
    // Another open request has the same code, which happens once in millions. Nothing was done, and the next try gets
    // another code.
    if (!made.isMade) throw new Failure('SERVICE_UNAVAILABLE', { cause: 'user code taken', retryAfter: 1 })
  }, alwaysDone)
  return {
    device_code: deviceCode,
    user_code: formatUserCode(userCode),
    ...addressesOf(deps, input, userCode),
    expires_in: userCodeLifetime,
    interval,
  }
}

const requestOf = (
  deps: Deps,
  client: Client,
  input: Input<typeof StartDeviceCall>,
  [deviceCode, userCode]: readonly [string, string],
): Omit<NewDeviceRequest, 'linker' | 'event'> => ({
  id: newId(),
  deviceCodeHash: digestOf(deviceCode),
  userCodeMac: storedMacOf(deps, userCode),
  clientId: input.client_id,
  scope: input.scope ?? '',
  provider: input.provider ?? null,
  codeChallenge: input.code_challenge ?? null,
  redirectUri: input.redirect_uri ?? null,
  redirectState: input.state ?? null,
  ipAddress: client.address,
  userAgent: truncateUserAgent(client.userAgent),
  label: client.label,
  interval,
  lifetime: userCodeLifetime,
})

function addressesOf(deps: Deps, input: Input<typeof StartDeviceCall>, userCode: string) {
  const page = new URL(`${deps.config.BASE_PATH}/page/device`, deps.config.BASE_URL).href
  const local = input.redirect_uri ? `&local=${linkMacOf(deps, userCode).toString('base64url')}` : ''
  return { verification_uri: page, verification_uri_complete: `${page}?user_code=${formatUserCode(userCode)}${local}` }
}

/**
 * Asks to link a provider's account to the signed-in user. The link is finished in a browser, which may be on another
 * machine.
 */
export async function startDeviceLink(
  deps: Deps,
  client: Client,
  { user, session }: Caller,
  input: Input<typeof StartDeviceLinkCall>,
): Promise<Output<typeof StartDeviceLinkCall>> {
  if (!isKnownClient(deps.config, input.client_id)) throw new Failure('DEVICE_CLIENT_UNKNOWN')
  if (!deps.providers.find(input.provider)) throw new Failure('PROVIDER_NOT_FOUND')
  return startDeviceRequest(deps, client, input, {
    linker: { userId: user.id, sessionId: session.id },
    name: 'device-link-asked',
  })
}
