import type { Input, Output } from '../../../shared/contract/call.ts'
import type { removeMember as Call } from '../../../shared/contract/member.ts'
import { deleteMember, lockMembers } from '../../db/members.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { organizationOf } from '../organization/actor.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'
import { chooseRemoval, readTarget } from './choose-target.ts'

export async function removeMember(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { memberIdOrEmail, organizationId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const organization = organizationOf(caller, organizationId, 'NO_ACTIVE_ORGANIZATION')
  const target = readTarget(memberIdOrEmail)
  const concerned = { organizationId: organization, userId: caller.user.id, ...target, ownerRole: config.CREATOR_ROLE }
  const { member, event } = await transaction(sql, async (tx) => {
    const members = await lockMembers(tx, concerned)
    const chosen = chooseRemoval(config, members, caller.user.id, target)
    const about = { userId: caller.user.id, memberUserId: chosen.userId, organizationId: organization }
    const removed = client.event('member-removed', about)
    await deleteMember(tx, chosen.id, removed)
    return { member: chosen, event: removed }
  })
  client.note(event)
  return { member: hideTeamIfOff(config, member) }
}
