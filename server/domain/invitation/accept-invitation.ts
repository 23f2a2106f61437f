import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { acceptInvitation as Call } from '../../../shared/contract/invitation.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { type AcceptOutcome, acceptInvitation as write } from '../../db/accept-invitation.ts'
import type { FoundInvitation } from '../../db/invitations.ts'
import { lockJoining } from '../../db/organizations.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'
import { organizationLimitOf } from '../organization/limit.ts'
import { can, mayGive } from '../organization/roles.ts'
import { requireInvitation } from './recipient.ts'

const failures = {
  'already-member': 'ALREADY_A_MEMBER',
  'user-full': 'ORGANIZATION_LIMIT_REACHED',
  full: 'MEMBERSHIP_LIMIT_REACHED',
  changed: 'INVITATION_NOT_FOUND',
  deleted: 'INVITATION_NOT_RETRIEVED',
} as const satisfies Record<string, FailureName>

type Ask = Input<typeof Call>

/**
 * Accepted exactly once, within the limits, and only while the inviter may still give the promised roles. When that changed
 * since it was read, it is read once more, which also finds the reason.
 */
export async function acceptInvitation(
  deps: Deps,
  client: Client,
  caller: Caller,
  input: Ask,
): Promise<Output<typeof Call>> {
  const first = await attempt(deps, client, caller, input)
  const accepted = first.outcome === 'changed' ? await attempt(deps, client, caller, input) : first
  if (accepted.outcome !== 'done') throw new Failure(failures[accepted.outcome])
  return {
    invitation: hideTeamIfOff(deps.config, accepted.invitation),
    member: hideTeamIfOff(deps.config, accepted.member),
  }
}

async function attempt(deps: Deps, client: Client, caller: Caller, { invitationId }: Ask): Promise<AcceptOutcome> {
  const { config, sql } = deps
  const found = await requireInvitation(deps, caller, invitationId, 'INVITATION_NOT_FOUND')
  if (!isVouched(config, found)) throw new Failure('INVITER_NOT_A_MEMBER')
  const { user, session } = caller
  const limits = { limit: config.MEMBERSHIP_LIMIT, organizationLimit: await organizationLimitOf(deps, user) }
  const { organizationId, role } = found
  const acceptance = { found, memberId: uuid(), userId: user.id, sessionId: session.id, ...limits }
  return transaction(sql, async (tx) => {
    await lockJoining(tx, { invitationId }, user.id)
    const about = { userId: user.id, organizationId, role: textOfRoles(role) }
    return write(tx, { ...acceptance, event: client.event(tx, 'invitation-accepted', about) })
  })
}

/** Whether the inviter is still a member who may invite to every one of these roles, and each of them still exists. */
function isVouched(config: Config, { inviterRoles: roles, inviterSponsorRoles, role }: FoundInvitation): boolean {
  if (roles === null) return false
  const inviter = { roles, sponsorRoles: inviterSponsorRoles }
  const areKnown = role.every((name) => Object.hasOwn(config.roles, name))
  return areKnown && can(config, inviter, 'invitation:create') && mayGive(config, inviter, role)
}
