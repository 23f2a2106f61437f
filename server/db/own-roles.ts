import type postgres from 'postgres'
import type { OwnRoles } from '../../shared/role.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import type { Sql } from './connect.ts'
import { isMember, type OrganizationReader } from './organization-actors.ts'

export const ownRolesJson = (tx: Sql, roles: OwnRoles) => tx`${tx.json(roles as unknown as postgres.JSONValue)}::jsonb`

/** Whether an organization's own roles are still these. */
export const areOwnRoles = (tx: Sql, organizationId: string, roles: OwnRoles) => tx`
  exists (select from organizations where id = ${organizationId} and own_roles = ${ownRolesJson(tx, roles)})
`

/** An organization's own roles after a change. */
interface OwnRolesChange {
  readonly organizationId: string
  readonly roles: OwnRoles
  /** The names of a role before and after. Null when none is renamed. */
  readonly renamed?: { readonly from: string; readonly to: string } | null
}

/**
 * Call behind the lock on the organization. Members and pending invitations keep a renamed role. What an answered
 * invitation promised stays as it was.
 */
export function storeOwnRoles(
  tx: Sql,
  { organizationId, roles, renamed = null }: OwnRolesChange,
  event: PendingAuditEvent,
) {
  const [from, to] = [renamed?.from ?? null, renamed?.to ?? null]
  return tx`
    with stored as (
      update organizations set own_roles = ${ownRolesJson(tx, roles)} where id = ${organizationId} returning id
    ),
    renamed_members as (
      update members set roles = array_replace(roles, ${from}, ${to})
      where organization_id = ${organizationId} and ${from} = any(roles)
    ),
    renamed_invitations as (
      update invitations set roles = array_replace(roles, ${from}, ${to})
      where organization_id = ${organizationId} and status = 'pending' and ${from} = any(roles)
    )
    ${insertAuditEvent(tx, event, tx`select from stored`)}
  `
}

/** Somebody with a role: a member, or an open invitation by its address. */
export interface RoleUser {
  readonly kind: 'member' | 'invitation'
  /** The address of a person or an invitation, the name of a machine. */
  readonly name: string
}

/** A role by its name, or else by its id. */
export interface SoughtRole {
  readonly name: string | undefined
  readonly id?: string | undefined
}

const nameOf = (tx: Sql, organizationId: string, { name, id }: SoughtRole) =>
  name === undefined
    ? tx`(
        select d.key from organizations own, jsonb_each(own.own_roles) d
        where own.id = ${organizationId} and d.value ->> 'id' = ${id ?? null}
      )`
    : tx`${name}`

/** At most `limit` of those who have a role, for a member. Call behind the lock on the organization. */
export function listRoleUsers(tx: Sql, reader: OrganizationReader, named: SoughtRole, limit: number) {
  const { organizationId } = reader
  const role = nameOf(tx, organizationId, named)
  return tx<RoleUser[]>`
    (
      select 'member' as kind, case when u.organization_id is null then u.email else u.name end as name
      from members m join users u on u.id = m.user_id
      where m.organization_id = ${organizationId} and ${role} = any(m.roles) and ${isMember(tx, reader)}
      order by m.created_at, m.id limit ${limit}
    )
    union all
    (
      select 'invitation', email from invitations
      where organization_id = ${organizationId} and status = 'pending' and expires_at > now()
        and ${role} = any(roles) and ${isMember(tx, reader)}
      order by created_at, id limit ${limit}
    )
  `
}
