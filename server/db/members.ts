import type * as z from 'zod'
import { Member, type MemberUser, type MemberView } from '../../shared/organization.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent, withAuditEvent } from './audit-events.ts'
import { findRow, one, oneOrNone } from './checked-row.ts'
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
import { columnsForRoles, lockedRoleColumns, lockSponsors, type MemberRoles } from './organization-actors.ts'
import type { Columns } from './row-type.ts'
import { isBannedNow } from './session-start.ts'
import { areTeamsOf, isTeamFull } from './team-limits.ts'
import type { Outcome } from './transaction.ts'

type Person = Omit<z.output<typeof MemberUser>, 'id'>
/** The person's columns beside the member's own. */
type PersonRow = { readonly [Field in keyof Person as `user${Capitalize<Field>}`]: Person[Field] } & {
  readonly isMachine: boolean
}

/** The columns of a member, and those of its user `u`. */
export const memberViewColumns = (sql: ReadSql, member: Columns<Member>): Columns<Member & PersonRow> =>
  combineColumns(
    sql,
    member,
    computedColumns<PersonRow>(sql, {
      userName: 'u.name',
      userEmail: 'u.email',
      userImage: 'u.image',
      isMachine: sql`u.organization_id is not null`,
    }),
  )

/** The person's columns of a step `m` that selected them with `memberViewColumns`. */
const personFields = (sql: ReadSql) =>
  computedColumns<PersonRow>(sql, {
    userName: 'm.userName',
    userEmail: 'm.userEmail',
    userImage: 'm.userImage',
    isMachine: 'm.isMachine',
  })

/** Nests the person's fields under `user`. The answer's schema removes the flat ones. */
export const memberViewOf = (row: Member & PersonRow): MemberView =>
  Object.assign(row, {
    user: {
      id: row.userId,
      name: row.userName,
      email: row.userEmail,
      image: row.userImage,
      ...(row.isMachine ? { isMachine: true } : {}),
    },
  })

/** Finds a user's membership in an organization. Null when they are no member. */
export async function findMember(sql: Sql, organizationId: string, userId: string): Promise<MemberView | null> {
  const found = sql`
    select ${memberViewColumns(sql, columnsOf(sql, Member, 'm'))}
    from members m
    join users u on u.id = m.user_id
    where m.organization_id = ${organizationId} and m.user_id = ${userId}
  `
  const row = await findRow(sql, `${organizationId} ${userId}`, found)
  return row ? memberViewOf(row) : null
}

/** The roles of `userId`, if the asking user is a member of the organization as well. */
export const findRolesOfMember = (
  sql: Sql,
  { id, slug }: { readonly id: string | null; readonly slug: string | null },
  asking: string,
  userId: string,
) =>
  findRow<{ roles: readonly string[] }>(
    sql,
    `${slug ?? id} ${asking} ${userId}`,
    sql`
      select m.roles
      from organizations o
      join members own on own.organization_id = o.id and own.user_id = ${asking}
      join members m on m.organization_id = o.id and m.user_id = ${userId}
      where ${slug === null ? sql`o.id = ${id}` : sql`o.slug = ${slug}`}
    `,
  )

/** A member locked for a change, with the roles that decide what they can do. */
export type LockedMember = MemberView & Omit<MemberRoles, 'roles'> & Standing

interface Standing {
  readonly isBanned: boolean
}

/** How a call names a member: by address or by member id. The other one is null. */
export interface MemberTarget {
  readonly memberId: string | null
  readonly email: string | null
}

/** The members to lock for a change: the actor by user id, the target, and all owners. */
interface MembersToLock extends MemberTarget {
  readonly organizationId: string
  readonly userId: string
  readonly ownerRole: string
}

/**
 * Locks the organization, then the actor, the target and every owner, and the sponsors of machines among them, so a
 * parallel change waits and then decides on fresh rows. Two removals of owners cannot each rely on the other owner.
 */
export async function lockMembers(
  tx: Sql,
  { organizationId, userId, memberId, email, ownerRole }: MembersToLock,
): Promise<readonly LockedMember[]> {
  const standing = computedColumns<Standing>(tx, { isBanned: isBannedNow(tx) })
  const held = tx`
    select ${memberViewColumns(tx, columnsOf(tx, Member, 'm'))}, ${columnsForRoles(tx)}, ${standing}
    from organizations o
    join members m on m.organization_id = o.id
    join users u on u.id = m.user_id
    where o.id = ${organizationId} and (
      m.user_id = ${userId} or m.id = ${memberId} or u.email = ${email}
      or ${ownerRole} = any(m.roles)
    )
    order by m.id
    for no key update of o
    for update of m
  `
  const rows = await tx`
    with held as (${held}), ${lockSponsors(tx)}
    select ${fieldsOf(tx, Member, 'm')}, ${personFields(tx)}, ${lockedRoleColumns(tx)}, ${computedColumns<Standing>(tx, { isBanned: 'm.isBanned' })} from held m
  `
  return rows.map((row) => {
    const { sponsorRoles, ownRoles, isBanned } = row
    return Object.assign(memberViewOf(row), { sponsorRoles, ownRoles, isBanned })
  })
}

/**
 * Removes a member and clears the organization from all of that user's sessions. A machine is deleted with its
 * membership. Returns how many machines the member is responsible for, which lose all permissions.
 */
export async function deleteMember(tx: Sql, memberId: string, event: PendingAuditEvent): Promise<number> {
  const { machines } = await one(tx<{ machines: number }[]>`
  with gone as (delete from members where id = ${memberId} returning user_id, organization_id),
  machine as (
    delete from users u using gone g where u.id = g.user_id and u.organization_id = g.organization_id
  ),
  audited as (${insertAuditEvent(tx, event, tx`select from gone`)}),
  cleared as (
    update sessions s set active_organization_id = null
    from gone
    where s.user_id = gone.user_id and s.active_organization_id = gone.organization_id
  )
  select count(u.id)::integer as machines
  from gone g join users u on u.organization_id = g.organization_id and u.sponsor_id = g.user_id
  `)
  return machines
}

export function updateMemberRole(
  tx: Sql,
  memberId: string,
  roles: readonly string[],
  event: PendingAuditEvent,
): Promise<Member | null> {
  const changed = tx`update members set roles = ${roles} where id = ${memberId} returning ${columnsOf(tx, Member)}`
  return oneOrNone(tx`with ${withAuditEvent(tx, changed, event)} select ${fieldsOf(tx, Member)} from done`)
}

/** The number of an organization's members without its machines, which do not count against the limit. */
export const countPersons = (sql: Sql, organizationId: string) => sql`
  (select count(*) from members where organization_id = ${organizationId})
    - (select count(*) from users where organization_id = ${organizationId})
`

export interface NewMember {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly roles: readonly string[]
  readonly teamId: string | null
  /** The maximum number of members of the organization. */
  readonly limit: number
  /** The maximum number of members of a team. */
  readonly teamLimit: number
  /** The maximum number of organizations of the user. */
  readonly organizationLimit: number
  readonly event: PendingAuditEvent
}

/** `user-full`: the user is in the maximum number of organizations. */
export type AddMemberOutcome = Outcome<
  { readonly member: Member },
  'no-user' | 'already-member' | 'no-team' | 'team-full' | 'user-full' | 'full'
>

/**
 * Call behind the locks on organization and user, so that members and organizations are counted one after the other.
 */
export async function addMember(tx: Sql, added: NewMember): Promise<AddMemberOutcome> {
  const { id, organizationId, userId, roles, limit, teamLimit, organizationLimit, event } = added
  const teamIds = added.teamId === null ? [] : [added.teamId]
  const insert = tx`
    insert into members ${newRow(tx, Member, {
      id,
      organizationId,
      userId,
      role: tx`${roles}::text[]`,
      teamId: databaseDefault,
      teamIds: tx`${teamIds}::text[]`,
      createdAt: databaseDefault,
    })}
    from facts
    where is_user and not is_member and not is_user_full and is_team and not is_team_full and has_room
    returning ${columnsOf(tx, Member)}
  `
  const facts = flagColumns(tx, 'f', 'isUser', 'isMember', 'isTeam', 'isTeamFull', 'isUserFull')
  const row = await one(tx`
    with owner as (select id from users where id = ${userId} and organization_id is null for key share),
    facts as (
      select exists (select from owner) as is_user,
        (select coalesce(bool_or(user_id = ${userId}), false) from members where organization_id = ${organizationId})
          as is_member,
        (select count(*) from members where user_id = ${userId}) >= ${organizationLimit} as is_user_full,
        ${areTeamsOf(tx, teamIds, organizationId)} as is_team,
        ${isTeamFull(tx, teamIds, teamLimit)} as is_team_full,
        ${countPersons(tx, organizationId)} < ${limit} as has_room
    ),
    added as (${insert}),
    audited as (${insertAuditEvent(tx, event, tx`select from added`)})
    select ${nullableColumns(fieldsOf(tx, Member, 'a'))}, ${facts} from facts f left join added a on true
  `)
  const { isUser, isMember, isTeam, isTeamFull: isFullTeam, isUserFull, ...member } = row
  if (member.id !== null) return { outcome: 'done', member }
  if (!isUser) return { outcome: 'no-user' }
  if (isMember) return { outcome: 'already-member' }
  if (!isTeam) return { outcome: 'no-team' }
  return { outcome: isUserFull ? 'user-full' : isFullTeam ? 'team-full' : 'full' }
}
