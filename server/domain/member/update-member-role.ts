import type { Input, Output } from '../../../shared/contract/call.ts'
import type { updateMemberRole as Call } from '../../../shared/contract/member.ts'
import { Failure } from '../../../shared/failure.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { type LockedMember, lockMembers, updateMemberRole as write } from '../../db/members.ts'
import type { Standing } from '../../db/standing.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { organizationOf } from '../organization/actor.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'
import { can, isOwner, mayGive, requireAllowed, requireKnown } from '../organization/roles.ts'
import { chooseTarget, mayTouch, standingOf } from './choose-target.ts'

export async function updateMemberRole(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { memberId, role: roles, organizationId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  requireKnown(config, roles)
  const organization = organizationOf(caller, organizationId, 'NO_ACTIVE_ORGANIZATION')
  const target = { memberId, email: null }
  const concerned = { organizationId: organization, userId: caller.user.id, ...target, ownerRole: config.CREATOR_ROLE }
  const member = await transaction(sql, async (tx) => {
    const members = await lockMembers(tx, concerned)
    const chosen = chooseRoleChange(config, members, caller.user.id, { memberId, roles })
    const about = { userId: caller.user.id, memberUserId: chosen.userId, organizationId: organization }
    const change = { from: textOfRoles(chosen.role), to: textOfRoles(roles) }
    if (change.from === change.to) return chosen
    return write(tx, chosen.id, roles, client.event(tx, 'role-changed', { ...about, ...change }))
  })
  if (!member) throw new Failure('MEMBER_NOT_FOUND')
  return hideTeamIfOff(config, member)
}

interface RoleChange {
  readonly memberId: string
  readonly roles: readonly string[]
}

/**
 * Only owners touch owners or make them, and never of a machine; nobody touches who may do more or grants more than they hold,
 * and one owner stays.
 */
export function chooseRoleChange(
  config: Config,
  members: readonly LockedMember[],
  actorId: string,
  { memberId, roles }: RoleChange,
): LockedMember {
  const { actor, target, isOnlyOwner } = chooseTarget(config, members, actorId, { memberId, email: null })
  const isMachineOwner = target.user.isMachine === true && isOwner(config, roles)
  const isEntitled = (as: Standing) =>
    !isMachineOwner &&
    can(config, as, 'member:update') &&
    mayTouch(config, as, target.role) &&
    mayGive(config, as, roles)
  requireAllowed(standingOf(actor), isEntitled, 'MEMBER_UPDATE_FORBIDDEN')
  if (isOnlyOwner && !roles.includes(config.CREATOR_ROLE)) throw new Failure('ONLY_OWNER')
  return target
}
