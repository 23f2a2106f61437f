import type postgres from 'postgres'
import type * as z from 'zod'
import { type FullUser, Session } from '../../shared/entities.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import type { ActiveOrganization } from '../request/client.ts'
import { insertAuditEvent } from './audit-events.ts'
import { type Batch, Batches } from './batches.ts'
import type { Sql } from './connect.ts'
import { isDone } from './order.ts'
import { findOwn, ownRows } from './own-row.ts'

/** A session without the token, which is nowhere in the database. */
export const StoredSession = Session.omit({ token: true })
export type StoredSession = z.output<typeof StoredSession>

export interface NewSession {
  readonly id: string
  readonly tokenHash: Buffer
  readonly remembered: boolean
  /** Seconds. */
  readonly lifetime: number
  readonly ipAddress: string
  readonly userAgent: string
  readonly label: string | null
  /** Token hash of the session that the same client had before: it ends. */
  readonly replaces: Buffer | null
}

/** Seconds, from the settings. */
export interface Lifetimes {
  readonly expiresIn: number
  readonly updateAge: number
  /** However often it is extended, a session ends this long after it began. */
  readonly maxAge: number
  /** How long a session is fresh after its person proved who they are; 0: always. */
  readonly freshAge: number
}

export interface FoundSession {
  readonly session: StoredSession
  readonly user: FullUser
  readonly organization: ActiveOrganization | null
  readonly remembered: boolean
  readonly isFresh: boolean
  /** The trust rule by which a machine signed in; null: a person did. */
  readonly trustId: string | null
  readonly isExpired: boolean
  /** Whether it is time to extend it. */
  readonly isDue: boolean
  /** Seconds until it expires. */
  readonly remaining: number
}

/** What came back for a token: what was asked for, and nulls where there is no session. */
type Answer = { asked: string } & (SessionRow | { id: null })

interface SessionRow extends StoredSession, Omit<FullUser, 'id' | 'createdAt' | 'updatedAt'> {
  remembered: boolean
  trustId: string | null
  isExpired: boolean
  /** Seconds, with fractions. */
  remaining: number
  /** Seconds since a person last proved who they are. */
  proofAge: number
  userCreatedAt: Date
  userUpdatedAt: Date
  organization: ActiveOrganization | null
}

type Rows = ReadonlyMap<string, Answer>

/** The look-ups of each pool. */
const lookUps = new WeakMap<Sql, Batches<Rows>>()

/** The session of a token with its user; a banned user has none. Those that are asked for at the same time are one statement. */
export async function findSession(sql: Sql, tokenHash: Buffer, lifetimes: Lifetimes): Promise<FoundSession | null> {
  const key = tokenHash.toString('hex')
  const row = (await lookUpsOf(sql).join(key)).get(key)
  // There is one for each key: to miss it would be a fault, and never means that nobody is signed in.
  if (!row) throw sql.distrust()
  return row.id === null ? null : foundOf(row, lifetimes)
}

function lookUpsOf(sql: Sql): Batches<Rows> {
  const known = lookUps.get(sql)
  if (known) return known
  const made = new Batches((batch) => findSessions(sql, batch))
  lookUps.set(sql, made)
  return made
}

/**
 * A row for each token's hash, which repeats it: no other answer can pass for this person, or for nobody. Time is the
 * database's, and the only parameter is the hashes: each more would cost every request of everybody. `limit 1` makes every
 * look-up the same index scan, however many there are. For `unnest` the planner would count them, find a plan for these few
 * cheaper than the one it keeps, and make one each time; of `string_to_table` it always expects the same.
 */
async function findSessions(sql: Sql, batch: Batch): Promise<Rows> {
  // The driver takes whatever has a text, which its types do not say.
  const hashes = batch as unknown as string
  const rows = await sql<Answer[]>`
    select asked.hash as asked, found.*
    from string_to_table(${hashes}, ',') as asked (hash)
    left join lateral (
      select
        s.id, s.user_id, s.expires_at, s.created_at, s.updated_at, s.ip_address, s.user_agent, s.label,
        s.active_organization_id,
        s.impersonated_by, s.remembered, s.trust_id, s.expires_at <= now() as is_expired,
        extract(epoch from s.expires_at - now())::float8 as remaining,
        extract(epoch from now() - s.authenticated_at)::float8 as proof_age,
        u.email, u.name, u.email_verified, u.image, u.roles as role, u.banned, u.ban_reason, u.ban_expires,
        u.created_at as user_created_at, u.updated_at as user_updated_at,
        case when s.active_organization_id is not null then (
          select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles)
          from members m join organizations o on o.id = m.organization_id
          where m.organization_id = s.active_organization_id and m.user_id = s.user_id
        ) end as organization
      from sessions s
      join users u on u.id = s.user_id and (u.banned is not true or u.ban_expires <= now())
      where s.token_hash = decode(asked.hash, 'hex')
      limit 1
    ) found on true
  `
  return ownRows(sql, rows, batch.keys)
}

const isFresh = ({ impersonatedBy, proofAge }: SessionRow, { freshAge }: Lifetimes): boolean =>
  impersonatedBy === null && (freshAge === 0 || proofAge < freshAge)

const isDue = (
  { remembered, remaining, createdAt, expiresAt }: SessionRow,
  { expiresIn, updateAge, maxAge }: Lifetimes,
): boolean =>
  remembered && remaining <= expiresIn - updateAge && expiresAt.getTime() < createdAt.getTime() + maxAge * 1000

const foundOf = (row: SessionRow, lifetimes: Lifetimes): FoundSession => ({
  organization: row.organization,
  remembered: row.remembered,
  isFresh: isFresh(row, lifetimes),
  trustId: row.trustId,
  isExpired: row.isExpired,
  isDue: isDue(row, lifetimes),
  remaining: Math.floor(row.remaining),
  session: {
    id: row.id,
    userId: row.userId,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ipAddress: row.ipAddress,
    userAgent: row.userAgent,
    label: row.label,
    activeOrganizationId: row.activeOrganizationId,
    impersonatedBy: row.impersonatedBy,
  },
  user: {
    id: row.userId,
    email: row.email,
    name: row.name,
    image: row.image,
    emailVerified: row.emailVerified,
    createdAt: row.userCreatedAt,
    updatedAt: row.userUpdatedAt,
    role: row.role,
    banned: row.banned,
    banReason: row.banReason,
    banExpires: row.banExpires,
  },
})

/** Extends a session that still lives; null when it ended meanwhile, so a revoked one never comes back. */
export const extendSession = (sql: Sql, id: string, { expiresIn, maxAge }: Lifetimes) =>
  findOwn<{ expiresAt: Date; updatedAt: Date; remaining: number }>(
    sql,
    id,
    sql`select expires_at, updated_at, remaining from extended`,
    sql`extended as (
      update sessions
      set expires_at = least(now() + make_interval(secs => ${expiresIn}), created_at + make_interval(secs => ${maxAge})),
        updated_at = now()
      where id = ${id} and expires_at > now()
      returning expires_at, updated_at, floor(extract(epoch from expires_at - now()))::integer as remaining
    )`,
  )

/**
 * The columns of a new session for each user id that `users` (called `of_user`) yields; to be put into a larger statement.
 * `provenAt`: when its person proved who they are; `label`: where another machine asked for the session than begins it.
 */
export const insertSession = (
  sql: Sql,
  session: NewSession,
  users: postgres.Fragment,
  { provenAt = sql`now()`, label = sql`${session.label}` } = {},
) => sql`
  insert into sessions (id, user_id, token_hash, remembered, expires_at, ip_address, user_agent, label, authenticated_at)
  select ${session.id}, of_user.id, ${session.tokenHash}, ${session.remembered},
    now() + make_interval(secs => ${session.lifetime}), ${session.ipAddress}, ${session.userAgent}, ${label},
    ${provenAt}
  from (${users}) as of_user
  returning user_id
`

/** Ends the session that a new one follows, only if `started` yields a row; to be put into a larger statement. */
export const endReplaced = (sql: Sql, { replaces }: NewSession, started: postgres.Fragment) => sql`
  delete from sessions where token_hash = ${replaces} and exists (${started}) returning id
`

/**
 * Ends the oldest sessions of a user, so that with the one that `started` yields they are no more than the limit; to be put
 * into a larger statement that has the steps `started` and `ended`. It does not wait for a row that another one ends.
 */
export const endOverLimit = (sql: Sql, user: postgres.Fragment, limit: number) => sql`
  delete from sessions
  where id in (
    select id from sessions
    where id in (
        select id from sessions
        where user_id = (${user})
        order by created_at desc, id desc
        offset ${limit - 1}
      )
      and exists (select from started) and ${isDone(sql, 'ended')}
    for update skip locked
  )
  returning id
`

/** Ends the session of a token hash; answers its id and user, or null when there is none. */
export const deleteSessionByHash = (sql: Sql, tokenHash: Buffer, event: AuditEvent) =>
  findOwn<{ id: string; userId: string }>(
    sql,
    tokenHash,
    sql`select id, user_id from gone`,
    sql`
      gone as (delete from sessions where token_hash = ${tokenHash} returning id, user_id, impersonated_by),
      audited as (${insertAuditEvent(sql, event, sql`select * from gone`, {
        userId: sql`told.user_id`,
        impersonatorId: sql`told.impersonated_by`,
      })})
    `,
  )

export const deleteExpiredSession = (sql: Sql, id: string) => sql`
  delete from sessions where id = ${id} and expires_at <= now()
`

interface SessionEnd {
  readonly userId: string
  readonly tokenHash: Buffer
  readonly handle: string
  readonly event: AuditEvent
}

/**
 * Ends the session that a token hash or a handle names, if it is the user's, with the sign-ins on devices that it may have
 * approved or be about to; answers whose it is, or null.
 */
export const deleteSession = (sql: Sql, { userId, tokenHash, handle, event }: SessionEnd) =>
  findOwn<{ id: string; userId: string }>(
    sql,
    tokenHash,
    sql`select id, user_id from target`,
    sql`
      target as (select id, user_id from sessions where token_hash = ${tokenHash} or id = ${handle} limit 1),
      gone as (delete from sessions s using target t where s.id = t.id and t.user_id = ${userId} returning s.user_id),
      devices as (${deleteDeviceRequestsOf(sql, sql`(select user_id from gone)`)}),
      audited as (${insertAuditEvent(sql, event, sql`select from gone`)})
    `,
  )

/** Takes back what a user approved and nobody redeemed yet; to be put into a larger statement. */
export const deleteDeviceRequestsOf = (sql: Sql, userId: postgres.Fragment) => sql`
  delete from device_requests where user_id = ${userId}
`

/** Sweeps sessions that have ended, a bounded batch at a time; several processes never wait for each other. */
export const deleteExpiredSessions = (sql: Sql, batch: number) => sql`
  delete from sessions
  where id = any(array(
    select id from sessions
    where expires_at <= now()
    order by expires_at
    limit ${batch}
    for update skip locked
  ))
`
