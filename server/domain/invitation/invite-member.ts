import type { Input, Output } from '../../../shared/contract/call.ts'
import type { inviteMember as InviteMemberCall } from '../../../shared/contract/invitation.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { knownLanguage } from '../../../shared/languages.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { randomText } from '../../crypto/token.ts'
import { withCommit } from '../../db/connect.ts'
import { type InviteFacts, type InviteOutcome, invite, lockForInvite } from '../../db/invite.ts'
import { type Tx, transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { withdrawEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireRolesWithinScopes } from '../key/rights.ts'
import { invitationMailLimits, logWithheldMail } from '../mails.ts'
import {
  canGrantRoles,
  requireAllowed,
  requireKnownRoles,
  requireOrganizationId,
  requirePermission,
} from '../organization/roles.ts'

const failures = {
  'already-member': 'ALREADY_A_MEMBER',
  'no-team': 'TEAM_NOT_FOUND',
  'team-full': 'TEAM_FULL',
  full: 'INVITATION_LIMIT_REACHED',
  'already-invited': 'ALREADY_INVITED',
} as const satisfies Record<string, FailureName>

export async function inviteMember(
  deps: Deps,
  client: Client,
  caller: Caller,
  input: Input<typeof InviteMemberCall>,
): Promise<Output<typeof InviteMemberCall>> {
  const { config, sql, outbox } = deps
  if (!isEmail(input.email)) throw new Failure('INVALID_EMAIL')
  const email = canonicalEmail(input.email)
  const roles = input.role
  const organizationId = requireOrganizationId(caller, input.organizationId, 'ORGANIZATION_NOT_FOUND')
  const teamIds = config.TEAMS ? (input.teamId ?? []) : []
  const asked = { organizationId, userId: caller.user.id, email, teamIds }
  const room = client.requireRoom(organizationId, 'invitation-sent', 'invitation-resent')
  const first = await transactionWithEvents(sql, room, store)
  // Another request has just invited the same address. Its invitation is visible now, so `resend` sends it again.
  const isHidden = input.resend && first.outcome === 'already-invited'
  const invited = isHidden ? await transactionWithEvents(sql, room, store) : first
  if (invited.outcome !== 'done') throw new Failure(failures[invited.outcome])
  logWithheldMail(deps, 'invitation', invited.withheldBy)
  outbox.nudge()
  return invited.invitation

  async function store(tx: Tx<'invitation-sent' | 'invitation-resent'>): Promise<InviteOutcome> {
    const facts = await lockForInvite(tx, asked)
    if (!facts) throw new Failure('MEMBER_NOT_FOUND')
    requireKnownRoles(config, facts, roles)
    const touched = input.resend ? [...roles, ...(facts.pendingRoles ?? [])] : roles
    refuse(config, facts, touched)
    requireRolesWithinScopes(config, facts, caller.key, touched)
    const pendingId = input.resend ? facts.pendingId : null
    const about = { userId: caller.user.id, organizationId, role: formatRoles(roles) }
    const event = client.event(tx, pendingId === null ? 'invitation-sent' : 'invitation-resent', about)
    const id = pendingId ?? randomText(32)
    const made = { ...asked, id, roles, inviterId: caller.user.id, ...limitsOf(config), event }
    const mail = outbox.seal(payloadOf(caller, facts, made), knownLanguage(facts.language) ?? client.language)
    const notice = { mail, mailLimits: invitationMailLimits(deps, client, caller, email) }
    const stored = await withCommit(tx, (last) => invite(last, made, notice))
    if (stored.outcome !== 'done') withdrawEvent(event)
    return stored
  }
}

const limitsOf = ({ INVITATION_EXPIRES_IN, INVITATION_LIMIT, MAXIMUM_MEMBERS_PER_TEAM }: Config) => ({
  seconds: INVITATION_EXPIRES_IN,
  limit: INVITATION_LIMIT,
  teamLimit: MAXIMUM_MEMBERS_PER_TEAM,
})

/**
 * Only owners make owners, and nobody grants more than they hold. Sending a live invitation again removes its earlier
 * roles, so `roles` includes those too.
 */
function refuse(config: Config, facts: InviteFacts, roles: readonly string[]): void {
  requirePermission(config, facts, 'invitation:create', 'INVITATION_CREATE_FORBIDDEN')
  requireAllowed(facts, (inviter) => canGrantRoles(config, inviter, roles), 'INVITATION_ROLE_FORBIDDEN')
}

const payloadOf = (
  { user }: Caller,
  facts: InviteFacts,
  made: { id: string; email: string; roles: readonly string[]; seconds: number },
) =>
  ({
    kind: 'invitation',
    to: made.email,
    invitationId: made.id,
    organizationName: facts.organizationName,
    inviterName: user.name,
    inviterEmail: user.email,
    role: formatRoles(made.roles),
    seconds: made.seconds,
  }) as const
