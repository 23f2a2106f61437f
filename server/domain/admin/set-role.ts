import type { setRole as Call } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import { setRoles } from '../../db/managed-users.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { record } from '../audit/record.ts'
import { actOn, requirePerson } from './act.ts'
import { covers, isGranted, isPrivileged, requireKnownRoles, requirePlatformPermission } from './permission.ts'

/** Nobody gives what they do not have, and nobody takes from themselves what they need to give it back. */
export async function setRole(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId, role }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const { config, revocations } = deps
  const right = { permission: 'user:set-role', failure: 'USER_ROLE_FORBIDDEN', userId } as const
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  requireKnownRoles(config, role)
  const room = client.requireRoom(null, 'user-role-changed')
  const { user, ended } = await actOn(deps, caller, { ...right, room }, async (tx, target, actor) => {
    requirePerson(target)
    const after = { ...target, role }
    if (!covers(config, actor, after)) throw new Failure('USER_ROLE_FORBIDDEN')
    if (target.id === actor.id && !covers(config, after, target)) throw new Failure('SELF_DEMOTION')
    const [from, to] = [textOfRoles(target.role ?? []), textOfRoles(role)]
    if (from === to) return { user: target, ended: [] }
    const changed = await setRoles(tx, userId, role, {
      endsActing: !isGranted(config, after, 'user:impersonate'),
      endsActedAs: isPrivileged(config, after),
    })
    await record(tx, client, 'user-role-changed', { userId: actor.id, targetUserId: userId, from, to })
    return changed
  })
  revocations.add(ended)
  return { user }
}
