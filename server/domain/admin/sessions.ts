import type * as calls from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import type { Target } from '../../db/admins.ts'
import { withCommit } from '../../db/connect.ts'
import { deleteSession } from '../../db/sessions.ts'
import { isRowFound, logEventsOnceCommitted } from '../../db/transaction.ts'
import {
  deleteImpersonation,
  deleteUserSessions,
  insertImpersonation,
  listAllSessions,
  sessionOwner,
} from '../../db/user-sessions.ts'
import type { Deps } from '../../deps.ts'
import { requireAdmission, SessionProof, withoutEndedBan } from '../../request/admission.ts'
import { addLateFacts } from '../../request/audit-event.ts'
import type { Caller, Client, IssuedSession, KeptAdminSession, ResolvedSession } from '../../request/client.ts'
import { resolveSession } from '../session/resolve.ts'
import { isPrivileged, requirePlatformPermission } from './permission.ts'
import { requireHuman, withAdminRightOver } from './with-admin-right.ts'

/** Shows handles in place of tokens, so a reader cannot use the sessions. */
export async function listUserSessions(
  deps: Deps,
  caller: Caller,
  { userId }: Input<typeof calls.listUserSessions>,
): Promise<Output<typeof calls.listUserSessions>> {
  requirePlatformPermission(deps, caller, 'session:list', 'USER_SESSIONS_LIST_FORBIDDEN')
  const sessions = await listAllSessions(deps.sql, userId)
  if (!sessions) throw new Failure('NO_SUCH_USER')
  return { sessions: sessions.map((session) => ({ ...session, token: session.id })) }
}

const right = { permission: 'session:revoke', failure: 'USER_SESSIONS_REVOKE_FORBIDDEN' } as const

export async function revokeUserSession(
  deps: Deps,
  client: Client,
  caller: Caller,
  { sessionToken }: Input<typeof calls.revokeUserSession>,
): Promise<Output<typeof calls.revokeUserSession>> {
  const tokenHash = digestOf(sessionToken)
  const owner = { userId: sessionOwner(tokenHash, sessionToken), missing: 'SESSION_NOT_FOUND' } as const
  const room = client.requireRoom(null, 'user-sessions-revoked')
  const ended = await withAdminRightOver(deps, caller, { ...right, ...owner, room }, async (tx, target, actor) => {
    const userId = target.id
    const event = client.event(tx, 'user-sessions-revoked', { ...by(actor.id, userId), count: 1 })
    const end = { userId, tokenHash, handle: sessionToken, event }
    const gone = await withCommit(tx, (last) => deleteSession(last, end))
    if (!gone) throw new Failure('SESSION_NOT_FOUND')
    return gone
  })
  deps.revocations.add([ended.id])
  return { success: true }
}

export async function revokeUserSessions(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof calls.revokeUserSessions>,
): Promise<Output<typeof calls.revokeUserSessions>> {
  const room = client.requireRoom(null, 'user-sessions-revoked')
  const ended = await withAdminRightOver(deps, caller, { ...right, userId, room }, async (tx, _target, actor) => {
    const event = client.event(tx, 'user-sessions-revoked', { ...by(actor.id, userId), count: 0 })
    const gone = await withCommit(tx, (last) => deleteUserSessions(last, userId, null, event))
    addLateFacts(event, { count: gone.length })
    return gone
  })
  deps.revocations.add(ended)
  return { success: true }
}

const by = (userId: string, targetUserId: string) => ({ userId, targetUserId })

interface ImpersonationStart {
  readonly answer: Output<typeof calls.impersonateUser>
  readonly issued: IssuedSession
}

/** Begins a short session as another user. It ends with the administrator's own session. */
export async function impersonateUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof calls.impersonateUser>,
): Promise<ImpersonationStart> {
  const lifetime = deps.config.IMPERSONATION_SESSION_DURATION
  const right = { permission: 'user:impersonate', failure: 'USER_IMPERSONATION_FORBIDDEN', userId } as const
  const room = client.requireRoom(null, 'impersonation-started')
  const { user, stored, issued } = await withAdminRightOver(
    deps,
    caller,
    { ...right, room },
    async (tx, target, actor) => {
      const proof = requireOrdinary(deps, target)
      const passed = requireAdmission(deps, client, proof, { remembered: false, lifetime })
      const about = { userId: actor.id, targetUserId: userId, seconds: lifetime }
      const event = client.event(tx, 'impersonation-started', about)
      const started = { admitted: passed.admitted, userId, admin: caller.session, event }
      const session = await withCommit(tx, (last) => insertImpersonation(last, started))
      if (!session) throw new Failure('UNAUTHORIZED')
      return { user: withoutEndedBan(target), stored: session, issued: passed.issued }
    },
  )
  return { answer: { session: { ...stored, token: issued.token }, user }, issued }
}

/** A user whom an administrator may impersonate. */
class OrdinaryUser extends SessionProof {
  constructor({ id, isBanned, emailVerified }: Target) {
    super('impersonation', { id, isBanned, emailVerified })
  }
}

/** Refuses users with platform permissions, and so the administrator too. */
function requireOrdinary({ config }: Deps, user: Target): OrdinaryUser {
  requireHuman(user)
  if (isPrivileged(config, user)) throw new Failure('ADMIN_IMPERSONATION')
  return new OrdinaryUser(user)
}

interface ImpersonationEnd {
  readonly answer: Output<typeof calls.stopImpersonating>
  /** The administrator's own session. Null when nobody is signed in any more. */
  readonly resumed: ResolvedSession | null
}

/**
 * Finds the administrator's session first: when that fails, nothing was done, and the client still has what to ask
 * again with.
 */
export async function stopImpersonating(
  deps: Deps,
  client: Client,
  { session, user }: Caller,
  kept: KeptAdminSession | null,
): Promise<ImpersonationEnd> {
  if (session.impersonatedBy === null) throw new Failure('NOT_IMPERSONATING')
  const isOwn = kept?.impersonationId === session.id
  // It is issued again in any case, so the newest secret signs it.
  const options = { mayExtend: true, client: { isOutdated: true, isImported: false, isForgetful: false } }
  const resumed = isOwn ? await resolveSession(deps, kept.token, options) : null
  const about = { userId: session.impersonatedBy, targetUserId: user.id }
  const ended = await logEventsOnceCommitted((act) => {
    const event = client.event(act, 'impersonation-ended', about)
    return deleteImpersonation(deps.sql, session.id, event)
  }, isRowFound)
  if (!ended) throw new Failure('UNAUTHORIZED')
  if (!resumed || resumed.caller.session.id !== ended.adminSessionId)
    return { answer: { session: null, user: null }, resumed: null }
  return { answer: resumed.caller, resumed }
}
