import type {
  listUserSessions as ListCall,
  revokeUserSessions as RevokeAllCall,
  revokeUserSession as RevokeCall,
} from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import { deleteSession } from '../../db/sessions.ts'
import { deleteUserSessions, findSessionOwner, listAllSessions } from '../../db/user-sessions.ts'
import type { Deps } from '../../deps.ts'
import { learn } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { actOn } from './act.ts'
import { requirePlatformPermission } from './permission.ts'

/** With handles in place of tokens: who may look at sessions cannot use them. */
export async function listUserSessions(
  deps: Deps,
  caller: Caller,
  { userId }: Input<typeof ListCall>,
): Promise<Output<typeof ListCall>> {
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
  { sessionToken }: Input<typeof RevokeCall>,
): Promise<Output<typeof RevokeCall>> {
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  const tokenHash = digestOf(sessionToken)
  const owner = await findSessionOwner(deps.sql, tokenHash, sessionToken)
  if (!owner) throw new Failure('SESSION_NOT_FOUND')
  const { userId } = owner
  const room = client.requireRoom(null, 'user-sessions-revoked')
  const ended = await actOn(deps, caller, { ...right, userId, room }, async (tx, _target, actor) => {
    const event = client.event(tx, 'user-sessions-revoked', { ...by(actor.id, userId), count: 1 })
    const gone = await deleteSession(tx, { userId, tokenHash, handle: sessionToken, event })
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
  { userId }: Input<typeof RevokeAllCall>,
): Promise<Output<typeof RevokeAllCall>> {
  const room = client.requireRoom(null, 'user-sessions-revoked')
  const ended = await actOn(deps, caller, { ...right, userId, room }, async (tx, _target, actor) => {
    const event = client.event(tx, 'user-sessions-revoked', { ...by(actor.id, userId), count: 0 })
    const gone = await deleteUserSessions(tx, userId, null, event)
    learn(event, { count: gone.length })
    return gone
  })
  deps.revocations.add(ended)
  return { success: true }
}

const by = (userId: string, targetUserId: string) => ({ userId, targetUserId })
