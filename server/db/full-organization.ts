import {
  type FullOrganization,
  Invitation,
  type ListedOrganization,
  Member,
  MemberUser,
  Organization,
  Team,
} from '../../shared/organization.ts'
import type { PageRequest, RawPageOf } from '../request/paging.ts'
import { findRow } from './checked-row.ts'
import { columnsOf, computedColumns, fieldsOf, jsonFieldsOf } from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { keepRows } from './lists.ts'
import { isOnlyPerson } from './machine-users.ts'
import { rawRows } from './raw-rows.ts'
import { memberCount } from './teams.ts'

/** Dates arrive as text inside JSON. */
type WithJsonDates<T> = { [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K] }

interface Lists {
  readonly members: readonly (WithJsonDates<FullOrganization['members'][number]> & { readonly isMachine: boolean })[]
  readonly invitations: readonly WithJsonDates<FullOrganization['invitations'][number]>[]
  readonly teams: readonly WithJsonDates<NonNullable<FullOrganization['teams']>[number]>[]
}

/** The requested organization. A slug takes precedence. */
export interface OrganizationSelector {
  readonly id: string | null
  readonly slug: string | null
}

/** The maximum length of each list. */
export type FullOrganizationLimits = Readonly<Record<'members' | 'invitations' | 'teams', number>>

/**
 * Finds an organization with its members, invitations and teams in one statement, if the user is a member. It reads one
 * row more than the limit of each list, which shows that there are more.
 */
export async function findFullOrganization(
  sql: ReadSql,
  userId: string,
  { id, slug }: OrganizationSelector,
  limits: FullOrganizationLimits,
): Promise<FullOrganization | null> {
  const lists = computedColumns<Lists>(sql, {
    members: sql`(${membersOf(sql, limits.members + 1)})`,
    invitations: sql`(${invitationsOf(sql, limits.invitations + 1)})`,
    teams: sql`(${teamsOf(sql, limits.teams + 1)})`,
  })
  const found = sql`
    select ${columnsOf(sql, Organization, 'o')}, ${lists}
    from organizations o
    join members mine on mine.organization_id = o.id and mine.user_id = ${userId}
    where ${slug === null ? sql`o.id = ${id}` : sql`o.slug = ${slug}`}
  `
  const row = await findRow(sql, userId, found)
  return row ? fullOf(row, limits) : null
}

/** The organization alone, if the user is a member. */
export const findOrganizationOf = (sql: Sql, userId: string, { id, slug }: OrganizationSelector) =>
  findRow(
    sql,
    `${slug ?? id} ${userId}`,
    sql`
      select ${columnsOf(sql, Organization, 'o')}
      from organizations o
      join members m on m.organization_id = o.id and m.user_id = ${userId}
      where ${slug === null ? sql`o.id = ${id}` : sql`o.slug = ${slug}`}
    `,
  )

const membersOf = (sql: ReadSql, limit: number) => sql`
  select coalesce(json_agg(json_build_object(
    ${jsonFieldsOf(sql, Member, 'm')},
    'user', json_build_object(${jsonFieldsOf(sql, MemberUser, 'u')}), 'isMachine', u.organization_id is not null
  ) order by m.created_at, m.id), '[]')
  from (
    select ${columnsOf(sql, Member)}
    from members where organization_id = o.id order by created_at, id limit ${limit}
  ) m
  join users u on u.id = m.user_id
`

/** The pending invitations. Those that can still be accepted come first. */
const invitationsOf = (sql: ReadSql, limit: number) => sql`
  select coalesce(json_agg(json_build_object(${jsonFieldsOf(sql, Invitation, 'i')})
    order by i.is_over, i.created_at, i.id), '[]')
  from (
    select ${columnsOf(sql, Invitation)}, expires_at <= now() as is_over
    from invitations
    where organization_id = o.id and status = 'pending'
    order by is_over, created_at, id
    limit ${limit}
  ) i
`

const teamsOf = (sql: ReadSql, limit: number) => sql`
  select coalesce(json_agg(json_build_object(${jsonFieldsOf(sql, Team, 't')}, 'memberCount', ${memberCount(sql)})
    order by t.created_at, t.id), '[]')
  from (
    select ${columnsOf(sql, Team)}
    from teams where organization_id = o.id order by created_at, id limit ${limit}
  ) t
`

function fullOf(
  { members, invitations, teams, ...organization }: Organization & Lists,
  limits: FullOrganizationLimits,
): FullOrganization {
  const lists = { members, invitations, teams }
  const incomplete = (['members', 'invitations', 'teams'] as const).filter((name) => lists[name].length > limits[name])
  return {
    ...organization,
    members: members.slice(0, limits.members).map(({ isMachine, user, ...member }) => ({
      ...member,
      user: isMachine ? { ...user, isMachine } : user,
      createdAt: new Date(member.createdAt),
    })),
    invitations: invitations.slice(0, limits.invitations).map((invitation) => ({
      ...invitation,
      createdAt: invitation.createdAt === null ? null : new Date(invitation.createdAt),
      expiresAt: new Date(invitation.expiresAt),
    })),
    teams: teams.slice(0, limits.teams).map((team) => ({
      ...team,
      createdAt: new Date(team.createdAt),
      updatedAt: team.updatedAt === null ? null : new Date(team.updatedAt),
    })),
    ...(incomplete.length > 0 ? { incomplete } : {}),
  }
}

/** Returns whether the user is a member of the organization, and it still has the slug that it was asked for by. */
export async function isMemberOf(sql: Sql, userId: string, organizationId: string, slug: string | null) {
  const rows = await sql`
    select from members m
    join organizations o on o.id = m.organization_id
    where m.user_id = ${userId} and o.id = ${organizationId} and ${slug === null ? sql`true` : sql`o.slug = ${slug}`}
  `
  return rows.length > 0
}

/**
 * Bytes of metadata, own fields and logos after which a page of organizations ends: a hundred with 16 kB of each would
 * be a large answer.
 */
const fullPage = 262_144

interface Listing extends Omit<ListedOrganization, keyof Organization> {
  readonly isLast: boolean
}

/**
 * Lists a user's organizations in the order of joining. A page can be shorter than its limit when the organizations
 * hold much data.
 */
export async function listOrganizations(
  sql: ReadSql,
  userId: string,
  { limit, offset }: PageRequest,
): Promise<RawPageOf<ListedOrganization>> {
  const chosen = sql`
    select ${columnsOf(sql, Organization, 'o')}, m.created_at as since,
      ${isOnlyPerson(sql)} as sole_member
    from members m
    join organizations o on o.id = m.organization_id
    where m.user_id = ${userId}
    order by m.created_at, o.id
    limit ${limit + 1} offset ${offset}
  `
  const more = computedColumns<Listing>(sql, { soleMember: 'soleMember', isLast: 'isLast' })
  const measured = sql`
    with chosen as (${chosen}),
    measured as (
      select *, row_number() over joined = count(*) over () as is_last,
        coalesce(sum(coalesce(octet_length(metadata::text), 0) + octet_length(fields::text) + coalesce(octet_length(logo), 0))
          over (joined rows between unbounded preceding and 1 preceding), 0) as before
      from chosen
      window joined as (order by since, id)
    )
    select ${fieldsOf(sql, Organization)}, ${more} from measured
    where before < ${fullPage}
    order by since, id
  `
  const rows = (await rawRows(measured)).slice(0, limit)
  const isWhole = rows.last('isLast') ?? true
  return { rows, next: isWhole ? null : offset + rows.length }
}

/** The listed organizations of which the user is a member. */
export const keepMemberships = (sql: Sql, userId: string, page: RawPageOf<ListedOrganization>) =>
  keepRows(
    page,
    (ids) => sql<{ id: string }[]>`
    select organization_id as id from members where user_id = ${userId} and organization_id = any(${ids})
  `,
  )
