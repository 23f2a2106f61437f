import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { createTeam as Call } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import { findActorBehindLock } from '../../db/organization-actors.ts'
import { createTeam as write } from '../../db/teams.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { organizationOf } from '../organization/actor.ts'
import { requirePermission } from '../organization/roles.ts'

export async function createTeam(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { name, organizationId: named }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const organizationId = organizationOf(caller, named, 'NO_ACTIVE_ORGANIZATION')
  const id = uuid()
  return transaction(sql, async (tx) => {
    const actor = await findActorBehindLock(tx, organizationId, caller.user.id)
    if (!actor) throw new Failure('INVITATION_CREATE_FORBIDDEN')
    requirePermission(config, actor, 'team:create', 'TEAM_CREATE_FORBIDDEN')
    const event = client.event(tx, 'team-created', { userId: caller.user.id, organizationId, target: id })
    const team = await write(tx, { id, name, organizationId }, config.MAXIMUM_TEAMS, event)
    if (!team) throw new Failure('TEAM_LIMIT_REACHED')
    return team
  })
}
