import type { Input, Output } from '../../../shared/contract/call.ts'
import type { viewDevice as Call } from '../../../shared/contract/device.ts'
import { Failure } from '../../../shared/failure.ts'
import { decodeMac } from '../../crypto/keys.ts'
import { createSessionToken, digestOf, parseUserCode } from '../../crypto/token.ts'
import { type BrowserBoundRequest, findBrowserBoundRequest } from '../../db/device-browser-bindings.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { findByUserCode, formatUserCode, isUnimpersonated, sessionBinding } from './user-code.ts'

interface TypedCode {
  readonly typed: string
  /** Which page was sent: a random text that only its own browser has. */
  readonly form: string | undefined
  /** The binding that this browser already has, to this request or another. */
  readonly kept: string | null
}

/**
 * The secret of a binding, a new one for each page and code, so nobody can have planted it. A page that is sent twice,
 * as by a double click, makes the same one: browsers give up the first answer, and its cookie with it.
 */
const secretOf = ({ keys }: Deps, { typed, form }: TypedCode): string =>
  form === undefined
    ? createSessionToken()
    : keys.userCode.sign(`binding:${parseUserCode(typed) ?? ''}:${form}`).toString('base64url')

/**
 * Binds the request of a typed code to a browser. The answer is the secret that the browser keeps. When the browser has a
 * session, its user becomes the approver.
 */
export async function bindBrowser(deps: Deps, client: Client, caller: Caller | null, code: TypedCode): Promise<string> {
  const { typed, kept } = code
  const secret = secretOf(deps, code)
  const before = kept === null ? null : digestOf(kept)
  const [sessionId, userId] = isUnimpersonated(caller) ? [caller.session.id, caller.user.id] : [null, null]
  const viewer = { claim: digestOf(secret), before, sessionId, isOwnPage: true }
  const found = await findByUserCode(deps, client, { typed, userId }, viewer)
  if (found.status !== 'pending') throw new Failure('DEVICE_DECIDED')
  if (!found.isOwn) throw new Failure('DEVICE_APPROVAL_FORBIDDEN')
  return found.isSame && kept !== null ? kept : secret
}

/** The request bound to a browser while it waits for a decision. Null when there is none. */
export async function findBoundRequest({ sql }: Deps, secret: string | null): Promise<BrowserBoundRequest | null> {
  return secret === null ? null : findRequestOfBinding(sql, digestOf(secret))
}

/** The same by the stored digest of the secret. */
export async function findRequestOfBinding(sql: Deps['sql'], claim: Buffer): Promise<BrowserBoundRequest | null> {
  const found = await findBrowserBoundRequest(sql, claim)
  return found && found.status === 'pending' && !found.isExpired ? found : null
}

/**
 * The code of a link, to be filled in. Only for links that carry our own mark, which says that the browser is led back
 * to the asking machine. Sending such a link to somebody else therefore gains nothing.
 */
export function readPrefilledCode({ keys }: Deps, code: string | undefined, mark: string | undefined): string | null {
  const letters = parseUserCode(code ?? '')
  if (letters === null || mark === undefined) return null
  return keys.userCode.verifies(`link:${letters}`, decodeMac(mark, 'base64url')) ? formatUserCode(letters) : null
}

/**
 * Anybody with the code learns the status. The session bound to the request, now or before, also sees which machine
 * asks.
 */
export async function viewDevice(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { user_code: typed }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const [claim, sessionId] = caller ? [sessionBinding(caller), caller.session.id] : [null, null]
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
