import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { createTeam as Call } from '../../../shared/contract/team.ts'
import { Failure } from '../../../shared/failure.ts'
import { lockOrganization, createTeam as write } from '../../db/teams.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request.ts'
import { requireActor } from '../organization/actor.ts'
import { can } from '../organization/roles.ts'

export async function createTeam(
  deps: Deps,
  caller: Caller,
  { name, organizationId: named }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const { sql, config } = deps
  const refusals = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'INVITATION_CREATE_FORBIDDEN' } as const
  const { organizationId, memberId, role } = await requireActor(deps, caller, named, refusals)
  if (!can(config.roles, role, 'team:create')) throw new Failure('TEAM_CREATE_FORBIDDEN')
  const made = { id: uuid(), name, organizationId, memberId }
  const limit = config.MAXIMUM_TEAMS ?? null
  const team =
    limit === null
      ? await write(sql, made, null)
      : await transaction(sql, async (tx) => {
          await lockOrganization(tx, organizationId)
          return write(tx, made, limit)
        })
  if (!team) throw new Failure('TEAM_LIMIT_REACHED')
  return team
}
