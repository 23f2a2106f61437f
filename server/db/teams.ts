import type { Member, MemberView, Team } from '../../shared/organization.ts'
import { type PageOf, type PageRequest, toPage } from '../request/paging.ts'
import type { Sql } from './connect.ts'
import { type ViewRow, viewOf } from './members.ts'
import type { Outcome } from './outcome.ts'
import { findOwn } from './own-row.ts'

/** Null when there are enough teams. Counted behind the lock on the organization. */
export async function createTeam(
  tx: Sql,
  team: { readonly id: string; readonly name: string; readonly organizationId: string },
  limit: number,
): Promise<Team | null> {
  const [row] = await tx<Team[]>`
    insert into teams (id, organization_id, name, updated_at)
    select ${team.id}, ${team.organizationId}, ${team.name}, now()
    where (select count(*) from teams where organization_id = ${team.organizationId}) < ${limit}
    returning id, name, organization_id, created_at, updated_at
  `
  return row ?? null
}

/** The last team of an organization stays, unless that one may go too. */
export async function deleteTeam(
  tx: Sql,
  organizationId: string,
  teamId: string,
  mayRemoveLast: boolean,
): Promise<Outcome<object, 'no-team' | 'last'>> {
  const [row] = await tx<{ isKnown: boolean; isDeleted: boolean }[]>`
    with known as (select id from teams where id = ${teamId} and organization_id = ${organizationId}),
    deleted as (
      delete from teams t using known k
      where t.id = k.id
        and (${mayRemoveLast} or (select count(*) from teams where organization_id = ${organizationId}) > 1)
      returning t.id
    )
    select exists (select from known) as is_known, exists (select from deleted) as is_deleted
  `
  if (!row) throw new Error('A statement without conditions answered nothing')
  return { outcome: row.isDeleted ? 'done' : row.isKnown ? 'last' : 'no-team' }
}

/** An absent name stays. */
export async function renameTeam(sql: Sql, organizationId: string, teamId: string, name: string | undefined) {
  const [row] = await sql<Team[]>`
    update teams
    set name = coalesce(${name ?? null}, name),
      updated_at = case when ${name === undefined} then updated_at else now() end
    where id = ${teamId} and organization_id = ${organizationId}
    returning id, name, organization_id, created_at, updated_at
  `
  return row ?? null
}

export async function listTeams(sql: Sql, organizationId: string, page: PageRequest): Promise<PageOf<Team>> {
  const rows = await sql<Team[]>`
    select id, name, organization_id, created_at, updated_at
    from teams
    where organization_id = ${organizationId}
    order by created_at, id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows, page)
}

/** The actor's roles in the organization of a team; null for a stranger or no such team. */
export const findTeamActor = (sql: Sql, teamId: string, userId: string) =>
  findOwn<{ organizationId: string; roles: readonly string[] }>(
    sql,
    userId,
    sql`
      select t.organization_id, m.roles
      from teams t
      join members m on m.organization_id = t.organization_id and m.user_id = ${userId}
      where t.id = ${teamId}
    `,
  )

/**
 * Puts a member of the team's organization into it, out of any other; null when there is no such member. The team is locked
 * first: it stays until the member is in it.
 */
export async function placeMember(sql: Sql, teamId: string, userId: string): Promise<Member | null> {
  const [row] = await sql<Member[]>`
    with team as (select id, organization_id from teams where id = ${teamId} for key share)
    update members m set team_id = t.id
    from team t
    where m.organization_id = t.organization_id and m.user_id = ${userId}
    returning m.id, m.organization_id, m.user_id, m.roles as role, m.team_id, m.created_at
  `
  return row ?? null
}

/** Null when the user is not in that team. */
export async function displaceMember(sql: Sql, teamId: string, userId: string): Promise<Member | null> {
  const [row] = await sql<Member[]>`
    update members set team_id = null
    where team_id = ${teamId} and user_id = ${userId}
    returning id, organization_id, user_id, roles as role, team_id, created_at
  `
  return row ?? null
}

export async function listTeamMembers(sql: Sql, teamId: string, page: PageRequest): Promise<PageOf<MemberView>> {
  const rows = await sql<ViewRow[]>`
    select m.id, m.organization_id, m.user_id, m.roles as role, m.team_id, m.created_at, u.name as user_name, u.email, u.image
    from members m
    join users u on u.id = m.user_id
    where m.team_id = ${teamId}
    order by m.created_at, m.id
    limit ${page.limit + 1} offset ${page.offset}
  `
  return toPage(rows.map(viewOf), page)
}
