import type postgres from 'postgres'
import type { OwnRoles } from '../../shared/role.ts'
import { findRow } from './checked-row.ts'
import { combineColumns, computedColumns } from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import type { Columns } from './row-type.ts'

/** A member who acts in an organization: the membership that decides what they can do. */
export interface Actor extends Membership, MemberRoles {}

interface Membership {
  readonly organizationId: string
  readonly memberId: string
  readonly teamIds: readonly string[]
}

/** The columns of an actor, for a membership `m`. `roles`: the role columns of a locked one. */
export const actorColumns = (sql: ReadSql, roles = memberRoleColumns(sql)) =>
  combineColumns(
    sql,
    computedColumns<Membership>(sql, { organizationId: 'm.organizationId', memberId: 'm.id', teamIds: 'm.teamIds' }),
    roles,
  )

export const findActor = (
  sql: ReadSql,
  organizationId: string | postgres.Fragment,
  userId: string,
): Promise<Actor | null> =>
  findRow<Actor>(
    sql,
    typeof organizationId === 'string' ? `${organizationId} ${userId}` : userId,
    sql`
      select ${actorColumns(sql)}
      from members m
      where m.organization_id = ${organizationId} and m.user_id = ${userId}
    `,
  )

/** An organization, and the user who reads something in it. */
export interface OrganizationReader {
  readonly organizationId: string
  readonly userId: string
}

type FoundReader = Pick<OrganizationReader, 'userId'> & { readonly organizationId: string | postgres.Fragment }

/**
 * Whether the reader is a member. It depends on no row of the statement around it, so the server decides it once and
 * reads nothing else for an outsider.
 */
export const isMember = (sql: ReadSql, { organizationId, userId }: FoundReader) => sql`
  exists (select from members mine where mine.organization_id = ${organizationId} and mine.user_id = ${userId})
`

/** Finds an actor and locks the organization: what the next statement counts stays true until the transaction ends. */
export const lockOrganizationAndFindActor = (tx: Sql, organizationId: string, userId: string): Promise<Actor | null> =>
  findRow<Actor>(
    tx,
    userId,
    tx`select ${actorColumns(tx, lockedRoleColumns(tx))} from held m`,
    tx`
      held as (
        select m.id, m.organization_id, m.user_id, m.team_ids, ${columnsForRoles(tx)}
        from organizations o
        join members m on m.organization_id = o.id
        where o.id = ${organizationId} and m.user_id = ${userId}
        for no key update of o, m
      ), ${lockSponsors(tx)}
    `,
  )

/** The definitions of the roles that an organization made. */
export interface OwnRoleDefinitions {
  readonly ownRoles: OwnRoles
}

/** The roles that decide what a member can do: their own and, for a machine, those of the member responsible for it. */
export interface MemberRoles extends OwnRoleDefinitions {
  readonly roles: readonly string[]
  /** Null for a person. Empty for a machine for which no active member is responsible. */
  readonly sponsorRoles: readonly string[] | null
}

/** Who is responsible for a machine, and their current roles. All null for a person's own key. */
export interface Sponsorship extends OwnRoleDefinitions {
  readonly sponsorId: string | null
  /** Null when that user was deleted. */
  readonly sponsorName: string | null
  /** Their roles in the organization. Null when they are no active member. */
  readonly sponsorRoles: readonly string[] | null
}

/** The columns for a machine `u` and its membership `m`. */
export const sponsorColumns = (sql: ReadSql): Columns<Sponsorship> =>
  computedColumns<Sponsorship>(sql, {
    sponsorId: 'u.sponsorId',
    sponsorName: sql`(select sn.name from users sn where sn.id = u.sponsor_id)`,
    sponsorRoles: rolesOfSponsor(sql),
    ownRoles: ownRolesOfMachine(sql),
  })

/** The role columns of a membership `m`. Its organization is not locked. */
const memberRoleColumns = (sql: ReadSql): Columns<MemberRoles> =>
  computedColumns<MemberRoles>(sql, {
    roles: 'm.roles',
    sponsorRoles: sponsorRolesOfMember(sql),
    ownRoles: ownRolesOf(sql, sql`m.organization_id`),
  })

/**
 * What the step `held`, which locks memberships `m` and their organization `o`, selects for `lockedRoleColumns` beside
 * `m.user_id`.
 */
export const columnsForRoles = (sql: Sql) => sql`m.roles, o.own_roles`

/**
 * The step after `held` that locks the sponsors of the machines among its members. A subquery would find them as they
 * were before the statement waited for the locks, and let a machine act for somebody who was removed or banned meanwhile.
 */
export const lockSponsors = (sql: Sql) => sql`
  sponsors as (
    select h.user_id, sm.roles from held h
    join users u on u.id = h.user_id
    join members sm on ${isSponsorOf(sql)}
    join users su on ${isActiveSponsor(sql)}
    for no key update of sm for share of su
  )
`

/** The role columns of a membership `m` from the step `held`, after `lockSponsors`. */
export const lockedRoleColumns = (sql: Sql): Columns<MemberRoles> =>
  computedColumns<MemberRoles>(sql, {
    roles: 'm.roles',
    sponsorRoles: unlessPerson(sql, sql`(select s.roles from sponsors s where s.user_id = u.id)`),
    ownRoles: 'm.ownRoles',
  })

/** Only those that the machine or its sponsor has, since a list has them for each machine. */
const ownRolesOfMachine = (sql: ReadSql) => sql`coalesce((
  select jsonb_object_agg(d.key, d.value)
  from organizations own, jsonb_each(own.own_roles) d
  where own.id = u.organization_id and d.key = any(m.roles || ${rolesOfSponsor(sql)})
), '{}')`

/** A subquery for the own roles of an organization. */
const ownRolesOf = (sql: ReadSql, organizationId: postgres.Fragment) =>
  sql`(select own.own_roles from organizations own where own.id = ${organizationId})`

/** Those of the sponsor of a membership `m`. */
export const sponsorRolesOfMember = (sql: ReadSql) => unlessPerson(sql, rolesOfSponsor(sql))

/**
 * The roles that `found` yields for a machine `u`. Null for a person. A subquery for each member `m`: a join might be
 * planned as a scan of all users.
 */
const unlessPerson = (sql: ReadSql, found: postgres.Fragment) => sql`(
  select case when u.organization_id is not null then coalesce(${found}, '{}') end
  from users u where u.id = m.user_id
)`

/** Whether a membership `sm` is that of the member responsible for a machine `u`. */
export const isSponsorOf = (sql: ReadSql) => sql`sm.organization_id = u.organization_id and sm.user_id = u.sponsor_id`

/** Whether the user `su` of such a membership is active. An expired ban does not count. */
export const isActiveSponsor = (sql: ReadSql) =>
  sql`su.id = sm.user_id and (su.banned is not true or su.ban_expires <= now())`

/**
 * The current roles, in the machine's organization, of the member responsible for a machine `u`. Null when that member
 * was removed, banned or deleted.
 */
const rolesOfSponsor = (sql: ReadSql) => sql`(
  select sm.roles from members sm
  join users su on ${isActiveSponsor(sql)}
  where ${isSponsorOf(sql)}
)`

/** Whether an active member of its organization is responsible for the machine `u`. */
export const isSponsored = (sql: Sql) => sql`(${rolesOfSponsor(sql)} is not null)`
