import type { Input, Output } from '../../../shared/contract/call.ts'
import type { pollDeviceLink as Call } from '../../../shared/contract/device-link.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import { pollDeviceRequest, takeLinked } from '../../db/device-polls.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { shownAccount } from '../social/list-accounts.ts'
import { failureOfPoll } from './poll.ts'

/** Which account was linked, told once to the session that asked. */
export async function pollDeviceLink(
  { sql }: Deps,
  { session }: Caller,
  { client_id: clientId, device_code: deviceCode }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const proofs = { codeChallenge: null, redirectCodeHash: null, linkerSessionId: session.id }
  const poll = { deviceCodeHash: digestOf(deviceCode), clientId, ...proofs }
  const outcome = await pollDeviceRequest(sql, poll)
  if (outcome !== null && outcome !== 'approved') throw new Failure(failureOfPoll[outcome])
  const linked = outcome === null ? null : await takeLinked(sql, poll)
  if (!linked) throw new Failure('DEVICE_CODE_UNKNOWN')
  return { linked: shownAccount(linked) }
}
