import { Member, type MemberView, Team } from '../../shared/organization.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { type PageOf, type PageRequest, toPage } from '../request/paging.ts'
import { insertAuditEvent, withAuditEvent } from './audit-events.ts'
import { findRow, one, oneOrNone } from './checked-row.ts'
import { columnsOf, databaseDefault, fieldsOf, newRow, unchanged, updatedColumns } from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { memberViewColumns, memberViewOf } from './members.ts'
import { type Actor, actorColumns, isMember, type OrganizationReader } from './organization-actors.ts'
import type { Outcome } from './transaction.ts'

/** Null when the organization has the maximum number of teams. Counted behind the organization's lock. */
export function createTeam(
  tx: Sql,
  team: { readonly id: string; readonly name: string; readonly organizationId: string },
  limit: number,
  event: PendingAuditEvent,
): Promise<Team | null> {
  const made = tx`
    insert into teams ${newRow(tx, Team, { ...team, createdAt: databaseDefault, updatedAt: tx`now()` })}
    where (select count(*) from teams where organization_id = ${team.organizationId}) < ${limit}
    returning ${columnsOf(tx, Team)}
  `
  return oneOrNone(tx`with ${withAuditEvent(tx, made, event)} select ${fieldsOf(tx, Team)} from done`)
}

interface TeamEnd {
  readonly organizationId: string
  readonly teamId: string
  readonly mayBeLast: boolean
  readonly event: PendingAuditEvent
}

/** Keeps an organization's last team, unless that one may be deleted too. */
export async function deleteTeam(
  tx: Sql,
  { organizationId, teamId, mayBeLast, event }: TeamEnd,
): Promise<Outcome<object, 'no-team' | 'last'>> {
  const { isKnown, isDeleted } = await one(tx<{ isKnown: boolean; isDeleted: boolean }[]>`
    with known as (select id from teams where id = ${teamId} and organization_id = ${organizationId}),
    deleted as (
      delete from teams t using known k
      where t.id = k.id
        and (${mayBeLast} or (select count(*) from teams where organization_id = ${organizationId}) > 1)
      returning t.id
    ),
    audited as (${insertAuditEvent(tx, event, tx`select from deleted`)})
    select exists (select from known) as is_known, exists (select from deleted) as is_deleted
  `)
  return { outcome: isDeleted ? 'done' : isKnown ? 'last' : 'no-team' }
}

interface TeamChange {
  readonly organizationId: string
  readonly teamId: string
  /** An absent name stays unchanged. */
  readonly name: string | undefined
  readonly event: PendingAuditEvent
}

export function renameTeam(sql: Sql, { organizationId, teamId, name, event }: TeamChange): Promise<Team | null> {
  const renamed = sql`
    update teams
    set ${updatedColumns(sql, Team, {
      id: unchanged,
      name,
      organizationId: unchanged,
      createdAt: unchanged,
      updatedAt: name === undefined ? unchanged : sql`now()`,
    })}
    where id = ${teamId} and organization_id = ${organizationId}
    returning ${columnsOf(sql, Team)}
  `
  return oneOrNone(sql`with ${withAuditEvent(sql, renamed, event)} select ${fieldsOf(sql, Team)} from done`)
}

export async function listTeams(sql: ReadSql, reader: OrganizationReader, page: PageRequest): Promise<PageOf<Team>> {
  const rows = await sql`
    select ${columnsOf(sql, Team)}
    from teams
    where organization_id = ${reader.organizationId} and ${isMember(sql, reader)}
    order by created_at, id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

/** The actor in the organization of a team. Null for a stranger or an unknown team. */
export const findTeamActor = (sql: ReadSql, teamId: string, userId: string) =>
  findRow<Actor>(
    sql,
    userId,
    sql`
      select ${actorColumns(sql)}
      from teams t
      join members m on m.organization_id = t.organization_id and m.user_id = ${userId}
      where t.id = ${teamId}
    `,
  )

/**
 * Moves a member of the team's organization into the team, out of any other. Null when there is no such member. The
 * team is locked first, so it exists until the member is in it.
 */
export function moveToTeam(sql: Sql, teamId: string, userId: string, event: PendingAuditEvent): Promise<Member | null> {
  const placed = sql`
    update members m set team_id = t.id
    from (select id, organization_id from teams where id = ${teamId} for key share) t
    where m.organization_id = t.organization_id and m.user_id = ${userId}
    returning ${columnsOf(sql, Member, 'm')}
  `
  return oneOrNone(sql`with ${withAuditEvent(sql, placed, event)} select ${fieldsOf(sql, Member)} from done`)
}

/** Null when the user is not in that team. */
export function removeFromTeam(
  sql: Sql,
  teamId: string,
  userId: string,
  event: PendingAuditEvent,
): Promise<Member | null> {
  const displaced = sql`
    update members set team_id = null
    where team_id = ${teamId} and user_id = ${userId}
    returning ${columnsOf(sql, Member)}
  `
  return oneOrNone(sql`with ${withAuditEvent(sql, displaced, event)} select ${fieldsOf(sql, Member)} from done`)
}

/** For members of the team's organization. */
export async function listTeamMembers(
  sql: ReadSql,
  teamId: string,
  userId: string,
  page: PageRequest,
): Promise<PageOf<MemberView>> {
  const organizationId = sql`(select organization_id from teams where id = ${teamId})`
  const rows = await sql`
    select ${memberViewColumns(sql, columnsOf(sql, Member, 'm'))}
    from members m
    join users u on u.id = m.user_id
    where m.team_id = ${teamId} and ${isMember(sql, { organizationId, userId })}
    order by m.created_at, m.id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows.map(memberViewOf), page)
}
