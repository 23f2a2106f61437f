import type postgres from 'postgres'
import type * as z from 'zod'
import { type FullUser, Session } from '../../shared/entities.ts'
import { columnsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import { findOwn, getOwn, ownRow } from './own-row.ts'

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
  readonly remembered: boolean
  readonly isFresh: boolean
  readonly isExpired: boolean
  /** Whether it is time to extend it. */
  readonly isDue: boolean
  /** Seconds until it expires. */
  readonly remaining: number
}

/** The answer for a token: the hash that was asked for, and nulls where there is no session. */
type Answer = { asked: Buffer } & (SessionRow | { id: null })

interface SessionRow extends StoredSession, Omit<FullUser, 'id' | 'createdAt' | 'updatedAt'> {
  remembered: boolean
  isExpired: boolean
  /** Seconds, with fractions. */
  remaining: number
  /** Seconds since a person last proved who they are. */
  proofAge: number
  userCreatedAt: Date
  userUpdatedAt: Date
}

/**
 * The session of a token with its user, in one statement; a banned user has none. Time is the database's, and the only
 * parameter is the token: each more would cost every request of everybody. One row always comes and repeats the token's
 * hash: no other answer can pass for this person, or for nobody.
 */
export async function findSession(sql: Sql, tokenHash: Buffer, lifetimes: Lifetimes): Promise<FoundSession | null> {
  const rows = await sql<Answer[]>`
    select
      asked.token_hash as asked, s.id, s.user_id, s.expires_at, s.created_at, s.updated_at, s.ip_address, s.user_agent, s.active_organization_id,
      s.impersonated_by, s.remembered, s.expires_at <= now() as is_expired,
      extract(epoch from s.expires_at - now())::float8 as remaining,
      extract(epoch from now() - s.authenticated_at)::float8 as proof_age,
      u.email, u.name, u.email_verified, u.image, u.roles as role, u.banned, u.ban_reason, u.ban_expires,
      u.created_at as user_created_at, u.updated_at as user_updated_at
    from (select ${tokenHash}::bytea as token_hash) asked
    left join (
      sessions s
      join users u on u.id = s.user_id and (u.banned is not true or u.ban_expires <= now())
    ) on s.token_hash = asked.token_hash
  `
  const row = ownRow(sql, rows, tokenHash)
  return row.id === null ? null : foundOf(row, lifetimes)
}

const isFresh = ({ impersonatedBy, proofAge }: SessionRow, { freshAge }: Lifetimes): boolean =>
  impersonatedBy === null && (freshAge === 0 || proofAge < freshAge)

const isDue = (
  { remembered, remaining, createdAt, expiresAt }: SessionRow,
  { expiresIn, updateAge, maxAge }: Lifetimes,
): boolean =>
  remembered && remaining <= expiresIn - updateAge && expiresAt.getTime() < createdAt.getTime() + maxAge * 1000

const foundOf = (row: SessionRow, lifetimes: Lifetimes): FoundSession => ({
  remembered: row.remembered,
  isFresh: isFresh(row, lifetimes),
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

/** The columns of a new session for each user id that `users` yields; to be put into a larger statement. */
export const insertSession = (sql: Sql, session: NewSession, users: postgres.Fragment) => sql`
  insert into sessions (id, user_id, token_hash, remembered, expires_at, ip_address, user_agent)
  select ${session.id}, of_user.id, ${session.tokenHash}, ${session.remembered},
    now() + make_interval(secs => ${session.lifetime}), ${session.ipAddress}, ${session.userAgent}
  from (${users}) as of_user
  returning user_id
`

/** Ends the session that a new one follows, only if `started` yields a row; to be put into a larger statement. */
export const endReplaced = (sql: Sql, { replaces }: NewSession, started: postgres.Fragment) => sql`
  delete from sessions where token_hash = ${replaces} and exists (${started}) returning id
`

/** Ends the session of a token hash; answers its id and user, or null when there is none. */
export const deleteSessionByHash = (sql: Sql, tokenHash: Buffer) =>
  findOwn<{ id: string; userId: string }>(
    sql,
    tokenHash,
    sql`select id, user_id from gone`,
    sql`gone as (delete from sessions where token_hash = ${tokenHash} returning id, user_id)`,
  )

export const deleteExpiredSession = (sql: Sql, id: string) => sql`
  delete from sessions where id = ${id} and expires_at <= now()
`

/** The unexpired sessions of a user, newest first. Those made by impersonation stay hidden. */
export async function listUserSessions(sql: Sql, userId: string): Promise<readonly StoredSession[]> {
  const rows = await sql`
    select ${columnsOf(sql, StoredSession)}
    from sessions
    where user_id = ${userId} and expires_at > now() and impersonated_by is null
    order by created_at desc, id desc
  `
  if (!rows.every((row) => row?.userId === userId)) throw sql.distrust()
  return rows
}

/** Ends the session that a token hash or a handle names, if it is the user's; answers whose it is, or null. */
export const deleteSession = (sql: Sql, userId: string, tokenHash: Buffer, handle: string) =>
  findOwn<{ id: string; userId: string }>(
    sql,
    tokenHash,
    sql`select id, user_id from target`,
    sql`
      target as (select id, user_id from sessions where token_hash = ${tokenHash} or id = ${handle} limit 1),
      gone as (delete from sessions s using target t where s.id = t.id and t.user_id = ${userId})
    `,
  )

/** Ends all sessions of a user, except one if it is named; returns their ids. */
export async function deleteUserSessions(sql: Sql, userId: string, except: string | null): Promise<readonly string[]> {
  const { ended } = await getOwn<{ ended: string[] }>(
    sql,
    userId,
    sql`select array(select id from gone) as ended`,
    sql`gone as (delete from sessions where user_id = ${userId} and id is distinct from ${except} returning id)`,
  )
  return ended
}

/** Sweeps sessions that have ended, a bounded batch at a time; several processes never wait for each other. */
export const deleteExpiredSessions = (sql: Sql, batch: number) => sql`
  delete from sessions
  where id in (
    select id from sessions
    where expires_at <= now()
    order by expires_at
    limit ${batch}
    for update skip locked
  )
`
