import type { Input, Output } from '../../../shared/contract/call.ts'
import type { getActiveMember as Active, listMembers as List } from '../../../shared/contract/member.ts'
import { Failure } from '../../../shared/failure.ts'
import { listMembers as find, findMember } from '../../db/members.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { maxMembersBy, readPageRequest } from '../../request/paging.ts'
import { organizationOf, requireActor } from '../organization/actor.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'

export async function getActiveMember({ sql, config }: Deps, caller: Caller): Promise<Output<typeof Active>> {
  const organizationId = organizationOf(caller, undefined, 'NO_ACTIVE_ORGANIZATION')
  const member = await findMember(sql, organizationId, caller.user.id)
  if (!member) throw new Failure('MEMBER_NOT_FOUND')
  return hideTeamIfOff(config, member)
}

export async function listMembers(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof List>,
): Promise<Output<typeof List>> {
  const { sql, config } = deps
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const actor = await requireActor(deps, caller, organizationId, failures)
  const page = readPageRequest(asked, maxMembersBy(config.MEMBERSHIP_LIMIT))
  const { members, total } = await find(sql, actor.organizationId, page)
  return { members: members.map((member) => hideTeamIfOff(config, member)), total }
}
