import { type ListedTeam, Member, type MemberView, Team } from '../../shared/organization.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { type PageOf, type PageRequest, toPage } from '../request/paging.ts'
import { insertAuditEvent, withAuditEvent } from './audit-events.ts'
import { checkedActor, lockCheckedActor } from './checked-actor.ts'
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
  unchanged,
  updatedColumns,
} from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { keepRows } from './lists.ts'
import { memberViewColumns, memberViewOf } from './members.ts'
import { type Actor, actorColumns, isMember, type OrganizationReader } from './organization-actors.ts'
import { isTeamFull } from './team-limits.ts'
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
  readonly actor: Actor
  readonly teamId: string
  /** An absent name stays unchanged. */
  readonly name: string | undefined
  /** Null when nothing changes. */
  readonly event: PendingAuditEvent | null
}

/** Null for a team of another organization, and unless the actor still has the rights that were checked. */
export function renameTeam(sql: Sql, { actor, teamId, name, event }: TeamChange): Promise<Team | null> {
  const renamed = sql`
    update teams t
    set ${updatedColumns(sql, Team, {
      id: unchanged,
      name,
      organizationId: unchanged,
      createdAt: unchanged,
      updatedAt: name === undefined ? unchanged : sql`now()`,
    })}
    from held h where t.id = ${teamId} and t.organization_id = h.id
    returning ${columnsOf(sql, Team, 't')}
  `
  return oneOrNone(sql`
    with ${lockCheckedActor(sql, actor)}, ${withAuditEvent(sql, renamed, event)} select ${fieldsOf(sql, Team)} from done
  `)
}

/** The number of members of a team `t`. */
export const memberCount = (sql: ReadSql) => sql`(select count(*)::integer from team_members where team_id = t.id)`

/** The columns of a team `t` in a list. */
const listedColumns = (sql: ReadSql) =>
  combineColumns(
    sql,
    columnsOf(sql, Team, 't'),
    computedColumns<Omit<Required<ListedTeam>, keyof Team>>(sql, { memberCount: memberCount(sql) }),
  )

export async function listTeams(
  sql: ReadSql,
  reader: OrganizationReader,
  page: PageRequest,
): Promise<PageOf<ListedTeam>> {
  const rows = await sql`
    select ${listedColumns(sql)}
    from teams t
    where t.organization_id = ${reader.organizationId} and ${isMember(sql, reader)}
    order by t.created_at, t.id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

/** The teams of a user in all organizations, or in one that the reader is a member of. */
export async function listTeamsOf(
  sql: ReadSql,
  userId: string,
  reader: OrganizationReader | null,
  page: PageRequest,
): Promise<PageOf<ListedTeam>> {
  const inOrganization =
    reader === null ? sql`` : sql`and tm.organization_id = ${reader.organizationId} and ${isMember(sql, reader)}`
  const rows = await sql`
    select ${listedColumns(sql)}
    from team_members tm
    join teams t on t.id = tm.team_id
    where tm.user_id = ${userId} ${inOrganization}
    order by t.created_at, t.id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

/** The listed teams that the user is still in. */
export const keepOwnTeams = (sql: Sql, userId: string, page: PageOf<ListedTeam>) =>
  keepRows(
    page,
    (ids) => sql<{ id: string }[]>`
    select team_id as id from team_members where user_id = ${userId} and team_id = any(${ids})
  `,
  )

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

/** `isNew`: false when the member was in the team already. */
export type AddToTeamOutcome = Outcome<
  { readonly member: Member; readonly isNew: boolean },
  'changed' | 'no-team' | 'no-member' | 'full'
>

interface TeamEntry {
  readonly actor: Actor
  readonly teamId: string
  readonly userId: string
  /** The maximum number of members of a team. */
  readonly limit: number
  readonly event: PendingAuditEvent
}

/**
 * Adds a member of the team's organization. Call behind the locks on the organization and the actor. `changed`: the
 * actor's rights are not those that were checked any more.
 */
export async function addToTeam(
  tx: Sql,
  { actor, teamId, userId, limit, event }: TeamEntry,
): Promise<AddToTeamOutcome> {
  const facts = flagColumns(tx, 'f', 'isAllowed', 'isTeam', 'isMember', 'isNew', 'isFull')
  const row = await one(tx`
    with team as (select id, organization_id from teams where id = ${teamId}),
    facts as (
      select exists (${checkedActor(tx, actor)}) as is_allowed, exists (select from team) as is_team,
        exists (select from members m join team t on t.organization_id = m.organization_id where m.user_id = ${userId}) as is_member,
        not exists (select from team_members where team_id = ${teamId} and user_id = ${userId}) as is_new,
        ${isTeamFull(tx, [teamId], limit)} as is_full
    ),
    placed as (
      update members m set team_ids = case when t.id = any(m.team_ids) then m.team_ids else m.team_ids || t.id end
      from team t, facts f
      where m.organization_id = t.organization_id and m.user_id = ${userId} and f.is_allowed
        and not (f.is_new and f.is_full)
      returning ${columnsOf(tx, Member, 'm')}
    ),
    audited as (${insertAuditEvent(tx, event, tx`select from placed, facts f where f.is_new`)})
    select ${nullableColumns(fieldsOf(tx, Member, 'p'))}, ${facts} from facts f left join placed p on true
  `)
  const { isAllowed, isTeam, isMember, isNew, isFull, ...member } = row
  if (member.id !== null) return { outcome: 'done', member, isNew }
  if (!isAllowed) return { outcome: 'changed' }
  return { outcome: isNew && isFull ? 'full' : isTeam && !isMember ? 'no-member' : 'no-team' }
}

/**
 * Null when the user is not in that team, and unless the actor still has the rights that were checked. It is no active
 * team of theirs any more either.
 */
export function removeFromTeam(
  sql: Sql,
  { actor, teamId, userId, event }: Omit<TeamEntry, 'limit'>,
): Promise<Member | null> {
  const displaced = sql`
    update members m set team_ids = array_remove(m.team_ids, tm.team_id)
    from team_members tm, held h
    where tm.team_id = ${teamId} and tm.user_id = ${userId} and tm.organization_id = h.id
      and m.organization_id = tm.organization_id and m.user_id = tm.user_id and tm.team_id = any(m.team_ids)
    returning ${columnsOf(sql, Member, 'm')}
  `
  return oneOrNone(sql`
    with ${lockCheckedActor(sql, actor)}, ${withAuditEvent(sql, displaced, event)}
    select ${fieldsOf(sql, Member)} from done
  `)
}

interface TeamChoice {
  readonly sessionId: string
  readonly userId: string
  readonly organizationId: string
  readonly teamId: string
}

/**
 * Makes a team of the active organization the active team of a session. The membership is locked first, so a concurrent
 * end of it is seen, or waits and then clears it from the session.
 */
export async function setActiveTeam(
  sql: Sql,
  { sessionId, userId, organizationId, teamId }: TeamChoice,
): Promise<Outcome<{ readonly team: Team }, 'no-team' | 'outsider'>> {
  const isKnown = computedColumns<{ isKnown: boolean }>(sql, { isKnown: sql`exists (select from team)` })
  const row = await one(sql`
    with team as (
      select ${columnsOf(sql, Team)} from teams where id = ${teamId} and organization_id = ${organizationId}
    ), held as (
      select tm.team_id from team_members tm
      where tm.team_id = ${teamId} and tm.user_id = ${userId} and tm.organization_id = ${organizationId}
      for key share
    ), chosen as (
      update sessions s set active_team_id = h.team_id from held h
      where s.id = ${sessionId} and s.active_organization_id = ${organizationId}
      returning s.active_team_id
    )
    select ${nullableColumns(fieldsOf(sql, Team, 't'))}, ${isKnown}
    from (select) one left join chosen c on true left join team t on t.id = c.active_team_id
  `)
  const { isKnown: isTeam, ...team } = row
  if (team.id !== null) return { outcome: 'done', team }
  return { outcome: isTeam ? 'outsider' : 'no-team' }
}

export const clearActiveTeam = (sql: Sql, sessionId: string) => sql`
  update sessions set active_team_id = null where id = ${sessionId}
`

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
    from team_members tm
    join members m on m.organization_id = tm.organization_id and m.user_id = tm.user_id
    join users u on u.id = m.user_id
    where tm.team_id = ${teamId} and ${isMember(sql, { organizationId, userId })}
    order by m.created_at, m.id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows.map(memberViewOf), page)
}
