import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { addMember as Call } from '../../../shared/contract/organization.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import { addMember as write } from '../../db/members.ts'
import { findUser, lockJoining } from '../../db/organizations.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'
import { organizationLimitOf } from '../organization/limit.ts'
import { requireKnown } from '../organization/roles.ts'

const failures = {
  'no-user': 'USER_NOT_FOUND',
  'already-member': 'ALREADY_A_MEMBER',
  'no-team': 'TEAM_NOT_FOUND',
  'user-full': 'ORGANIZATION_LIMIT_REACHED',
  full: 'MEMBERSHIP_LIMIT_REACHED',
} as const satisfies Record<string, FailureName>

/** For trusted servers: nobody's role is checked. */
export async function addMember(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { userId, role: roles, organizationId: named, teamId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const { sql, config } = deps
  const organizationId = named ?? caller?.session.activeOrganizationId
  if (!organizationId) throw new Failure('NO_ACTIVE_ORGANIZATION')
  if (teamId !== undefined && !config.TEAMS) throw new Failure('TEAMS_OFF')
  requireKnown(config, roles)
  const limits = { limit: config.MEMBERSHIP_LIMIT, organizationLimit: await limitOf(deps, userId) }
  const about = { userId: caller?.user.id ?? null, memberUserId: userId, organizationId }
  const added = { id: uuid(), organizationId, userId, roles, teamId: teamId ?? null, ...limits }
  const result = await transaction(sql, async (tx) => {
    if (!(await lockJoining(tx, { organizationId }, userId))) throw new Failure('ORGANIZATION_NOT_FOUND')
    return write(tx, { ...added, event: client.event(tx, 'member-added', { ...about, role: textOfRoles(roles) }) })
  })
  if (result.outcome !== 'done') throw new Failure(failures[result.outcome])
  return hideTeamIfOff(config, result.member)
}

/** The user is read only for a function of the config file, which wants more than the id. */
async function limitOf(deps: Deps, userId: string): Promise<number> {
  if (!deps.config.extensions.organizationLimit) return deps.config.ORGANIZATION_LIMIT
  const user = await findUser(deps.sql, userId)
  if (!user) throw new Failure('USER_NOT_FOUND')
  return organizationLimitOf(deps, user)
}
