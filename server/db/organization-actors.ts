import type { Sql } from './connect.ts'
import { findOwn } from './own-row.ts'

/** Who acts in an organization: the membership that decides what they may do there. */
export interface Actor {
  readonly organizationId: string
  readonly memberId: string
  readonly roles: readonly string[]
  readonly teamId: string | null
}

export const findActor = (sql: Sql, organizationId: string, userId: string): Promise<Actor | null> =>
  findOwn<Actor>(
    sql,
    userId,
    sql`
      select organization_id, id as member_id, roles, team_id
      from members
      where organization_id = ${organizationId} and user_id = ${userId}
    `,
  )

/** The same, and locks the organization: what is counted in the next statement stays true until the end. */
export const findActorBehindLock = (tx: Sql, organizationId: string, userId: string): Promise<Actor | null> =>
  findOwn<Actor>(
    tx,
    userId,
    tx`
      select m.organization_id, m.id as member_id, m.roles, m.team_id
      from organizations o
      join members m on m.organization_id = o.id
      where o.id = ${organizationId} and m.user_id = ${userId}
      for no key update of o, m
    `,
  )
