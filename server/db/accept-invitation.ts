import { Invitation, Member } from '../../shared/organization.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { both, byDatabase, columnsOf, computed, fieldsOf, flagsOf, newRow, optional } from './columns.ts'
import type { Sql } from './connect.ts'
import type { FoundInvitation } from './invitations.ts'
import { countPersons } from './members.ts'
import type { Outcome } from './outcome.ts'
import { getOwn } from './own-row.ts'

export interface Acceptance {
  readonly found: FoundInvitation
  readonly memberId: string
  readonly userId: string
  readonly sessionId: string
  /** Members that an organization may have. */
  readonly limit: number
  /** Organizations that the user may be in. */
  readonly organizationLimit: number
  readonly event: AuditEvent
}

/** `user-full`: the user is in enough organizations. `changed`: it is not what was read before; `deleted`: nor there. */
export type AcceptOutcome = Outcome<
  { readonly invitation: Invitation; readonly member: Member },
  'already-member' | 'user-full' | 'full' | 'changed' | 'deleted'
>

/**
 * From pending to accepted, with the new member and the active organization of the session, all or nothing. Counted behind
 * the locks. The invitation must still have the roles and the inviter, and the inviter the roles, that were checked before.
 */
export async function acceptInvitation(tx: Sql, acceptance: Acceptance): Promise<AcceptOutcome> {
  const { found: promise, memberId, userId } = acceptance
  const joined = computed<{ joinedAt: Date }>(tx, { joinedAt: 'j.createdAt' })
  const found = tx`
    select ${optional(both(tx, fieldsOf(tx, Invitation, 'a'), joined))},
      ${flagsOf(tx, 'f', 'isMember', 'isUserFull', 'isFull', 'isDeleted')}
    from facts f left join accepted a on true left join joined j on true
  `
  const row = await getOwn(tx, promise.id, found, stepsOfAcceptance(tx, acceptance))
  const { isMember, isUserFull, isFull, isDeleted, ...accepted } = row
  if (isDeleted) return { outcome: 'deleted' }
  if (accepted.joinedAt === null)
    return { outcome: isMember ? 'already-member' : isUserFull ? 'user-full' : isFull ? 'full' : 'changed' }
  const { joinedAt, ...invitation } = accepted
  const { organizationId, role, teamId } = invitation
  const member: Required<Member> = { id: memberId, organizationId, userId, role, teamId, createdAt: joinedAt }
  return { outcome: 'done', invitation, member }
}

function stepsOfAcceptance(tx: Sql, acceptance: Acceptance) {
  const { found, memberId, userId, sessionId, limit, organizationLimit, event } = acceptance
  const { id, organizationId, role: promised, inviterId, inviterRoles } = found
  return tx`
    owner as (select id from users where id = ${userId} for key share),
    facts as (
      select ${countPersons(tx, organizationId)} >= ${limit} as is_full, coalesce(bool_or(user_id = ${userId}), false) as is_member,
        coalesce(bool_or(user_id = ${inviterId} and roles = ${inviterRoles}), false) as is_vouched,
        (select count(*) from members where user_id = ${userId}) >= ${organizationLimit} as is_user_full,
        not exists (select from invitations where id = ${id}) as is_deleted
      from members where organization_id = ${organizationId}
    ), accepted as (
      update invitations i set status = 'accepted' from facts f
      where i.id = ${id} and i.status = 'pending' and i.expires_at > now()
        and i.roles = ${promised} and i.inviter_id = ${inviterId}
        and not f.is_full and not f.is_user_full and not f.is_member and f.is_vouched and exists (select from owner)
      returning ${columnsOf(tx, Invitation, 'i')}
    ), joined as (
      insert into members ${newRow(tx, Member, {
        id: memberId,
        organizationId: tx`organization_id`,
        userId,
        role: tx`role`,
        teamId: tx`team_id`,
        createdAt: byDatabase,
      })}
      from accepted
      returning created_at
    ), active as (
      update sessions s set active_organization_id = a.organization_id from accepted a where s.id = ${sessionId}
    ),
    audited as (${insertAuditEvent(tx, event, tx`select from joined`)})
  `
}
