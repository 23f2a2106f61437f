import type { Input } from '../../../shared/contract/call.ts'
import type { listTeams as List, listTeamMembers as Members } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import type { MemberView, Team } from '../../../shared/organization.ts'
import { listTeams as find, listTeamMembers as findMembers, findTeamActor } from '../../db/teams.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { maxMembersBy, maxRowsBy, type PageOf, readPageRequest } from '../../request/paging.ts'
import { requireActor } from '../organization/actor.ts'

export async function listTeams(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof List>,
): Promise<PageOf<Team>> {
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'TEAMS_NOT_YOURS' } as const
  const actor = await requireActor(deps, caller, organizationId, failures)
  return find(deps.sql, actor.organizationId, readPageRequest(asked, maxRowsBy(deps.config.MAXIMUM_TEAMS)))
}

export async function listTeamMembers(
  { sql, config }: Deps,
  { user }: Caller,
  { teamId, ...asked }: Input<typeof Members>,
): Promise<PageOf<MemberView>> {
  if (!(await findTeamActor(sql, teamId, user.id))) throw new Failure('TEAM_NOT_FOUND')
  return findMembers(sql, teamId, readPageRequest(asked, maxMembersBy(config.MEMBERSHIP_LIMIT)))
}
