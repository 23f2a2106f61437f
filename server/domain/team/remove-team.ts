import type { Input, Output } from '../../../shared/contract/call.ts'
import type { removeTeam as Call } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import { findActorBehindLock } from '../../db/organization-actors.ts'
import { deleteTeam } from '../../db/teams.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { organizationOf } from '../organization/actor.ts'
import { requirePermission } from '../organization/roles.ts'

/** Counted behind a lock on the organization: of the last two teams one stays, however many remove them at once. */
export async function removeTeam(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { teamId, organizationId: named }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const organizationId = organizationOf(caller, named, 'NO_ACTIVE_ORGANIZATION')
  await transaction(sql, async (tx) => {
    const actor = await findActorBehindLock(tx, organizationId, caller.user.id)
    if (!actor || actor.teamId === teamId) throw new Failure('TEAM_NOT_YOURS_TO_DELETE')
    requirePermission(config, actor, 'team:delete', 'TEAM_DELETE_FORBIDDEN')
    const event = client.event(tx, 'team-deleted', { userId: caller.user.id, organizationId, target: teamId })
    const end = { organizationId, teamId, mayBeLast: config.ALLOW_REMOVING_ALL_TEAMS, event }
    const { outcome } = await deleteTeam(tx, end)
    if (outcome !== 'done') throw new Failure(outcome === 'last' ? 'LAST_TEAM' : 'TEAM_NOT_FOUND')
  })
  return { message: 'Team removed successfully.' }
}
