import type postgres from 'postgres'
import { type Session, User } from '../../shared/entities.ts'
import { Member, Organization, Team } from '../../shared/organization.ts'
import type { OwnValues } from '../../shared/own-fields.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent, withAuditEvent } from './audit-events.ts'
import { checkedActor, lockCheckedActor } from './checked-actor.ts'
import { findRow, oneOrNone } from './checked-row.ts'
import { columnsOf, computedColumns, databaseDefault, fieldsOf, newRow, unchanged, updatedColumns } from './columns.ts'
import { inLastTrip, type Sql, type TransactionSql } from './connect.ts'
import { isOnlyPerson } from './machine-users.ts'
import type { Actor, OwnRoleDefinitions } from './organization-actors.ts'
import { failOnUniqueViolation } from './outage.ts'
import { changedOwnFields, newOwnFields } from './own-fields.ts'
import type { Outcome } from './transaction.ts'

/** Locks an organization, which everybody does before locking rows that belong to it. */
export const lockOrganization = (tx: Sql, id: string | postgres.Fragment) => tx`
  select from organizations where id = ${id} for no key update
`

/** The organization to join, by its id or by an invitation to it. */
type JoinedOrganization = { readonly organizationId: string } | { readonly invitationId: string }

/**
 * Locks an organization and then the joining user, so that the members of the one and the organizations of the other
 * are counted one after the other. Null when the organization does not exist.
 */
export function lockForJoining(
  tx: Sql,
  joined: JoinedOrganization,
  userId: string,
): Promise<OwnRoleDefinitions | null> {
  const id =
    'organizationId' in joined
      ? tx`${joined.organizationId}`
      : tx`(select organization_id from invitations where id = ${joined.invitationId})`
  const steps = tx`
    held as (select id, own_roles from organizations where id = ${id} for no key update),
    person as (select u.id from held h join users u on u.id = ${userId} for no key update of u)
  `
  return findRow<OwnRoleDefinitions>(tx, userId, tx`select own_roles, exists (select from person) from held`, steps)
}

/** Finds a user for calls in which a trusted server or an administrator names one. Only persons, not machines. */
export const findUser = (sql: Sql, userId: string) =>
  findRow(sql, userId, sql`select ${columnsOf(sql, User)} from users where id = ${userId} and organization_id is null`)

export interface NewOrganization {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly logo: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly fields: OwnValues
  readonly creator: { readonly userId: string; readonly memberId: string; readonly roles: readonly string[] }
  /** Id of the default team, which takes the organization's name. Null for no team. It becomes active too. */
  readonly teamId: string | null
  /** The session in which the organization becomes active. Null for none. */
  readonly sessionId: string | null
  /** The maximum number of organizations of the creator. */
  readonly limit: number
  readonly event: PendingAuditEvent
}

interface Founding {
  readonly memberSince: Date
}

/**
 * Creates the organization, default team, first member and active choice, and commits. The creator is locked before, so
 * that their organizations are counted one after the other.
 */
export async function createOrganization(
  tx: TransactionSql,
  made: NewOrganization,
): Promise<Outcome<Organization & Founding, 'no-creator' | 'user-full'>> {
  const { userId } = made.creator
  const write = () =>
    inLastTrip(
      tx,
      (one) => findRow(one, userId, one`select from users where id = ${userId} for no key update`),
      (one) => oneOrNone(insertOrganization(one, made)),
    )
  const [creator, row] = await failOnUniqueViolation('organizations_slug_key', 'ORGANIZATION_EXISTS', write)
  return row ? { outcome: 'done', ...row } : { outcome: creator ? 'user-full' : 'no-creator' }
}

function insertOrganization(tx: Sql, made: NewOrganization) {
  const { creator, teamId, sessionId, limit, event } = made
  const founding = computedColumns<Founding>(tx, { memberSince: 'm.createdAt' })
  return tx`
    with made as (
      insert into organizations ${rowOf(tx, made)}
      where (select count(*) from members where user_id = ${creator.userId}) < ${limit}
        and exists (select from users where id = ${creator.userId})
      returning ${columnsOf(tx, Organization)}
    ),
    team as (
      insert into teams ${defaultTeam(tx, teamId)} from made where ${teamId !== null} returning id
    ), member as (
      insert into members ${founder(tx, creator)} from made returning created_at
    ), active as (
      update sessions s set active_organization_id = made.id, active_team_id = ${teamId}
      from made, member where s.id = ${sessionId}
    ),
    audited as (${insertAuditEvent(tx, event, tx`select from made`)})
    select ${fieldsOf(tx, Organization, 'o')}, ${founding} from made o, member m
  `
}

const rowOf = (tx: Sql, { id, name, slug, logo, metadata, fields }: NewOrganization) =>
  newRow(tx, Organization, {
    id,
    name,
    slug,
    logo,
    metadata: jsonOf(tx, metadata),
    createdAt: databaseDefault,
    fields: newOwnFields(tx, fields),
  })

/** The SQL expressions refer to the row of the new organization. */
const defaultTeam = (tx: Sql, teamId: string | null) =>
  newRow(tx, Team, {
    id: tx`${teamId}`,
    name: tx`name`,
    organizationId: tx`id`,
    createdAt: databaseDefault,
    updatedAt: databaseDefault,
  })

const founder = (tx: Sql, { memberId, userId, roles }: NewOrganization['creator']) =>
  newRow(tx, Member, {
    id: memberId,
    organizationId: tx`id`,
    userId,
    role: tx`${roles}::text[]`,
    teamId: databaseDefault,
    teamIds: tx`array(select id from team)`,
    createdAt: databaseDefault,
  })

const jsonOf = (sql: Sql, metadata: Readonly<Record<string, unknown>> | null) =>
  sql`${metadata === null ? null : sql.json(metadata as postgres.JSONValue)}::json`

export async function isSlugTaken(sql: Sql, slug: string): Promise<boolean> {
  return (await sql`select from organizations where slug = ${slug}`).length > 0
}

export const findOrganizationId = async (sql: Sql, slug: string): Promise<string | null> =>
  (await findRow<{ id: string }>(sql, slug, sql`select id from organizations where slug = ${slug}`))?.id ?? null

/** An absent field stays unchanged. */
export interface OrganizationChange {
  readonly name: string | undefined
  readonly slug: string | undefined
  readonly logo: string | null | undefined
  readonly metadata: Readonly<Record<string, unknown>> | null | undefined
  readonly fields: OwnValues
}

/** Null unless the actor still has the rights that were checked. */
export function updateOrganization(
  sql: Sql,
  actor: Actor,
  change: OrganizationChange,
  event: PendingAuditEvent | null,
): Promise<Organization | null> {
  const updated = sql`
    update organizations o
    set ${updatedColumns(sql, Organization, {
      ...change,
      id: unchanged,
      metadata: change.metadata === undefined ? unchanged : jsonOf(sql, change.metadata),
      createdAt: unchanged,
      fields: changedOwnFields(sql, change.fields),
    })}
    from held h where o.id = h.id
    returning ${columnsOf(sql, Organization, 'o')}
  `
  const write = () => sql`
    with ${lockCheckedActor(sql, actor)}, ${withAuditEvent(sql, updated, event)}
    select ${fieldsOf(sql, Organization)} from done
  `
  return oneOrNone(failOnUniqueViolation('organizations_slug_key', 'ORGANIZATION_EXISTS', write))
}

export const findOrganization = (sql: Sql, id: string): Promise<Organization | null> =>
  oneOrNone(sql`select ${columnsOf(sql, Organization)} from organizations where id = ${id}`)

/** The organizations that end with the account of this user. */
export const listEndingOrganizations = (sql: Sql, userId: string): Promise<Organization[]> =>
  sql`
    select ${columnsOf(sql, Organization, 'o')} from members m
    join organizations o on o.id = m.organization_id
    where m.user_id = ${userId} and ${isOnlyPerson(sql)}
    order by o.slug
  `

/**
 * Deletes an organization. The foreign keys delete its members, invitations and teams, and clear it from every session.
 * Null unless the actor still has the rights that were checked.
 */
export const deleteOrganization = (sql: Sql, actor: Actor, event: PendingAuditEvent): Promise<Organization | null> =>
  oneOrNone(
    sql`
      with held as (${checkedActor(sql, actor)} for update of o, m),
      deleted as (
        delete from organizations o using held h where o.id = h.id
        returning ${columnsOf(sql, Organization, 'o')}
      ),
      audited as (${insertAuditEvent(sql, event, sql`select from deleted`)})
      select ${fieldsOf(sql, Organization)} from deleted
    `,
  )

export const clearActiveOrganization = (sql: Sql, sessionId: string) => sql`
  update sessions set active_organization_id = null where id = ${sessionId}
`

/**
 * Sets the active organization of a session. False when its user is no longer a member. Organization and member are
 * locked first, so a concurrent deletion of either is seen, or waits and then clears it from the session.
 */
export async function setActiveOrganization(sql: Sql, session: Session, organizationId: string): Promise<boolean> {
  const { count } = await sql`
      with chosen as (
        select o.id from organizations o join members m on m.organization_id = o.id
        where o.id = ${organizationId} and m.user_id = ${session.userId}
        for key share of o, m
      )
      update sessions s set active_organization_id = c.id from chosen c where s.id = ${session.id}
    `
  return count > 0
}
