import type { Context } from 'hono'
import type { Call } from '../../shared/contract/call.ts'
import { allowedWhileImpersonating } from '../../shared/contract/while-impersonating.ts'
import { Failure } from '../../shared/failure.ts'
import { renewDeviceMark } from '../crypto/known-device.ts'
import type { Caller, IssuedSession, MachineCaller, ResolvedSession, ResolveOptions } from '../request/client.ts'
import { type Edge, issueSession } from './edge.ts'
import { addCookies, type HonoEnv } from './request-state.ts'

/**
 * The session of the request. Without one, throws 401 when the call requires it. Any call may extend a session that is
 * due, and then tells the client.
 */
export async function sessionOf(
  c: Context<HonoEnv>,
  edge: Edge,
  call: Call,
  { client, along }: Pick<ResolveOptions, 'client' | 'along'>,
): Promise<ResolvedSession | null> {
  const { token } = client
  const resolved = token === null ? null : await edge.resolve(token, { mayExtend: true, client, along })
  if (!resolved && call.access === 'session') throw new Failure('UNAUTHORIZED')
  if (resolved) {
    c.get('state').userId = resolved.caller.user.id
    client.identify(resolved.caller)
  }
  if (resolved?.caller.key) guardScope(call, resolved.caller.key)
  if (resolved?.isRenewed) renewCookies(c, edge, resolved)
  if (resolved) guardImpersonation(call, resolved.caller)
  return resolved
}

/** The only check for impersonated sessions: they may make only the calls in the list. */
function guardImpersonation({ path }: Call, { session }: Caller): void {
  if (session.impersonatedBy !== null && !allowedWhileImpersonating.has(path))
    throw new Failure('NOT_WHILE_IMPERSONATING')
}

/** Machines may only make calls that declare a scope. A key with scopes may only make calls within them. */
function guardScope(
  { scope, isForPipelines, isForSelfRotation }: Call,
  { scopes, isKey, rotatesItself }: MachineCaller,
): void {
  if (isKey ? isForSelfRotation && rotatesItself : isForPipelines) return
  if (scope === undefined) throw new Failure('KEY_FORBIDDEN')
  if (scopes && !scopes.includes(scope)) throw new Failure('KEY_SCOPE_MISSING', { field: scope })
}

/**
 * Issues the session's cookies again, and those of the device and of an administrator's own session that an older secret
 * signed. Those of another account in the browser are issued when it becomes active.
 */
export function renewCookies(c: Context<HonoEnv>, edge: Edge, resolved: ResolvedSession): void {
  const header = c.req.header('cookie') ?? ''
  const { keys, cookies } = edge
  issueSession(c, edge, issuedFrom(resolved))
  if (!keys.cookie.isRotating) return
  const mark = renewDeviceMark(keys.device, cookies.readMarks(header), resolved.caller.user.email)
  const others = [...cookies.renewAdmin(header, resolved.remaining), ...(mark === null ? [] : [cookies.mark(mark)])]
  addCookies(c.get('state'), others)
}

/** A resolved session, to be issued to its client again. */
export const issuedFrom = ({
  caller: { session, user, key },
  remembered,
  remaining,
}: ResolvedSession): IssuedSession => ({
  token: session.token,
  maxAge: remembered ? remaining : null,
  userId: session.impersonatedBy === null && key === null ? user.id : null,
})
