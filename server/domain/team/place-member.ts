import type { Input, Output } from '../../../shared/contract/call.ts'
import type { addTeamMember as Add, removeTeamMember as Remove } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import { displaceMember, findTeamActor, placeMember } from '../../db/teams.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { can } from '../organization/roles.ts'

export async function addTeamMember(deps: Deps, caller: Caller, input: Input<typeof Add>): Promise<Output<typeof Add>> {
  await refuseUnlessAllowed(deps, caller, input.teamId)
  const member = await placeMember(deps.sql, input.teamId, input.userId)
  if (!member) throw new Failure('MEMBER_NOT_FOUND')
  return member
}

export async function removeTeamMember(
  deps: Deps,
  caller: Caller,
  input: Input<typeof Remove>,
): Promise<Output<typeof Remove>> {
  await refuseUnlessAllowed(deps, caller, input.teamId)
  const member = await displaceMember(deps.sql, input.teamId, input.userId)
  if (!member) throw new Failure('MEMBER_NOT_FOUND')
  return member
}

/** A team of a foreign organization is as if it were not there. */
async function refuseUnlessAllowed({ sql, config }: Deps, { user }: Caller, teamId: string): Promise<void> {
  const actor = await findTeamActor(sql, teamId, user.id)
  if (!actor) throw new Failure('TEAM_NOT_FOUND')
  if (!can(config.roles, actor.roles, 'team:update')) throw new Failure('TEAM_UPDATE_FORBIDDEN')
}
