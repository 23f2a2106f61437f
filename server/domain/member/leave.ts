import type { Input, Output } from '../../../shared/contract/call.ts'
import type { leave as Call } from '../../../shared/contract/member.ts'
import { Failure } from '../../../shared/failure.ts'
import { deleteMember, lockMembers } from '../../db/members.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'
import { isOwner } from '../organization/roles.ts'

export async function leave(
  { sql, config }: Deps,
  client: Client,
  { user }: Caller,
  { organizationId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const concerned = { organizationId, userId: user.id, memberId: null, email: null, ownerRole: config.CREATOR_ROLE }
  const member = await transaction(sql, async (tx) => {
    const members = await lockMembers(tx, concerned)
    const self = members.find(({ userId }) => userId === user.id)
    if (!self) throw new Failure('MEMBER_NOT_FOUND')
    const owners = members.filter(({ role }) => isOwner(config, role))
    if (isOwner(config, self.role) && owners.length === 1) throw new Failure('ONLY_OWNER')
    await deleteMember(tx, self.id, client.event(tx, 'member-left', { userId: user.id, organizationId }))
    return self
  })
  return hideTeamIfOff(config, member)
}
