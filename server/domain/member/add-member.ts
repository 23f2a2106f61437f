import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { addMember as Call } from '../../../shared/contract/organization.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { addMember as write } from '../../db/members.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request.ts'
import { readRoles } from '../organization/roles.ts'
import { shape } from '../organization/shape.ts'

const refusals = {
  user: 'USER_NOT_FOUND',
  member: 'ALREADY_A_MEMBER',
  team: 'TEAM_NOT_FOUND',
  full: 'MEMBERSHIP_LIMIT_REACHED',
} as const satisfies Record<string, FailureName>

/** For trusted servers, which answer for it: no role of an actor is checked. */
export async function addMember(
  { sql, config }: Deps,
  client: Client,
  caller: Caller | null,
  { userId, role, organizationId: named, teamId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const organizationId = named ?? caller?.session.activeOrganizationId
  if (!organizationId) throw new Failure('NO_ACTIVE_ORGANIZATION')
  if (teamId !== undefined && !config.TEAMS) throw new Failure('TEAMS_OFF')
  const roleText = readRoles(config, role).join(',')
  const limit = config.MEMBERSHIP_LIMIT
  const added = { id: uuid(), organizationId, userId, role: roleText, teamId: teamId ?? null, limit }
  const result = await transaction(sql, async (tx) => {
    if (!(await lockOrganization(tx, organizationId))) throw new Failure('ORGANIZATION_NOT_FOUND')
    return write(tx, added)
  })
  if ('refusal' in result) throw new Failure(refusals[result.refusal])
  client.note('member-added', { userId: caller?.user.id ?? null, memberUserId: userId, organizationId, role: roleText })
  return shape(config, result.member)
}
