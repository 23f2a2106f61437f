import type { Sql } from './connect.ts'
import { type Actor, isActiveSponsor, isSponsorOf } from './organization-actors.ts'
import { ownRolesJson } from './own-roles.ts'

/**
 * The organization `o` of an actor `m`, unless the roles that were checked changed. A write locks both, in this order,
 * before the rows that it changes: a concurrent change of the roles is either seen or waits until the write is done. For
 * a machine, the same goes for its sponsor `sm`, who must not be banned (`su`).
 */
export const checkedActor = (sql: Sql, { organizationId, memberId, roles, ownRoles, sponsorRoles }: Actor) => sql`
  select o.id from organizations o
  join members m on m.organization_id = o.id
  ${sponsorRoles === null ? sql`` : joinSponsor(sql, sponsorRoles)}
  where o.id = ${organizationId} and m.id = ${memberId} and m.roles = ${roles}
    and o.own_roles = ${ownRolesJson(sql, ownRoles)}
`

const joinSponsor = (sql: Sql, roles: readonly string[]) => sql`
  join users u on u.id = m.user_id
  join members sm on ${isSponsorOf(sql)} and sm.roles = ${roles}
  join users su on ${isActiveSponsor(sql)}
`

/** The first step of a write: `held` is the organization, locked with the actor. Empty when their rights changed. */
export const lockCheckedActor = (sql: Sql, actor: Actor) => sql`
  held as (${checkedActor(sql, actor)} for no key update of o, m${actor.sponsorRoles === null ? sql`` : sql`, sm for share of su`})
`
