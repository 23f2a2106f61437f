import type postgres from 'postgres'
import { machineAddress } from '../../shared/email.ts'
import { FullUser } from '../../shared/entities.ts'
import { Member } from '../../shared/organization.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import type { MayAddWayIn } from '../request/way-in.ts'
import { insertAuditEvent, insertAuditEvents } from './audit-events.ts'
import { byDatabase, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { newlyMade } from './made-user.ts'
import { findOwn } from './own-row.ts'

/** A user that no person is: what a key or a trust rule of an organization acts as, a member like others. */
export interface NewMachine {
  readonly userId: string
  readonly memberId: string
  readonly name: string
  readonly organizationId: string
  readonly roles: readonly string[]
}

/** The steps that make one if `room` yields a row; to be put into a larger statement. `machine` yields its id. */
export const insertMachine = (sql: Sql, machine: NewMachine, sponsor: MayAddWayIn, room: postgres.Fragment) => sql`
  machine as (
    insert into users ${newRow(
      sql,
      FullUser,
      {
        ...newlyMade,
        id: machine.userId,
        email: machineAddress(machine.userId),
        name: machine.name,
        image: byDatabase,
        emailVerified: byDatabase,
        role: byDatabase,
      },
      { organizationId: machine.organizationId, sponsorId: sponsor.userId },
    )}
    where exists (${room})
    returning id
  ), membership as (
    insert into members ${newRow(sql, Member, {
      id: machine.memberId,
      organizationId: machine.organizationId,
      userId: sql`id`,
      role: sql`${machine.roles}::text[]`,
      teamId: byDatabase,
      createdAt: byDatabase,
    })}
    from machine
  )
`

/**
 * Whether a member is a person: no organization is anybody's whom its machines would miss. A look-up of its own for each
 * member, since a join might be planned as a scan of all users.
 */
export const isPerson = (sql: Sql, member: string) => sql`
  (select p.organization_id from users p where p.id = ${sql(member)}.user_id) is null
`

/** Who is responsible for a machine from now on, told in the same statement. */
export const setSponsor = (tx: Sql, userId: string, sponsor: MayAddWayIn, event: AuditEvent) => tx`
  with adopted as (
    update users set sponsor_id = ${sponsor.userId} where id = ${userId} and organization_id is not null returning id
  )
  ${insertAuditEvent(tx, event, tx`select from adopted`)}
`

/** A machine by what it is known as: a key or a trust rule. */
export interface SponsoredMachine {
  readonly userId: string
  readonly roles: readonly string[]
  readonly keyId: string | null
  readonly trustId: string | null
}

/** The machines of an organization, which was locked, that somebody is responsible for. */
export const listSponsored = (tx: Sql, organizationId: string, sponsorId: string) => tx<SponsoredMachine[]>`
  select u.id as user_id, m.roles, k.id as key_id, t.id as trust_id
  from users u
  join members m on m.organization_id = u.organization_id and m.user_id = u.id
  left join machine_keys k on k.user_id = u.id
  left join trust_rules t on t.user_id = u.id
  where u.organization_id = ${organizationId} and u.sponsor_id = ${sponsorId}
  order by u.id
`

/** Somebody else is responsible for these machines from now on, told in the same statement. */
export const setSponsorOfAll = (tx: Sql, userIds: readonly string[], sponsor: MayAddWayIn, events: AuditEvent[]) => tx`
  with adopted as (
    update users set sponsor_id = ${sponsor.userId} where id = any(${userIds as string[]}) and organization_id is not null
  )
  ${insertAuditEvents(tx, events)}
`

/** Ends these machines, as below, told in the same statement. */
export const deleteMachines = (tx: Sql, userIds: readonly string[], events: readonly AuditEvent[]) => tx`
  with gone as (delete from users where id = any(${userIds as string[]}) and organization_id is not null)
  ${insertAuditEvents(tx, events)}
`

/** Ends a machine with all that is its own: membership, key or trust rule, sessions. False when it had ended already. */
export async function deleteMachine(tx: Sql, organizationId: string, userId: string): Promise<boolean> {
  const steps = tx`
    gone as (delete from users where id = ${userId} and organization_id = ${organizationId} returning id)
  `
  return (await findOwn(tx, userId, tx`select id from gone`, steps)) !== null
}
