import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import type { ListedTeam } from '../../../shared/organization.ts'
import { readConfirmedList } from '../../db/lists.ts'
import { findActor } from '../../db/organization-actors.ts'
import { clearActiveTeam, keepOwnTeams, listTeamsOf, setActiveTeam } from '../../db/teams.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'
import { type PageOf, type PageRequest, readPageRequest, rowLimitFor } from '../../request/paging.ts'
import { listAsMember, requirePermission } from '../organization/roles.ts'

/** `null` leaves the active team. Without a team, the active one is chosen again. A refusal changes nothing. */
export async function chooseActiveTeam(
  { sql }: Deps,
  { session, user }: Caller,
  { teamId: named }: Input<typeof calls.setActiveTeam>,
): Promise<Output<typeof calls.setActiveTeam>> {
  const teamId = named === undefined ? session.activeTeamId : named
  if (named === null) await clearActiveTeam(sql, session.id)
  if (teamId === null) return null
  const organizationId = session.activeOrganizationId
  if (organizationId === null) throw new Failure('NO_ACTIVE_ORGANIZATION')
  const choice = await setActiveTeam(sql, { sessionId: session.id, userId: user.id, organizationId, teamId })
  if (choice.outcome !== 'done') throw new Failure(choice.outcome === 'no-team' ? 'TEAM_NOT_FOUND' : 'NOT_IN_TEAM')
  return choice.team
}

export function listUserTeams(
  deps: Deps,
  caller: Caller,
  { userId = caller.user.id, organizationId, ...asked }: Input<typeof calls.listUserTeams>,
  freshness: Freshness,
): Promise<PageOf<ListedTeam>> {
  const page = readPageRequest(asked, rowLimitFor(deps.config.MAXIMUM_TEAMS))
  if (userId !== caller.user.id || organizationId !== undefined)
    return listTeamsInOrganization(deps, caller, { userId, organizationId, page, freshness })
  return readConfirmedList(
    deps,
    freshness,
    (sql) => listTeamsOf(sql, userId, null, page),
    (found) => keepOwnTeams(deps.sql, userId, found),
  )
}

interface ListRequest {
  readonly userId: string
  readonly organizationId: string | undefined
  readonly page: PageRequest
  readonly freshness: Freshness
}

async function listTeamsInOrganization(
  deps: Deps,
  caller: Caller,
  { userId, organizationId: named, page, freshness }: ListRequest,
): Promise<PageOf<ListedTeam>> {
  const wanted = { named, none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_YOUR_ORGANIZATION', freshness } as const
  const { actor, found } = await listAsMember(deps, caller, wanted, (sql, reader) =>
    listTeamsOf(sql, userId, reader, page),
  )
  if (userId === caller.user.id) return found
  requirePermission(deps.config, actor, 'member:update', 'MEMBER_UPDATE_FORBIDDEN')
  const isMember = found.rows.length > 0 || (await findActor(deps.sql, actor.organizationId, userId)) !== null
  if (!isMember) throw new Failure('NOT_A_MEMBER')
  return found
}
