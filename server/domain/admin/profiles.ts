import type { getUser as GetUserCall, updateManagedUser as UpdateUserCall } from '../../../shared/contract/admin.ts'
import type { Input } from '../../../shared/contract/call.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { findActorAndTarget } from '../../db/admins.ts'
import { updateManagedUser as updateProfile } from '../../db/managed-users.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { finishRecorded } from '../audit/record.ts'
import { requirePlatformPermission } from './permission.ts'
import { requireHuman, withAdminRightOver } from './with-admin-right.ts'

/** Administrators see every user, as in the list. */
export async function getUser(deps: Deps, caller: Caller, { id }: Input<typeof GetUserCall>): Promise<FullUser> {
  requirePlatformPermission(deps, caller, 'user:list', 'USER_VIEW_FORBIDDEN')
  const { target } = await findActorAndTarget(deps.sql, { sessionId: caller.session.id, userId: id })
  if (!target) throw new Failure('NO_SUCH_USER')
  return target
}

/** Changes only the profile, so that the change gives nobody a right. */
export async function updateManagedUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId, data }: Input<typeof UpdateUserCall>,
): Promise<FullUser> {
  const right = { permission: 'user:update', failure: 'USER_UPDATE_FORBIDDEN', userId } as const
  const room = client.requireRoom(null, 'user-updated')
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  const fields = Object.keys(data)
  if (fields.length === 0) throw new Failure('NO_DATA_TO_UPDATE')
  return withAdminRightOver(deps, caller, { ...right, room }, async (tx, target, actor) => {
    requireHuman(target)
    const about = { userId: actor.id, targetUserId: userId, fields: fields.join(',') }
    return finishRecorded(tx, client.event(tx, 'user-updated', about), (sql) => updateProfile(sql, userId, data))
  })
}
