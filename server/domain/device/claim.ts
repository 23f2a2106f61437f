import type { Input, Output } from '../../../shared/contract/call.ts'
import type { viewDevice as Call } from '../../../shared/contract/device.ts'
import { Failure } from '../../../shared/failure.ts'
import { readMac } from '../../crypto/keys.ts'
import { createSessionToken, digestOf, readUserCode } from '../../crypto/token.ts'
import { type ClaimedRequest, findClaimedRequest } from '../../db/device-claims.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { findByUserCode, isOwnSession, sessionClaim, shownCode } from './user-code.ts'

interface Typed {
  readonly typed: string
  /** The binding that this browser already has, to this request or another. */
  readonly kept: string | null
}

/**
 * Binds the request of a typed code to a browser. The answer is the secret that the browser keeps, a new one for each
 * binding, so nobody can have planted it. When the browser has a session, its user becomes the approver.
 */
export async function claimInBrowser(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { typed, kept }: Typed,
): Promise<string> {
  const secret = createSessionToken()
  const before = kept === null ? null : digestOf(kept)
  const [sessionId, userId] = isOwnSession(caller) ? [caller.session.id, caller.user.id] : [null, null]
  const viewer = { claim: digestOf(secret), before, sessionId, isOwnPage: true }
  const found = await findByUserCode(deps, client, { typed, userId }, viewer)
  if (found.status !== 'pending') throw new Failure('DEVICE_DECIDED')
  if (!found.isOwn) throw new Failure('DEVICE_APPROVAL_FORBIDDEN')
  return found.isSame && kept !== null ? kept : secret
}

/** The request bound to a browser while it waits for a decision. Null when there is none. */
export async function openClaim({ sql }: Deps, secret: string | null): Promise<ClaimedRequest | null> {
  return secret === null ? null : findOpenClaim(sql, digestOf(secret))
}

/** The same by the stored digest of the secret. */
export async function findOpenClaim(sql: Deps['sql'], claim: Buffer): Promise<ClaimedRequest | null> {
  const found = await findClaimedRequest(sql, claim)
  return found && found.status === 'pending' && !found.isExpired ? found : null
}

/** Whether the browser's request was denied and the asking machine does not know it yet. */
export async function isDeniedClaim({ sql }: Deps, secret: string): Promise<boolean> {
  return (await findClaimedRequest(sql, digestOf(secret)))?.status === 'denied'
}

/**
 * The code of a link, to be filled in. Only for links that carry our own mark, which says that the browser is led back
 * to the asking machine. Sending such a link to somebody else therefore gains nothing.
 */
export function codeOfLink({ keys }: Deps, code: string | undefined, mark: string | undefined): string | null {
  const letters = readUserCode(code ?? '')
  if (letters === null || mark === undefined) return null
  return keys.userCode.verifies(`link:${letters}`, readMac(mark, 'base64url')) ? shownCode(letters) : null
}

/**
 * Anybody with the code learns its status. The session that the request is bound to, now or before, also learns what
 * asks.
 */
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
