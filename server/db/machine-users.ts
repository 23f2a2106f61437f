import type postgres from 'postgres'
import { machineAddress } from '../../shared/email.ts'
import { FullUser } from '../../shared/entities.ts'
import { Member } from '../../shared/organization.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { SignInMethodCapability } from '../request/sign-in-method-capability.ts'
import { insertAuditEvent, insertAuditEvents, runAudited } from './audit-events.ts'
import { databaseDefault, newRow } from './columns.ts'
import type { ReadSql, Sql } from './connect.ts'
import { newUserDefaults } from './created-user.ts'

/** A machine user, not a person: an organization's key or trust rule acts as it, and it is a member like others. */
export interface NewMachine {
  readonly userId: string
  readonly memberId: string
  readonly name: string
  readonly organizationId: string
  readonly roles: readonly string[]
}

/**
 * The steps that create a machine if `room` yields a row. A fragment for a larger statement. `machine` yields its id.
 */
export const insertMachine = (
  sql: Sql,
  machine: NewMachine,
  sponsor: SignInMethodCapability,
  room: postgres.Fragment,
) => sql`
  machine as (
    insert into users ${newRow(
      sql,
      FullUser,
      {
        ...newUserDefaults,
        id: machine.userId,
        email: machineAddress(machine.userId),
        name: machine.name,
        image: databaseDefault,
        emailVerified: databaseDefault,
        language: databaseDefault,
        role: databaseDefault,
        fields: databaseDefault,
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
      teamId: databaseDefault,
      teamIds: databaseDefault,
      createdAt: databaseDefault,
    })}
    from machine
  )
`

/**
 * Whether a member is a person, since machines alone do not keep an organization alive. A subquery for each member: a
 * join might be planned as a scan of all users.
 */
export const isPerson = (sql: ReadSql, member: string) => sql`
  (select p.organization_id from users p where p.id = ${sql(member)}.user_id) is null
`

/** Whether nobody else is a person in the organization of a member `m`. Then it ends with the account of this one. */
export const isOnlyPerson = (sql: ReadSql) => sql`
  not exists (
    select from members x
    where x.organization_id = m.organization_id and x.id <> m.id and ${isPerson(sql, 'x')}
  )
`

/** Makes somebody else responsible for a machine, and writes the event in the same statement. */
export const setSponsor = (tx: Sql, userId: string, sponsor: SignInMethodCapability, event: PendingAuditEvent) => tx`
  with adopted as (
    update users set sponsor_id = ${sponsor.userId} where id = ${userId} and organization_id is not null returning id
  )
  ${insertAuditEvent(tx, event, tx`select from adopted`)}
`

/** A machine and the name of the key or trust rule that acts as it. */
export interface SponsoredMachine {
  readonly userId: string
  readonly roles: readonly string[]
  readonly keyId: string | null
  readonly trustId: string | null
}

/** Lists the machines for which a member is responsible, in an organization that the caller has locked. */
export const listSponsored = (tx: Sql, organizationId: string, sponsorId: string) => tx<SponsoredMachine[]>`
  select u.id as user_id, m.roles, k.id as key_id, t.id as trust_id
  from users u
  join members m on m.organization_id = u.organization_id and m.user_id = u.id
  left join machine_keys k on k.user_id = u.id
  left join trust_rules t on t.user_id = u.id
  where u.organization_id = ${organizationId} and u.sponsor_id = ${sponsorId}
  order by u.id
`

/** Makes somebody else responsible for these machines, and writes the events in the same statement. */
export const setSponsors = (
  tx: Sql,
  userIds: readonly string[],
  sponsor: SignInMethodCapability,
  events: PendingAuditEvent[],
) => tx`
  with adopted as (
    update users set sponsor_id = ${sponsor.userId} where id = any(${userIds as string[]}) and organization_id is not null
  )
  ${insertAuditEvents(tx, events)}
`

/** Deletes these machines like `deleteMachine`, and writes the events in the same statement. */
export const deleteMachines = (tx: Sql, userIds: readonly string[], events: readonly PendingAuditEvent[]) => tx`
  with gone as (delete from users where id = any(${userIds as string[]}) and organization_id is not null)
  ${insertAuditEvents(tx, events)}
`

/** Deletes a machine with its membership, key or trust rule, and sessions. False when it was deleted already. */
export const deleteMachine = (tx: Sql, { userId, organizationId }: MachineRow, event: PendingAuditEvent) =>
  runAudited(tx, tx`delete from users where id = ${userId} and organization_id = ${organizationId} returning id`, event)

type MachineRow = Pick<NewMachine, 'userId' | 'organizationId'>
