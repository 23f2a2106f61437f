import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { addMember as Call } from '../../../shared/contract/organization.ts'
import { Failure } from '../../../shared/failure.ts'
import { lockNewMember, addMember as write } from '../../db/members.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request.ts'
import { readRoles } from '../organization/roles.ts'
import { shape } from '../organization/shape.ts'

/** For trusted servers, which answer for it: no role of an actor is checked. */
export async function addMember(
  { sql, config }: Deps,
  caller: Caller | null,
  { userId, role, organizationId: named, teamId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const organizationId = named ?? caller?.session.activeOrganizationId
  if (!organizationId) throw new Failure('NO_ACTIVE_ORGANIZATION')
  if (teamId !== undefined && !config.TEAMS) throw new Failure('TEAMS_OFF')
  const roleText = readRoles(config, role).join(',')
  const limit = config.MEMBERSHIP_LIMIT
  const added = { id: uuid(), organizationId, userId, role: roleText, teamId: teamId ?? null, limit }
  const member = await transaction(sql, async (tx) => {
    refuse(await lockNewMember(tx, added))
    return write(tx, added)
  })
  if (!member) throw new Failure('MEMBERSHIP_LIMIT_REACHED')
  return shape(config, member)
}

function refuse(facts: Awaited<ReturnType<typeof lockNewMember>>): void {
  if (!facts) throw new Failure('ORGANIZATION_NOT_FOUND')
  if (!facts.isUser) throw new Failure('USER_NOT_FOUND')
  if (facts.isMember) throw new Failure('ALREADY_A_MEMBER')
  if (!facts.isTeam) throw new Failure('TEAM_NOT_FOUND')
}
