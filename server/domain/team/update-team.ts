import type { Input, Output } from '../../../shared/contract/call.ts'
import type { updateTeam as Call } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import { renameTeam } from '../../db/teams.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireActor } from '../organization/actor.ts'
import { requirePermission } from '../organization/roles.ts'

/** Only the name is applied; `data.organizationId` says which organization is meant and moves nothing. */
export async function updateTeam(
  deps: Deps,
  client: Client,
  caller: Caller,
  { teamId, data }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'TEAM_UPDATE_FORBIDDEN' } as const
  const actor = await requireActor(deps, caller, data.organizationId, failures)
  const { organizationId } = actor
  requirePermission(deps.config, actor, 'team:update', 'TEAM_UPDATE_FORBIDDEN')
  const about = { userId: caller.user.id, organizationId, target: teamId }
  const team = await tellWhenKept((act) =>
    renameTeam(deps.sql, { organizationId, teamId, name: data.name, event: client.event(act, 'team-updated', about) }),
  )
  if (!team) throw new Failure('TEAM_NOT_FOUND')
  return team
}
