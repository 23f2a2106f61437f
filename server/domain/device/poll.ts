import type { Input, Output } from '../../../shared/contract/call.ts'
import type { pollDevice as PollDeviceCall } from '../../../shared/contract/device.ts'
import type { pollDeviceLink as PollDeviceLinkCall } from '../../../shared/contract/device-link.ts'
import { deviceGrantType } from '../../../shared/device.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf, digestTextOf } from '../../crypto/token.ts'
import {
  consumeLinkedRequest,
  type DevicePoll,
  type DevicePollOutcome,
  pollDeviceRequest,
  redeemDeviceRequest,
  refuseDeviceRequest,
} from '../../db/device-polls.ts'
import { alwaysDone, isRowFound, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { addLateFacts, type UnitOfWork, withdrawEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { accountView } from '../social/accounts.ts'
import { admitApproved } from './decide.ts'
import { isKnownClient } from './start.ts'

const failureOfPoll: Readonly<Record<Exclude<DevicePollOutcome, 'approved'>, FailureName>> = {
  'other-client': 'DEVICE_CLIENT_MISMATCH',
  'wrong-verifier': 'DEVICE_VERIFIER_WRONG',
  'too-soon': 'DEVICE_POLLED_TOO_SOON',
  expired: 'DEVICE_CODE_EXPIRED',
  pending: 'DEVICE_PENDING',
  denied: 'DEVICE_DENIED',
  'denied-by-provider': 'DEVICE_DENIED_BY_PROVIDER',
  'denied-as-stale': 'SESSION_NOT_FRESH',
  'wrong-code': 'DEVICE_REDIRECT_CODE_WRONG',
}

/** One statement while nobody has decided. Two when the session is handed out, which happens for a single poll. */
export async function pollDeviceSignIn(
  deps: Deps,
  client: Client,
  input: Input<typeof PollDeviceCall>,
): Promise<Output<typeof PollDeviceCall>> {
  if (input.grant_type !== deviceGrantType) throw new Failure('DEVICE_GRANT_TYPE_UNKNOWN')
  if (!isKnownClient(deps.config, input.client_id)) throw new Failure('DEVICE_GRANT_CLIENT_UNKNOWN')
  const poll = pollOf(input)
  const outcome = await logEventsOnceCommitted(async (act) => {
    const denied = client.event(act, 'sign-in-failed', { userId: null, reason: 'DEVICE_DENIED' })
    const polled = await pollDeviceRequest(deps.sql, poll, denied)
    if (polled !== 'denied') withdrawEvent(denied)
    return polled
  }, alwaysDone)
  if (outcome === null) throw new Failure('DEVICE_CODE_UNKNOWN')
  if (outcome !== 'approved') throw new Failure(failureOfPoll[outcome])
  return redeem(deps, client, poll)
}

const pollOf = ({ device_code, client_id, code_verifier, code }: Input<typeof PollDeviceCall>): DevicePoll => ({
  deviceCodeHash: digestOf(device_code),
  clientId: client_id,
  codeChallenge: code_verifier === undefined ? null : digestTextOf(code_verifier),
  redirectCodeHash: code === undefined ? null : digestOf(code),
  linkerSessionId: null,
})

async function redeem(deps: Deps, client: Client, poll: DevicePoll): Promise<Output<typeof PollDeviceCall>> {
  const { sql, revocations } = deps
  const { admitted, issued } = admitApproved(deps, client)
  const redeemed = await logEventsOnceCommitted(async (act) => {
    const event = client.event(act, 'sign-in-done', { userId: null })
    // The label comes from the request that started the sign-in. The person who approved has seen it.
    const taken = await redeemDeviceRequest(sql, { ...poll, admitted, event: { ...event, details: {} } })
    addLateFacts(event, { userId: taken?.userId ?? null })
    return taken
  }, isRowFound)
  if (!redeemed) return refuse(deps, client, poll)
  revocations.add(redeemed.ended)
  const { lifetime } = admitted.session
  return { access_token: issued.token, token_type: 'Bearer', expires_in: lifetime, scope: redeemed.scope }
}

/** Its user lost what a session needs since they approved, or another poll has taken it. */
async function refuse({ sql }: Deps, client: Client, poll: DevicePoll): Promise<never> {
  const write = (act: UnitOfWork) =>
    refuseDeviceRequest(sql, poll, client.event(act, 'sign-in-failed', { userId: null, reason: 'DEVICE_DENIED' }))
  throw new Failure((await logEventsOnceCommitted(write, Boolean)) ? 'DEVICE_DENIED' : 'DEVICE_CODE_UNKNOWN')
}

/** Which account was linked. Told once, to the session that asked. */
export async function pollDeviceLink(
  { sql }: Deps,
  { session }: Caller,
  { client_id: clientId, device_code: deviceCode }: Input<typeof PollDeviceLinkCall>,
): Promise<Output<typeof PollDeviceLinkCall>> {
  const proofs = { codeChallenge: null, redirectCodeHash: null, linkerSessionId: session.id }
  const poll = { deviceCodeHash: digestOf(deviceCode), clientId, ...proofs }
  const outcome = await pollDeviceRequest(sql, poll)
  if (outcome !== null && outcome !== 'approved') throw new Failure(failureOfPoll[outcome])
  const linked = outcome === null ? null : await consumeLinkedRequest(sql, poll)
  if (!linked) throw new Failure('DEVICE_CODE_UNKNOWN')
  return { linked: accountView(linked) }
}
