import { both, computed } from './columns.ts'
import type { Sql } from './connect.ts'
import { findOwn } from './own-row.ts'
import { type Standing, standingColumns } from './standing.ts'

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
