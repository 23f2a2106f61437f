import type { Input, Output } from '../../../shared/contract/call.ts'
import type { listTeams as List, listTeamMembers as Members } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import { listTeams as find, listTeamMembers as findMembers, findTeamActor } from '../../db/teams.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request.ts'
import { requireActor } from '../organization/actor.ts'

export async function listTeams(
  deps: Deps,
  caller: Caller,
  { organizationId }: Input<typeof List>,
): Promise<Output<typeof List>> {
  const refusals = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'TEAMS_NOT_YOURS' } as const
  const actor = await requireActor(deps, caller, organizationId, refusals)
  return [...(await find(deps.sql, actor.organizationId))]
}

export async function listTeamMembers(
  { sql, config }: Deps,
  { user }: Caller,
  { teamId }: Input<typeof Members>,
): Promise<Output<typeof Members>> {
  if (!(await findTeamActor(sql, teamId, user.id))) throw new Failure('TEAM_NOT_FOUND')
  return findMembers(sql, teamId, config.MEMBERSHIP_LIMIT)
}
