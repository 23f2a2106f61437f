import { both, computed } from './columns.ts'
import type { Sql } from './connect.ts'
import { findOwn } from './own-row.ts'
import type { Columns } from './row-type.ts'

/** Who acts in an organization: the membership that decides what they may do there. */
export interface Actor extends Membership, Standing {}

interface Membership {
  readonly organizationId: string
  readonly memberId: string
  readonly teamId: string | null
}

/** Of a membership `m`. */
export const actorColumns = (sql: Sql) =>
  both(
    sql,
    computed<Membership>(sql, { organizationId: 'm.organizationId', memberId: 'm.id', teamId: 'm.teamId' }),
    standingColumns(sql),
  )

export const findActor = (sql: Sql, organizationId: string, userId: string): Promise<Actor | null> =>
  findOwn<Actor>(
    sql,
    userId,
    sql`
      select ${actorColumns(sql)}
      from members m
      where m.organization_id = ${organizationId} and m.user_id = ${userId}
    `,
  )

/** The same, and locks the organization: what is counted in the next statement stays true until the end. */
export const findActorBehindLock = (tx: Sql, organizationId: string, userId: string): Promise<Actor | null> =>
  findOwn<Actor>(
    tx,
    userId,
    tx`
      select ${actorColumns(tx)}
      from organizations o
      join members m on m.organization_id = o.id
      where o.id = ${organizationId} and m.user_id = ${userId}
      for no key update of o, m
    `,
  )

/** What decides what a member may do: their roles, and for a machine those of whoever is responsible for it. */
export interface Standing {
  readonly roles: readonly string[]
  /** Null: a person. Empty: nobody who may act is responsible for this machine. */
  readonly sponsorRoles: readonly string[] | null
}

/** Who is responsible for a machine, and what is left of them. All null for a person's own key. */
export interface Sponsorship {
  readonly sponsorId: string | null
  /** Null: deleted. */
  readonly sponsorName: string | null
  /** What they are in the organization; null: no active member of it. */
  readonly sponsorRoles: readonly string[] | null
}

/** Of a machine `u`. */
export const sponsorColumns = (sql: Sql): Columns<Sponsorship> =>
  computed<Sponsorship>(sql, {
    sponsorId: 'u.sponsorId',
    sponsorName: sql`(select sn.name from users sn where sn.id = u.sponsor_id)`,
    sponsorRoles: rolesOfSponsor(sql),
  })

/** The standing of a membership `m`. */
export const standingColumns = (sql: Sql): Columns<Standing> =>
  computed<Standing>(sql, { roles: 'm.roles', sponsorRoles: sponsorRolesOfMember(sql) })

/** A look-up of its own for each member: a join might be planned as a scan of all users. */
export const sponsorRolesOfMember = (sql: Sql) => sql`(
  select case when u.organization_id is not null then coalesce(${rolesOfSponsor(sql)}, '{}') end
  from users u where u.id = m.user_id
)`

/**
 * What whoever is responsible for a machine `u` is in its organization now. Null when they may do nothing there: removed,
 * banned or deleted. A ban that is over counts no more.
 */
const rolesOfSponsor = (sql: Sql) => sql`(
  select sm.roles from members sm
  join users su on su.id = sm.user_id and (su.banned is not true or su.ban_expires <= now())
  where sm.organization_id = u.organization_id and sm.user_id = u.sponsor_id
)`

/** Whether somebody who may act in the organization of a machine `u` is responsible for it. */
export const isSponsored = (sql: Sql) => sql`(${rolesOfSponsor(sql)} is not null)`
