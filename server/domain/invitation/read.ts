import type { Input, Output } from '../../../shared/contract/call.ts'
import type {
  getInvitation as Get,
  listInvitations as List,
  listUserInvitations as Mine,
} from '../../../shared/contract/invitation.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import { listInvitations as find, listInvitationsTo } from '../../db/invitations.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { maxRowsBy, type PageOf, readPageRequest } from '../../request/paging.ts'
import { requireActor } from '../organization/actor.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'
import { requireInvitation } from './recipient.ts'

export async function getInvitation(
  deps: Deps,
  caller: Caller | null,
  { id }: Input<typeof Get>,
): Promise<Output<typeof Get>> {
  if (!caller) throw new Failure('NOT_AUTHENTICATED')
  const {
    isUsable: _,
    inviterRoles,
    ...invitation
  } = await requireInvitation(deps, caller, id, 'INVITATION_NOT_FOUND_FOR_RECIPIENT')
  if (inviterRoles === null) throw new Failure('INVITER_NOT_A_MEMBER')
  return hideTeamIfOff(deps.config, invitation)
}

export async function listInvitations(
  deps: Deps,
  caller: Caller,
  { organizationId, status = 'pending', ...asked }: Input<typeof List>,
): Promise<PageOf<Invitation>> {
  const failures = { none: 'ORGANIZATION_ID_REQUIRED', outsider: 'NOT_YOUR_ORGANIZATION' } as const
  const actor = await requireActor(deps, caller, organizationId, failures)
  const page = readPageRequest(asked, maxRowsBy(deps.config.INVITATION_LIMIT))
  const { rows, next } = await find(deps.sql, actor.organizationId, status, page)
  return { rows: rows.map((row) => hideTeamIfOff(deps.config, row)), next }
}

/**
 * The caller's pending invitations, of any organization. Only for a proven address, even where the settings let unverified
 * ones answer: there the id from the mail proves the outbox, so nobody else may learn it.
 */
export async function listUserInvitations(
  { sql, config }: Deps,
  { provenAddress }: Caller,
  asked: Input<typeof Mine>,
): Promise<PageOf<InvitationView>> {
  if (!provenAddress) throw new Failure('EMAIL_VERIFICATION_REQUIRED')
  const { rows, next } = await listInvitationsTo(
    sql,
    provenAddress.email,
    readPageRequest(asked, maxRowsBy(config.INVITATION_LIMIT)),
  )
  return { rows: rows.map((row) => hideTeamIfOff(config, row)), next }
}
