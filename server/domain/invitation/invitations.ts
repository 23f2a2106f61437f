import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/invitation.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import { inLastTrip, type Sql } from '../../db/connect.ts'
import {
  type AcceptOutcome,
  cancelInvitation as cancel,
  type FoundInvitation,
  listInvitations as find,
  findInvitation,
  findInvitationActor,
  listInvitationsTo,
  rejectInvitation as reject,
  acceptInvitation as storeAcceptance,
} from '../../db/invitations.ts'
import { readList } from '../../db/lists.ts'
import { lockForJoining } from '../../db/organizations.ts'
import { isRowFound, logEventsOnceCommitted, transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { type UnitOfWork, withdrawEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'
import { type RawPageOf, readPageRequest, rowLimitFor } from '../../request/paging.ts'
import type { ProvenAddress } from '../../request/proven-address.ts'
import { memberLimits, organizationLimitOf } from '../organization/limit.ts'
import {
  actAsChecked,
  areKnownRoles,
  can,
  canGrantRoles,
  listAsMember,
  requirePermission,
} from '../organization/roles.ts'

const failuresOfAccepting = {
  'already-member': 'ALREADY_A_MEMBER',
  'user-full': 'ORGANIZATION_LIMIT_REACHED',
  full: 'MEMBERSHIP_LIMIT_REACHED',
  'team-full': 'TEAM_FULL',
  changed: 'INVITATION_NOT_FOUND',
  deleted: 'INVITATION_NOT_RETRIEVED',
} as const satisfies Record<string, FailureName>

/** Reads the invitation that a call names, perhaps before it is known who asks. */
export const readInvitation = (deps: Deps, id: string, sql: Sql = deps.sql): Promise<FoundInvitation | null> =>
  findInvitation(sql, id)

/**
 * An invitation is accepted exactly once, within the limits, and only while the inviter may still grant the promised
 * roles. When that changed after it was read, it is read once more, which also finds the reason.
 */
export async function acceptInvitation(
  deps: Deps,
  client: Client,
  caller: Caller,
  found: FoundInvitation | null,
): Promise<Output<typeof calls.acceptInvitation>> {
  const asked = requireInvitation(deps, caller, found, 'INVITATION_NOT_FOUND')
  const first = await tryToAccept(deps, client, caller, asked)
  const accepted = first.outcome === 'changed' ? await acceptAgain(deps, client, caller, asked) : first
  if (accepted.outcome !== 'done') throw new Failure(failuresOfAccepting[accepted.outcome])
  const { invitation, member } = accepted
  return { invitation, member }
}

async function acceptAgain(deps: Deps, client: Client, caller: Caller, { id }: FoundInvitation) {
  const found = requireInvitation(deps, caller, await readInvitation(deps, id), 'INVITATION_NOT_FOUND')
  return tryToAccept(deps, client, caller, found)
}

async function tryToAccept(deps: Deps, client: Client, caller: Caller, found: FoundInvitation): Promise<AcceptOutcome> {
  const { config, sql } = deps
  requireEntitledInviter(config, found)
  const { user, session } = caller
  const limits = { ...memberLimits(config), organizationLimit: await organizationLimitOf(deps, user) }
  const { id: invitationId, organizationId, role } = found
  const acceptance = { found, memberId: newId(), userId: user.id, sessionId: session.id, ...limits }
  return transactionWithEvents(sql, client.requireRoom(organizationId, 'invitation-accepted'), async (tx) => {
    const event = client.event(tx, 'invitation-accepted', { userId: user.id, organizationId, role: formatRoles(role) })
    const [, stored] = await inLastTrip(
      tx,
      (one) => lockForJoining(one, { invitationId }, user.id),
      (one) => storeAcceptance(one, { event, ...acceptance }),
    )
    if (stored.outcome !== 'done') withdrawEvent(event)
    return stored
  })
}

/** The inviter must still be a member who may grant each of these roles, and each role must still exist. */
function requireEntitledInviter(
  config: Config,
  { inviterRoles: roles, inviterSponsorRoles, ownRoles, role }: FoundInvitation,
): void {
  if (roles === null) throw new Failure('INVITER_NOT_A_MEMBER')
  const inviter = { roles, sponsorRoles: inviterSponsorRoles, ownRoles }
  const isEntitled =
    areKnownRoles(config, inviter, role) &&
    can(config, inviter, 'invitation:create') &&
    canGrantRoles(config, inviter, role)
  if (!isEntitled) throw new Failure('INVITER_CANNOT_GRANT')
}

/** A usable invitation to the caller's address, which has to be proven where the settings require it. */
function requireInvitation(
  { config }: Pick<Deps, 'config'>,
  { user, provenAddress }: Caller,
  found: FoundInvitation | null,
  missing: FailureName,
): FoundInvitation {
  if (!found?.isUsable) throw new Failure(missing)
  if (found.email !== user.email) throw new Failure('NOT_THE_RECIPIENT')
  requireProvenAddress(config, provenAddress)
  return found
}

/**
 * Invitations are for the owner of a mailbox. Where the settings require it, a caller who has not proved theirs can
 * neither see nor answer them.
 */
function requireProvenAddress(
  { INVITATION_REQUIRES_VERIFIED_EMAIL }: Pick<Config, 'INVITATION_REQUIRES_VERIFIED_EMAIL'>,
  provenAddress: ProvenAddress | null,
): void {
  if (INVITATION_REQUIRES_VERIFIED_EMAIL && !provenAddress) throw new Failure('EMAIL_VERIFICATION_REQUIRED')
}

export async function rejectInvitation(
  deps: Deps,
  client: Client,
  caller: Caller,
  found: FoundInvitation | null,
): Promise<Output<typeof calls.rejectInvitation>> {
  const { id, organizationId } = requireInvitation(deps, caller, found, 'INVITATION_NOT_FOUND_FOR_RECIPIENT')
  const about = { userId: caller.user.id, organizationId }
  const rejectIt = (act: UnitOfWork) => reject(deps.sql, id, client.event(act, 'invitation-rejected', about))
  const invitation = await logEventsOnceCommitted(rejectIt, isRowFound)
  if (!invitation) throw new Failure('INVITATION_NOT_FOUND_FOR_RECIPIENT')
  return { invitation, member: null }
}

/**
 * For members of the organization with the permission; others get "no such invitation". An answered invitation can be
 * cancelled too, which changes no membership.
 */
export async function cancelInvitation(
  { sql, config }: Deps,
  client: Client,
  { user }: Caller,
  { invitationId }: Input<typeof calls.cancelInvitation>,
): Promise<Output<typeof calls.cancelInvitation>> {
  const check = async () => {
    const actor = await findInvitationActor(sql, invitationId, user.id)
    if (!actor) throw new Failure('INVITATION_NOT_FOUND')
    requirePermission(config, actor, 'invitation:cancel', 'INVITATION_CANCEL_FORBIDDEN')
    return actor
  }
  const canceled = await actAsChecked(check, (actor) =>
    logEventsOnceCommitted(async (act) => {
      const about = { userId: user.id, organizationId: actor.organizationId }
      const event = client.event(act, 'invitation-canceled', about)
      const done = await cancel(sql, invitationId, actor, event)
      if (!done?.isNew) withdrawEvent(event)
      return done
    }, isRowFound),
  )
  if (!canceled) throw new Failure('INVITATION_NOT_FOUND')
  return canceled
}

export function getInvitation(
  deps: Pick<Deps, 'config'>,
  caller: Caller | null,
  found: FoundInvitation | null = null,
): Output<typeof calls.getInvitation> {
  if (!caller) throw new Failure('NOT_AUTHENTICATED')
  const invitation = requireInvitation(deps, caller, found, 'INVITATION_NOT_FOUND_FOR_RECIPIENT')
  if (invitation.inviterRoles === null) throw new Failure('INVITER_NOT_A_MEMBER')
  return invitation
}

export async function listInvitations(
  deps: Deps,
  caller: Caller,
  { organizationId, status = 'pending', ...asked }: Input<typeof calls.listInvitations>,
  freshness: Freshness,
): Promise<RawPageOf<Invitation>> {
  const failures = { none: 'ORGANIZATION_ID_REQUIRED', outsider: 'NOT_YOUR_ORGANIZATION' } as const
  const page = readPageRequest(asked, rowLimitFor(deps.config.INVITATION_LIMIT))
  const { found } = await listAsMember(deps, caller, { ...failures, named: organizationId, freshness }, (sql, reader) =>
    find(sql, reader, status, page),
  )
  return found
}

/**
 * The caller's pending invitations in all organizations. Always requires a proven address. Where unverified users may
 * answer, the id from the mail is their proof, so a list must not reveal it.
 */
export async function listUserInvitations(
  deps: Deps,
  { provenAddress }: Caller,
  asked: Input<typeof calls.listUserInvitations>,
  freshness: Freshness,
): Promise<RawPageOf<InvitationView>> {
  if (!provenAddress) throw new Failure('EMAIL_VERIFICATION_REQUIRED')
  const page = readPageRequest(asked, rowLimitFor(deps.config.INVITATION_LIMIT))
  return readList(deps, freshness, (sql) => listInvitationsTo(sql, provenAddress.email, page))
}
