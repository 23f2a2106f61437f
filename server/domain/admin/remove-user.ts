import type { removeUser as Call } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { findConcerned, lockAdministration } from '../../db/admins.ts'
import { toldTransaction } from '../../db/transaction.ts'
import { lockDeletion, deleteUser as write } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { runAfter, runBefore } from '../hooks.ts'
import { requireActor, requireTarget } from './act.ts'
import { personOf, requirePlatformPermission } from './permission.ts'

const right = { permission: 'user:delete', failure: 'USER_DELETE_FORBIDDEN' } as const

/** By the rules for who deletes their own account: no organization with others in it is left without an owner. */
export async function removeUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  if (userId === caller.user.id) throw new Failure('SELF_REMOVAL')
  const { beforeDeleteUser, afterDeleteUser } = deps.config.extensions
  const involved = { sessionId: caller.session.id, userId }
  const { target } = await findConcerned(deps.sql, involved)
  const user = requireTarget(deps, personOf(caller), target, right)
  await runBefore(beforeDeleteUser, user)
  const session = { id: caller.session.id, userId }
  const deletion = { session, identifier: null, ownerRole: deps.config.CREATOR_ROLE }
  const { ended, organizations } = await toldTransaction(
    deps.sql,
    client.requireRoom(null, 'user-removed'),
    async (tx) => {
      await lockAdministration(tx)
      const behindLock = await findConcerned(tx, involved)
      requireTarget(deps, requireActor(deps, behindLock.actor, right), behindLock.target, right)
      await lockDeletion(tx, deletion)
      const event = client.event(tx, 'user-removed', { userId: caller.user.id, targetUserId: userId })
      const deleted = await write(tx, { ...deletion, event })
      if (deleted.outcome === 'only-owner') throw new Failure('ONLY_OWNER')
      if (deleted.outcome !== 'done') throw new Failure('NO_SUCH_USER')
      return deleted
    },
  )
  deps.revocations.add(ended)
  await runAfter(deps, afterDeleteUser, user)
  return { success: true, ...(organizations.length > 0 ? { organizations } : {}) }
}
