import { Invitation, type InvitationView, Member } from '../../shared/organization.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { type PageRequest, type RawPageOf, toPage } from '../request/paging.ts'
import { insertAuditEvent } from './audit-events.ts'
import { lockCheckedActor } from './checked-actor.ts'
import { findRow, getRow, oneOrNone } from './checked-row.ts'
import {
  columnsOf,
  combineColumns,
  computedColumns,
  databaseDefault,
  fieldsOf,
  flagColumns,
  newRow,
  nullableColumns,
} from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { deleteExpiredRows } from './expired-rows.ts'
import { countPersons } from './members.ts'
import {
  type Actor,
  actorColumns,
  isMember,
  type MemberRoles,
  type OrganizationReader,
  type OwnRoleDefinitions,
  sponsorRolesOfMember,
} from './organization-actors.ts'
import { areOwnRoles } from './own-roles.ts'
import { rawRows } from './raw-rows.ts'
import { isBannedNow } from './session-start.ts'
import { isTeamFull } from './team-limits.ts'
import type { Outcome } from './transaction.ts'

/** An invitation with the data its recipient sees and the data that decides whether it can be used. */
export type FoundInvitation = InvitationView & InvitationUse

interface InvitationUse extends OwnRoleDefinitions {
  readonly isUsable: boolean
  /** The inviter's roles in the organization; null when they left or are banned. */
  readonly inviterRoles: readonly string[] | null
  /** For a machine inviter: the roles of the member responsible for it. */
  readonly inviterSponsorRoles: MemberRoles['sponsorRoles']
}

/** The recipient's view, from the organization `o` and the inviter `u`. */
const viewColumns = (sql: ReadSql) =>
  combineColumns(
    sql,
    columnsOf(sql, Invitation, 'i'),
    computedColumns<Omit<InvitationView, keyof Invitation>>(sql, {
      organizationName: 'o.name',
      organizationSlug: 'o.slug',
      inviterEmail: 'u.email',
    }),
  )

export function findInvitation(sql: Sql, id: string): Promise<FoundInvitation | null> {
  const use = computedColumns<InvitationUse>(sql, {
    isUsable: sql`i.status = 'pending' and i.expires_at > now()`,
    inviterRoles: sql`case when not ${isBannedNow(sql)} then m.roles end`,
    inviterSponsorRoles: sponsorRolesOfMember(sql),
    ownRoles: 'o.ownRoles',
  })
  const found = sql`
    select ${viewColumns(sql)}, ${use}
    from invitations i
    join organizations o on o.id = i.organization_id
    join users u on u.id = i.inviter_id
    left join members m on m.organization_id = i.organization_id and m.user_id = i.inviter_id
    where i.id = ${id}
  `
  return findRow(sql, id, found)
}

/** Returns whether the invitation is still pending and unexpired. */
export const isInvitationOpen = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql`select from invitations where id = ${id} and status = 'pending' and expires_at > now()`).length > 0

/** Rejects a pending, unexpired invitation. Null for any other. */
export const rejectInvitation = (sql: Sql, id: string, event: PendingAuditEvent): Promise<Invitation | null> =>
  findRow(
    sql,
    id,
    sql`select ${fieldsOf(sql, Invitation)} from rejected`,
    sql`
      rejected as (
        update invitations set status = 'rejected'
        where id = ${id} and status = 'pending' and expires_at > now()
        returning ${columnsOf(sql, Invitation)}
      ),
      audited as (${insertAuditEvent(sql, event, sql`select from rejected`)})
    `,
  )

interface Cancellation {
  /** False when the invitation was canceled already. */
  readonly isNew: boolean
}

/**
 * Cancels an invitation, also an answered or expired one. Null unless the actor has the rights that were checked. Its
 * row is locked before its status is read, so that of two at once only one has cancelled it.
 */
export function cancelInvitation(
  sql: Sql,
  id: string,
  actor: Actor,
  event: PendingAuditEvent,
): Promise<(Invitation & Cancellation) | null> {
  const isNew = computedColumns<Cancellation>(sql, { isNew: sql`(select is_new from known)` })
  return oneOrNone(sql`
    with ${lockCheckedActor(sql, actor)},
    known as (
      select i.id, i.status <> 'canceled' as is_new from held h
      join invitations i on i.id = ${id} and i.organization_id = h.id
      for no key update of i
    ),
    done as (
      update invitations i set status = 'canceled' from known k where i.id = k.id
      returning ${columnsOf(sql, Invitation, 'i')}
    ),
    audited as (${insertAuditEvent(sql, event, sql`select from known where is_new`)})
    select ${fieldsOf(sql, Invitation)}, ${isNew} from done
  `)
}

/** The actor's membership in the invitation's organization. Null for a stranger or an unknown invitation. */
export const findInvitationActor = (sql: Sql, id: string, userId: string) =>
  findRow<Actor>(
    sql,
    userId,
    sql`
      select ${actorColumns(sql)}
      from invitations i
      join members m on m.organization_id = i.organization_id and m.user_id = ${userId}
      where i.id = ${id}
    `,
  )

/** Lists invitations of one status, or all. Those that can still be accepted come first, then the oldest. */
export async function listInvitations(
  sql: ReadSql,
  reader: OrganizationReader,
  status: Invitation['status'] | 'all',
  page: PageRequest,
): Promise<RawPageOf<Invitation>> {
  const rows = sql`
    select ${columnsOf(sql, Invitation)}
    from invitations
    where organization_id = ${reader.organizationId} and ${isMember(sql, reader)}
      ${status === 'all' ? sql`` : sql`and status = ${status}`}
    order by status <> 'pending' or expires_at <= now(), created_at, id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(await rawRows(rows), page)
}

/** Lists the invitations to an address that can be accepted. */
export async function listInvitationsTo(
  sql: ReadSql,
  email: string,
  page: PageRequest,
): Promise<RawPageOf<InvitationView>> {
  const rows = sql`
    select ${viewColumns(sql)}
    from invitations i
    join organizations o on o.id = i.organization_id
    join users u on u.id = i.inviter_id
    where i.email = ${email} and i.status = 'pending' and i.expires_at > now()
    order by i.created_at, i.id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(await rawRows(rows), page)
}

/** Deletes invitations that ended `seconds` ago, answered or not. */
export const deleteOldInvitations = (sql: Sql, batch: number, seconds: number) =>
  deleteExpiredRows(sql, { table: 'invitations', end: sql`now() - make_interval(secs => ${seconds})` }, batch)

interface InvitationAcceptance {
  readonly found: FoundInvitation
  readonly memberId: string
  readonly userId: string
  readonly sessionId: string
  /** The maximum number of members of the organization. */
  readonly limit: number
  /** The maximum number of members of a team. */
  readonly teamLimit: number
  /** The maximum number of organizations of the user. */
  readonly organizationLimit: number
  readonly event: PendingAuditEvent
}

/**
 * `user-full`: the user is in the maximum number of organizations. `changed`: the invitation differs from the one read
 * before. `deleted`: it no longer exists.
 */
export type AcceptOutcome = Outcome<
  { readonly invitation: Invitation; readonly member: Member },
  'already-member' | 'user-full' | 'full' | 'team-full' | 'changed' | 'deleted'
>

/**
 * Accepts a pending invitation: in one transaction it adds the member and makes the organization active in the session,
 * and the team if it is a single one.
 * Members and organizations are counted behind the locks. The invitation must still have the roles and inviter that
 * were checked before, the inviter no ban and, like a machine's sponsor, the same roles, and the organization's own roles
 * the same permissions.
 */
export async function acceptInvitation(tx: Sql, acceptance: InvitationAcceptance): Promise<AcceptOutcome> {
  const { found: promise, memberId, userId } = acceptance
  const joined = computedColumns<{ joinedAt: Date }>(tx, { joinedAt: 'j.createdAt' })
  const found = tx`
    select ${nullableColumns(combineColumns(tx, fieldsOf(tx, Invitation, 'a'), joined))},
      ${flagColumns(tx, 'f', 'isMember', 'isUserFull', 'isFull', 'isTeamFull', 'isDeleted')}
    from facts f left join accepted a on true left join joined j on true
  `
  const row = await getRow(tx, promise.id, found, stepsOfAcceptance(tx, acceptance))
  const { isMember, isUserFull, isFull, isTeamFull: isFullTeam, isDeleted, ...accepted } = row
  if (isDeleted) return { outcome: 'deleted' }
  if (isMember && accepted.joinedAt === null) return { outcome: 'already-member' }
  if (accepted.joinedAt === null)
    return { outcome: isUserFull ? 'user-full' : isFull ? 'full' : isFullTeam ? 'team-full' : 'changed' }
  const { joinedAt, ...invitation } = accepted
  const { organizationId, role, teamId, teamIds } = invitation
  const member: Required<Member> = { id: memberId, organizationId, userId, role, teamId, teamIds, createdAt: joinedAt }
  return { outcome: 'done', invitation, member }
}

/** Whether a member `m` is the inviter, with the roles that were checked. */
const isSameInviter = (tx: Sql, { inviterId, inviterRoles, inviterSponsorRoles }: FoundInvitation) => tx`
  m.user_id = ${inviterId} and m.roles = ${inviterRoles}
    and ${sponsorRolesOfMember(tx)} is not distinct from ${inviterSponsorRoles}
`

function stepsOfAcceptance(tx: Sql, acceptance: InvitationAcceptance) {
  const { found, userId, sessionId, limit, teamLimit, organizationLimit, event } = acceptance
  const { id, organizationId, role: promised, inviterId, ownRoles } = found
  return tx`
    owner as (select id from users where id = ${userId} for key share),
    inviter as (select from users u where u.id = ${inviterId} and not ${isBannedNow(tx)}),
    facts as (
      select ${countPersons(tx, organizationId)} >= ${limit} as is_full, coalesce(bool_or(m.user_id = ${userId}), false) as is_member,
        coalesce(bool_or(${isSameInviter(tx, found)}), false)
          and ${areOwnRoles(tx, organizationId, ownRoles)} as is_vouched,
        (select count(*) from members where user_id = ${userId}) >= ${organizationLimit} as is_user_full,
        not exists (select from invitations where id = ${id}) as is_deleted,
        ${isTeamFull(tx, tx`(select i.team_ids from invitations i where i.id = ${id})`, teamLimit)} as is_team_full
      from members m where m.organization_id = ${organizationId}
    ), accepted as (
      update invitations i set status = 'accepted' from facts f
      where i.id = ${id} and i.status = 'pending' and i.expires_at > now()
        and i.roles = ${promised} and i.inviter_id = ${inviterId}
        and not f.is_full and not f.is_team_full and not f.is_user_full and not f.is_member and f.is_vouched and exists (select from owner)
        and exists (select from inviter)
      returning ${columnsOf(tx, Invitation, 'i')}
    ), joined as (${insertAccepting(tx, acceptance)}), active as (
      update sessions s set active_organization_id = j.organization_id,
        active_team_id = case when cardinality(j.team_ids) = 1 then j.team_ids[1] end
      from joined j where s.id = ${sessionId}
    ),
    audited as (${insertAuditEvent(tx, event, tx`select from joined`)})
  `
}

/** Adds the user whose invitation `accepted` yields. */
const insertAccepting = (tx: Sql, { memberId, userId }: InvitationAcceptance) => tx`
  insert into members ${newRow(tx, Member, {
    id: memberId,
    organizationId: tx`organization_id`,
    userId,
    role: tx`role`,
    teamId: databaseDefault,
    teamIds: tx`team_ids`,
    createdAt: databaseDefault,
  })}
  from accepted
  returning organization_id, team_ids, created_at
`
