import type { Sql } from './connect.ts'
import type { Actor } from './organization-actors.ts'
import { ownRolesJson } from './own-roles.ts'

/**
 * The organization `o` of an actor `m`, unless the roles that were checked changed. A write locks both, in this order,
 * before the rows that it changes: a concurrent change of the roles is either seen or waits until the write is done.
 */
export const checkedActor = (sql: Sql, { organizationId, memberId, roles, ownRoles }: Actor) => sql`
  select o.id from organizations o
  join members m on m.organization_id = o.id
  where o.id = ${organizationId} and m.id = ${memberId} and m.roles = ${roles}
    and o.own_roles = ${ownRolesJson(sql, ownRoles)}
`

/** The first step of a write: `held` is the organization, locked with the actor. Empty when their rights changed. */
export const lockCheckedActor = (sql: Sql, actor: Actor) => sql`
  held as (${checkedActor(sql, actor)} for no key update of o, m)
`
