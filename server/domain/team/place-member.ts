import type { Input, Output } from '../../../shared/contract/call.ts'
import type { addTeamMember as Add, removeTeamMember as Remove } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import { displaceMember, findTeamActor, placeMember } from '../../db/teams.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requirePermission } from '../organization/roles.ts'

export const addTeamMember = placing('team-member-added', placeMember)
export const removeTeamMember = placing('team-member-removed', displaceMember)

/** Puts a member into a team or takes one out of it, and tells so; the same rules hold for both. */
function placing(action: 'team-member-added' | 'team-member-removed', write: typeof placeMember) {
  return async (
    deps: Deps,
    client: Client,
    caller: Caller,
    { teamId, userId }: Input<typeof Add | typeof Remove>,
  ): Promise<Output<typeof Add | typeof Remove>> => {
    const organizationId = await requireTeam(deps, caller, teamId)
    const about = { userId: caller.user.id, memberUserId: userId, organizationId, target: teamId }
    const member = await tellWhenKept((act) => write(deps.sql, teamId, userId, client.event(act, action, about)))
    if (!member) throw new Failure('MEMBER_NOT_FOUND')
    return member
  }
}

/** The organization of a team whose members the caller may place. A team of a foreign one is as if it were not there. */
async function requireTeam({ sql, config }: Deps, { user }: Caller, teamId: string): Promise<string> {
  const actor = await findTeamActor(sql, teamId, user.id)
  if (!actor) throw new Failure('TEAM_NOT_FOUND')
  requirePermission(config, actor, 'team:update', 'TEAM_UPDATE_FORBIDDEN')
  return actor.organizationId
}
