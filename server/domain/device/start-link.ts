import type { Input, Output } from '../../../shared/contract/call.ts'
import type { startDeviceLink as Call } from '../../../shared/contract/device-link.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { isKnownClient, startRequest } from './start.ts'

/** Asks for an account at a provider to be linked to who is signed in here, in a browser that need not be. */
export async function startDeviceLink(
  deps: Deps,
  client: Client,
  { user, session }: Caller,
  input: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  if (!isKnownClient(deps.config, input.client_id)) throw new Failure('DEVICE_CLIENT_UNKNOWN')
  if (!deps.providers.find(input.provider)) throw new Failure('PROVIDER_NOT_FOUND')
  return startRequest(deps, client, input, {
    linker: { userId: user.id, sessionId: session.id },
    name: 'device-link-asked',
  })
}
