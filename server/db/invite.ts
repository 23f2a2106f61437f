import { Invitation } from '../../shared/organization.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow, one } from './checked-row.ts'
import {
  columnsOf,
  computedColumns,
  databaseDefault,
  fieldsOf,
  flagColumns,
  newRow,
  nullableColumns,
  unchanged,
  updatedColumns,
} from './columns.ts'
import type { Sql } from './connect.ts'
import { insertNotice, type MailOutcome, type Notice } from './links.ts'
import { columnsForRoles, lockedRoleColumns, lockSponsors, type MemberRoles } from './organization-actors.ts'
import { areTeamsOf, isTeamFull } from './team-limits.ts'
import type { Outcome } from './transaction.ts'

/** The facts that decide about a new invitation. */
export interface InviteFacts extends MemberRoles {
  readonly organizationName: string
  /** The live invitation to the same address, and its roles. */
  readonly pendingId: string | null
  readonly pendingRoles: readonly string[] | null
  /** That of the user who has the address. */
  readonly language: string | null
}

/**
 * Locks the organization, so that its pending invitations are counted one after the other, and then the live invitation
 * to the address, so that nobody answers or cancels it meanwhile. Null for a stranger.
 */
export function lockForInvite(
  tx: Sql,
  asked: { readonly organizationId: string; readonly userId: string; readonly email: string },
): Promise<InviteFacts | null> {
  const steps = tx`
    held as (
      select o.id, o.name, m.user_id, ${columnsForRoles(tx)}
      from organizations o
      join members m on m.organization_id = o.id
      where o.id = ${asked.organizationId} and m.user_id = ${asked.userId}
      for no key update of o, m
    ), ${lockSponsors(tx)}, pending as (
      select i.id, i.roles
      from held h
      join invitations i on i.organization_id = h.id
      where i.email = ${asked.email} and i.status = 'pending' and i.expires_at > now()
      for no key update of i
    )
  `
  const facts = computedColumns<Omit<InviteFacts, keyof MemberRoles>>(tx, {
    organizationName: 'm.name',
    pendingId: 'p.id',
    pendingRoles: 'p.roles',
    language: tx`(select u.language from users u where u.email = ${asked.email})`,
  })
  const found = tx`select ${facts}, ${lockedRoleColumns(tx)} from held m left join pending p on true`
  return findRow<InviteFacts>(tx, asked.userId, found, steps)
}

export interface NewInvitation {
  /** A new id, or that of the live invitation to be refreshed. */
  readonly id: string
  readonly organizationId: string
  readonly email: string
  readonly roles: readonly string[]
  readonly teamIds: readonly string[]
  readonly inviterId: string
  /** Lifetime in seconds. */
  readonly seconds: number
  /** The maximum number of pending invitations of an organization. */
  readonly limit: number
  /** The maximum number of members of a team. */
  readonly teamLimit: number
  readonly event: PendingAuditEvent
}

export type InviteOutcome = Outcome<
  { readonly invitation: Invitation } & MailOutcome,
  'already-member' | 'no-team' | 'team-full' | 'full' | 'already-invited'
>

/**
 * How many answered and expired invitations an organization keeps, so that endless inviting and canceling fills no
 * table.
 */
const maxHistory = 1000

/**
 * Allows one pending invitation per address. An expired one is replaced. A live one is refused, or refreshed under its
 * own id for a resend. The mail is stored with it. All facts are read again behind the lock. The oldest entries of a
 * long history are deleted.
 */
export async function invite(tx: Sql, made: NewInvitation, notice: Notice): Promise<InviteOutcome> {
  const withheld = computedColumns<MailOutcome>(tx, { withheldBy: tx`(select refused_by from notice_counted)` })
  const row = await one(tx`
    with facts as (
      select
        exists (
          select from members m join users u on u.id = m.user_id
          where m.organization_id = ${made.organizationId} and u.email = ${made.email}
        ) as is_member,
        ${areTeamsOf(tx, made.teamIds, made.organizationId)} as is_team,
        ${isTeamFull(tx, made.teamIds, made.teamLimit)} as is_team_full,
        (
          select count(*) >= ${made.limit} from invitations
          where organization_id = ${made.organizationId} and status = 'pending' and expires_at > now()
            and email <> ${made.email}
        ) as is_full
    ),
    made as (${insertInvitation(tx, made)}),
    forgotten as (${deleteOldHistory(tx, made)}),
    audited as (${insertAuditEvent(tx, made.event, tx`select from made`)}),
    ${insertNotice(tx, notice, tx`select inviter_id as id from made`)}
    select ${nullableColumns(fieldsOf(tx, Invitation, 'm'))}, ${flagColumns(tx, 'f', 'isMember', 'isTeam', 'isTeamFull', 'isFull')}, ${withheld}
    from facts f left join made m on true
  `)
  const { isMember, isTeam, isTeamFull: isFullTeam, isFull, withheldBy, ...invitation } = row
  if (invitation.id !== null) return { outcome: 'done', invitation, withheldBy }
  if (isMember) return { outcome: 'already-member' }
  if (!isTeam) return { outcome: 'no-team' }
  return { outcome: isFullTeam ? 'team-full' : isFull ? 'full' : 'already-invited' }
}

/** Inserts the invitation if `facts` allow, in place of an expired one or of the live one to be refreshed. */
const insertInvitation = (tx: Sql, made: NewInvitation) => tx`
  insert into invitations as i ${newRow(tx, Invitation, {
    id: made.id,
    organizationId: made.organizationId,
    email: made.email,
    role: tx`${made.roles}::text[]`,
    status: databaseDefault,
    teamId: databaseDefault,
    teamIds: tx`${made.teamIds}::text[]`,
    inviterId: made.inviterId,
    createdAt: databaseDefault,
    expiresAt: tx`now() + make_interval(secs => ${made.seconds})`,
  })}
  from facts where not is_member and is_team and not is_team_full and not is_full
  on conflict (organization_id, email) where status = 'pending' do update set
    ${updatedColumns(tx, Invitation, {
      id: tx`excluded.id`,
      organizationId: unchanged,
      email: unchanged,
      role: tx`excluded.roles`,
      status: unchanged,
      teamId: unchanged,
      teamIds: tx`excluded.team_ids`,
      inviterId: tx`excluded.inviter_id`,
      createdAt: unchanged,
      expiresAt: tx`excluded.expires_at`,
    })}
  where i.expires_at <= now() or i.id = excluded.id
  returning ${columnsOf(tx, Invitation, 'i')}
`

/** Deletes ended invitations except the newest, once one was `made`. Leaves out the one that is being replaced. */
const deleteOldHistory = (tx: Sql, { organizationId, email }: NewInvitation) => tx`
  delete from invitations
  where id in (
    select id from invitations
    where organization_id = ${organizationId} and exists (select from made)
      and (status <> 'pending' or (expires_at <= now() and email <> ${email}))
    order by created_at desc, id desc
    limit 100 offset ${maxHistory}
    for update skip locked
  )
`
