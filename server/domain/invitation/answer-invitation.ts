import type { Input, Output } from '../../../shared/contract/call.ts'
import type { cancelInvitation as Cancel, rejectInvitation as Reject } from '../../../shared/contract/invitation.ts'
import { Failure } from '../../../shared/failure.ts'
import { cancelInvitation as cancel, findCancelActor, rejectInvitation as reject } from '../../db/invitations.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'
import { requirePermission } from '../organization/roles.ts'
import { requireInvitation } from './recipient.ts'

export async function rejectInvitation(
  deps: Deps,
  client: Client,
  caller: Caller,
  { invitationId }: Input<typeof Reject>,
): Promise<Output<typeof Reject>> {
  const { organizationId } = await requireInvitation(deps, caller, invitationId, 'INVITATION_NOT_FOUND_FOR_RECIPIENT')
  const about = { userId: caller.user.id, organizationId }
  const invitation = await tellWhenKept((act) =>
    reject(deps.sql, invitationId, client.event(act, 'invitation-rejected', about)),
  )
  if (!invitation) throw new Failure('INVITATION_NOT_FOUND_FOR_RECIPIENT')
  return { invitation: hideTeamIfOff(deps.config, invitation), member: null }
}

/**
 * By a member of the organization who may; for others there is no such invitation. Also when it was answered already, which
 * changes no membership.
 */
export async function cancelInvitation(
  { sql, config }: Deps,
  client: Client,
  { user }: Caller,
  { invitationId }: Input<typeof Cancel>,
): Promise<Output<typeof Cancel>> {
  const actor = await findCancelActor(sql, invitationId, user.id)
  if (!actor) throw new Failure('INVITATION_NOT_FOUND')
  requirePermission(config, actor, 'invitation:cancel', 'INVITATION_CANCEL_FORBIDDEN')
  const about = { userId: user.id, organizationId: actor.organizationId }
  const invitation = await tellWhenKept((act) =>
    cancel(sql, invitationId, actor.memberId, client.event(act, 'invitation-canceled', about)),
  )
  if (!invitation) throw new Failure('INVITATION_NOT_FOUND')
  return hideTeamIfOff(config, invitation)
}
