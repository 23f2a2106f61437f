import type postgres from 'postgres'
import type { Session, User } from '../../shared/entities.ts'
import type { FullOrganization, ListedOrganization, Organization } from '../../shared/organization.ts'
import type { Sql } from './connect.ts'
import { type FullRow, fullOf } from './full-organization.ts'
import { retryConflict } from './transaction.ts'
import { onUnique } from './unique.ts'

/** Whether a role text holds a role. */
export const holdsRole = (sql: Sql, text: postgres.Fragment, role: string) =>
  sql`${role} = any(string_to_array(${text}, ','))`

/** What a decision about an organization rests on: the actor's membership, if there is one. */
export interface Actor {
  readonly organizationId: string
  readonly memberId: string
  readonly role: string
  readonly teamId: string | null
}

export async function findActor(sql: Sql, organizationId: string, userId: string): Promise<Actor | null> {
  const [actor] = await sql<Actor[]>`
    select organization_id, id as member_id, role, team_id
    from members
    where organization_id = ${organizationId} and user_id = ${userId}
  `
  return actor ?? null
}

/** The same, and locks the organization: what is counted in the next statement stays true until the end. */
export async function findActorBehindLock(tx: Sql, organizationId: string, userId: string): Promise<Actor | null> {
  const [actor] = await tx<Actor[]>`
    select m.organization_id, m.id as member_id, m.role, m.team_id
    from organizations o
    join members m on m.organization_id = o.id
    where o.id = ${organizationId} and m.user_id = ${userId}
    for no key update of o, m
  `
  return actor ?? null
}

/** Locks an organization, so that what is in it is counted one after the other; tells whether there is such an organization. */
export async function lockOrganization(tx: Sql, id: string): Promise<boolean> {
  return (await tx`select from organizations where id = ${id} for no key update`).length > 0
}

/** Whom a trusted server or an admin names. */
export async function findUser(sql: Sql, userId: string) {
  const [user] = await sql<User[]>`
    select id, email, name, image, email_verified, created_at, updated_at from users where id = ${userId}
  `
  return user ?? null
}

export interface NewOrganization {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly logo: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly creator: { readonly userId: string; readonly memberId: string; readonly role: string }
  /** Id of the team that is named like the organization; null for none. */
  readonly teamId: string | null
  /** The session that shall have it active. */
  readonly sessionId: string | null
  /** Memberships that the creator may have; null for any number. */
  readonly limit: number | null
}

/** Locks the creator, so that their organizations are counted one after the other; tells whether there is such a user. */
export async function lockCreator(tx: Sql, userId: string): Promise<boolean> {
  return (await tx`select from users where id = ${userId} for no key update`).length > 0
}

type MadeRow = Organization & { memberId: string; memberSince: Date }

/** Organization, default team, first member and active choice at once; null when the creator is in enough already. */
export async function createOrganization(tx: Sql, made: NewOrganization): Promise<MadeRow | null> {
  const { creator, teamId, sessionId, limit } = made
  const metadata = made.metadata === null ? null : tx.json(made.metadata as postgres.JSONValue)
  const [row] = await onUnique(
    'organizations_slug_key',
    'ORGANIZATION_EXISTS',
    () => tx<MadeRow[]>`
    with made as (
      insert into organizations (id, name, slug, logo, metadata)
      select ${made.id}, ${made.name}, ${made.slug}, ${made.logo}, ${metadata}::json
      where ${limit === null} or (select count(*) from members where user_id = ${creator.userId}) < ${limit ?? 0}
      returning id, name, slug, logo, metadata, created_at
    ), team as (
      insert into teams (id, organization_id, name) select ${teamId}, id, name from made where ${teamId !== null}
      returning id
    ), member as (
      insert into members (id, organization_id, user_id, role, team_id)
      select ${creator.memberId}, id, ${creator.userId}, ${creator.role}, (select id from team) from made
      returning id, created_at
    ), active as (
      update sessions s set active_organization_id = made.id from made where s.id = ${sessionId}
    )
    select o.id, o.name, o.slug, o.logo, o.metadata, o.created_at, m.id as member_id, m.created_at as member_since
    from made o, member m
  `,
  )
  return row ?? null
}

export async function isSlugTaken(sql: Sql, slug: string): Promise<boolean> {
  return (await sql`select from organizations where slug = ${slug}`).length > 0
}

/** An absent field stays. */
export interface OrganizationChange {
  readonly name: string | undefined
  readonly slug: string | undefined
  readonly logo: string | null | undefined
  readonly metadata: Readonly<Record<string, unknown>> | null | undefined
}

/** Only while the actor is still a member; null when not. */
export async function updateOrganization(sql: Sql, actor: Actor, change: OrganizationChange) {
  const metadata = change.metadata ? sql.json(change.metadata as postgres.JSONValue) : null
  const [row] = await onUnique(
    'organizations_slug_key',
    'ORGANIZATION_EXISTS',
    () => sql<Organization[]>`
    update organizations o
    set name = coalesce(${change.name ?? null}, name),
      slug = coalesce(${change.slug ?? null}, slug),
      logo = case when ${change.logo === undefined} then logo else ${change.logo ?? null} end,
      metadata = case when ${change.metadata === undefined} then metadata else ${metadata}::json end
    where o.id = ${actor.organizationId} and exists (select from members where id = ${actor.memberId})
    returning o.id, o.name, o.slug, o.logo, o.metadata, o.created_at
  `,
  )
  return row ?? null
}

export async function findOrganization(sql: Sql, id: string): Promise<Organization | null> {
  const [row] = await sql<Organization[]>`
    select id, name, slug, logo, metadata, created_at from organizations where id = ${id}
  `
  return row ?? null
}

/**
 * The foreign keys take members, invitations, teams and every session's active choice along. Only while the actor holds the
 * very roles that the decision was made on.
 */
export async function deleteOrganization(sql: Sql, actor: Actor): Promise<Organization | null> {
  const [row] = await retryConflict(
    () => sql<Organization[]>`
      delete from organizations o
      where o.id = ${actor.organizationId}
        and exists (select from members where id = ${actor.memberId} and role = ${actor.role})
      returning o.id, o.name, o.slug, o.logo, o.metadata, o.created_at
    `,
  )
  return row ?? null
}

export const listOrganizations = (sql: Sql, userId: string) => sql<ListedOrganization[]>`
  select o.id, o.name, o.slug, o.logo, o.metadata, o.created_at,
    not exists (select from members x where x.organization_id = o.id and x.id <> m.id) as sole_member
  from members m
  join organizations o on o.id = m.organization_id
  where m.user_id = ${userId}
  order by m.created_at, o.id
`

/** Which organization is meant; a slug wins. */
export interface Choice {
  readonly id: string | null
  readonly slug: string | null
}

/** An organization with all that is in it, in one statement, if the user is a member. */
export async function findFullOrganization(
  sql: Sql,
  userId: string,
  { id, slug }: Choice,
  memberLimit: number,
): Promise<FullOrganization | null> {
  const [row] = await sql<FullRow[]>`
    select o.id, o.name, o.slug, o.logo, o.metadata, o.created_at,
      (
        select coalesce(json_agg(json_build_object(
          'id', m.id, 'organizationId', m.organization_id, 'userId', m.user_id, 'role', m.role, 'teamId', m.team_id,
          'createdAt', m.created_at, 'user', json_build_object('id', u.id, 'name', u.name, 'email', u.email, 'image', u.image)
        ) order by m.created_at, m.id), '[]')
        from (
          select id, organization_id, user_id, role, team_id, created_at
          from members where organization_id = o.id order by created_at, id limit ${memberLimit}
        ) m
        join users u on u.id = m.user_id
      ) as members,
      (
        select coalesce(json_agg(json_build_object(
          'id', i.id, 'organizationId', i.organization_id, 'email', i.email, 'role', i.role, 'status', i.status,
          'teamId', i.team_id, 'inviterId', i.inviter_id, 'expiresAt', i.expires_at
        ) order by i.created_at, i.id), '[]')
        from invitations i where i.organization_id = o.id
      ) as invitations,
      (
        select coalesce(json_agg(json_build_object(
          'id', t.id, 'name', t.name, 'organizationId', t.organization_id, 'createdAt', t.created_at,
          'updatedAt', t.updated_at
        ) order by t.created_at, t.id), '[]')
        from teams t where t.organization_id = o.id
      ) as teams
    from organizations o
    join members mine on mine.organization_id = o.id and mine.user_id = ${userId}
    where ${slug === null ? sql`o.id = ${id}` : sql`o.slug = ${slug}`}
  `
  return row ? fullOf(row) : null
}

export const clearActiveOrganization = (sql: Sql, sessionId: string) => sql`
  update sessions set active_organization_id = null where id = ${sessionId}
`

/**
 * Chooses the active organization of a session; false when its user is no member of it any more. Organization and member
 * are locked first: who takes either away waits and clears the choice, or was earlier and is seen.
 */
export async function setActiveOrganization(sql: Sql, session: Session, organizationId: string): Promise<boolean> {
  const { count } = await retryConflict(
    () => sql`
      with chosen as (
        select o.id from organizations o join members m on m.organization_id = o.id
        where o.id = ${organizationId} and m.user_id = ${session.userId}
        for key share of o, m
      )
      update sessions s set active_organization_id = c.id from chosen c where s.id = ${session.id}
    `,
  )
  return count > 0
}
