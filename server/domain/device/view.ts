import type { Input, Output } from '../../../shared/contract/call.ts'
import type { viewDevice as Call } from '../../../shared/contract/device.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { findByUserCode, isOwnSession, sessionClaim } from './user-code.ts'

/** Whoever has the code is told its status; the session that claimed it, since now or before, also what asks. */
export async function viewDevice(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { user_code: typed }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const claim = isOwnSession(caller) ? sessionClaim(caller) : null
  const sessionId = isOwnSession(caller) ? caller.session.id : null
  const asker = { typed, userId: caller?.user.id ?? null }
  const found = await findByUserCode(deps, client, asker, { claim, before: null, sessionId })
  if (!found.isOwn) return { user_code: typed, status: found.status }
  return {
    user_code: typed,
    status: found.status,
    client_id: found.clientId,
    scope: found.scope,
    ip_address: found.ipAddress,
    user_agent: found.userAgent,
    label: found.label ?? undefined,
    created_at: found.createdAt,
  }
}
