import type { Input, Output } from '../../../shared/contract/call.ts'
import type { addTeamMember as Add, removeTeamMember as Remove } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import { displaceMember, findTeamActor, placeMember } from '../../db/teams.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { can } from '../organization/roles.ts'

export async function addTeamMember(
  deps: Deps,
  client: Client,
  caller: Caller,
  { teamId, userId }: Input<typeof Add>,
): Promise<Output<typeof Add>> {
  const organizationId = await requireTeam(deps, caller, teamId)
  const about = { userId: caller.user.id, memberUserId: userId, organizationId, target: teamId }
  const event = client.event('team-member-added', about)
  const member = await placeMember(deps.sql, teamId, userId, event)
  if (!member) throw new Failure('MEMBER_NOT_FOUND')
  client.note(event)
  return member
}

export async function removeTeamMember(
  deps: Deps,
  client: Client,
  caller: Caller,
  { teamId, userId }: Input<typeof Remove>,
): Promise<Output<typeof Remove>> {
  const organizationId = await requireTeam(deps, caller, teamId)
  const about = { userId: caller.user.id, memberUserId: userId, organizationId, target: teamId }
  const event = client.event('team-member-removed', about)
  const member = await displaceMember(deps.sql, teamId, userId, event)
  if (!member) throw new Failure('MEMBER_NOT_FOUND')
  client.note(event)
  return member
}

/** The organization of a team whose members the caller may place. A team of a foreign one is as if it were not there. */
async function requireTeam({ sql, config }: Deps, { user }: Caller, teamId: string): Promise<string> {
  const actor = await findTeamActor(sql, teamId, user.id)
  if (!actor) throw new Failure('TEAM_NOT_FOUND')
  if (!can(config.roles, actor.roles, 'team:update')) throw new Failure('TEAM_UPDATE_FORBIDDEN')
  return actor.organizationId
}
