import type postgres from 'postgres'
import { User } from '../../shared/entities.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { columnsOf, computed } from './columns.ts'
import type { Sql } from './connect.ts'
import { isWaitingLink, tellLinked } from './device-links.ts'
import { bindUser } from './device-persons.ts'
import { insertLink, insertNotice, type NewLink, type Notice } from './links.ts'
import { type CreatedUser, findMade } from './made-user.ts'
import { lockFor, overrideUser, type ProfileOverride } from './override-user.ts'
import { findOwn } from './own-row.ts'
import { type IdentityKey, insertAccount, type SealedTokens, setTokens } from './provider-accounts.ts'
import { endOverLimit, endReplaced, insertSession, type NewSession } from './sessions.ts'
import { insertUse, type Use } from './states.ts'
import { isUnique } from './unique.ts'

/** Whom an identity leads to: its own user, or else the user with its address. */
export interface FoundIdentity {
  readonly user: User
  readonly isBanned: boolean
  /** The row of this very identity; null when the user was found by the address alone. */
  readonly account: string | null
}

export async function findIdentity(sql: Sql, key: IdentityKey, email: string | null): Promise<FoundIdentity | null> {
  const { providerId, accountId } = key
  const outcome = computed<Omit<FoundIdentity, 'user'>>(sql, {
    isBanned: sql`coalesce(u.banned and (u.ban_expires is null or u.ban_expires > now()), false)`,
    account: sql`(
      select a.id from accounts a
      where a.provider_id = ${providerId} and a.account_id = ${accountId} and a.user_id = u.id
    )`,
  })
  const found = sql`
    select ${columnsOf(sql, User, 'u')}, ${outcome} from users u
    where u.id = coalesce(
      (select user_id from accounts where provider_id = ${providerId} and account_id = ${accountId}),
      (select id from users where email = ${email})
    )
  `
  const row = await findOwn(sql, accountId, found)
  if (!row) return null
  const { isBanned, account, ...user } = row
  return { user, isBanned, account }
}

/** A session by a proven identity. */
interface Entrance {
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  readonly session: NewSession
  /** Sessions that a user may hold; the oldest go first. */
  readonly limit: number
  /** In place of the session: the claim of a device sign-in, which the user then may approve. */
  readonly claim: Buffer | null
  /** What proved the identity, where that may be used once; null: nothing that stays. */
  readonly use: Use | null
  /** The sign-in; null where there is none, since a claim stands in for the session. */
  readonly event: AuditEvent | null
}

export interface KnownEntrance extends Entrance {
  readonly userId: string
  readonly keepsTokens: boolean
  /** Null: the user stays as it is. */
  readonly override: ProfileOverride | null
}

/** What a sign-in did. */
interface Entry {
  /** Ids of the sessions that ended. */
  readonly ended: readonly string[]
  /** Whether the user has another address now. */
  readonly isMoved: boolean
}

const isAllowed = (sql: Sql) => sql`(u.banned is not true or u.ban_expires <= now())`

/**
 * Signs the user of a known identity in, and keeps what the provider gave us. Null when the account or its user is no longer
 * what it was: nothing was done. Who loses the race for a new address signs in with the old one.
 */
export async function enterKnown(sql: Sql, entrance: KnownEntrance): Promise<Entry | null> {
  const { override } = entrance
  try {
    return await enterKnownOnce(sql, entrance)
  } catch (error) {
    if (!override?.move || !isUnique(error, 'users_email_key')) throw error
    return enterKnownOnce(sql, { ...entrance, override: { ...override, move: null } })
  }
}

function enterKnownOnce(sql: Sql, entrance: KnownEntrance): Promise<Entry | null> {
  const { key, tokens, userId, override } = entrance
  const own = sql`
    a.id = ${tokens.id} and a.user_id = o.id and a.provider_id = ${key.providerId} and a.account_id = ${key.accountId}
  `
  const kept = entrance.keepsTokens
    ? sql`update accounts a set ${setTokens(sql, tokens)} from owner o where ${own} returning a.user_id as id`
    : sql`select a.user_id as id from accounts a, owner o where ${own} for share of a`
  return enter(
    sql,
    entrance,
    sql`
      owner as (
        select u.id, u.email, u.email_verified from users u where u.id = ${userId} and ${isAllowed(sql)} ${lockFor(sql, override)}
      ),
      allowed as (${kept})
      ${override ? sql`, ${overrideUser(sql, override)}` : sql``}
    `,
    override ? sql`exists (select from moved)` : sql`false`,
  )
}

export interface LinkedEntrance extends Entrance {
  readonly userId: string
  /** The address that made them meet: still the user's, and still verified. */
  readonly email: string
  /** Tells the user. */
  readonly notice: Notice
  readonly linkEvent: AuditEvent
}

/** Links an identity to the user with its address, and signs them in. Null too when somebody else has the identity by now. */
export const enterLinked = (sql: Sql, entrance: LinkedEntrance): Promise<Entry | null> =>
  nullIfTaken(() =>
    enter(
      sql,
      entrance,
      sql`
        owner as (
          select u.id from users u
          where u.id = ${entrance.userId} and u.email = ${entrance.email} and u.email_verified and ${isAllowed(sql)}
          for share
        ),
        linked as (${insertAccount(sql, entrance.key, entrance.tokens, sql`select id from owner`)}),
        allowed as (select user_id as id from linked),
        link_audited as (${insertAuditEvent(sql, entrance.linkEvent, sql`select from linked`)}),
        ${insertNotice(sql, entrance.notice, sql`select id from allowed`)}
      `,
    ),
  )

function enter(sql: Sql, entrance: Entrance, steps: postgres.Fragment, isMoved = sql`false`): Promise<Entry | null> {
  const { session, limit, claim, use, event } = entrance
  const allowed = sql`select id from allowed`
  const all = sql`
    ${steps},
    ${startFor(sql, session, claim, allowed)},
    over_limit as (${claim ? sql`select null as id where false` : endOverLimit(sql, allowed, limit)})
    ${use ? sql`, used as (${insertUse(sql, use, sql`select from started`)})` : sql``}
    ${event ? sql`, audited as (${insertAuditEvent(sql, event, sql`select from started`)})` : sql``}
  `
  const entry = computed<Entry>(sql, {
    ended: sql`array(select id from ended union select id from over_limit)`,
    isMoved,
  })
  return findOwn(sql, session.tokenHash, sql<Entry[]>`select ${entry} from started`, all)
}

/** The steps that begin a session of each user id that `users` yields; with a claim they bind the user to it instead. */
const startFor = (sql: Sql, session: NewSession, claim: Buffer | null, users: postgres.Fragment) =>
  claim
    ? sql`started as (${bindUser(sql, claim, users)}), ended as (select null as id where false)`
    : sql`
        started as (${insertSession(sql, session, users)}),
        ended as (${endReplaced(sql, session, sql`select from started`)})
      `

export interface NewProviderUser {
  readonly user: Pick<User, 'id' | 'email' | 'name' | 'image' | 'emailVerified'>
  readonly roles: readonly string[]
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  /** Null where the address has to be verified first. */
  readonly session: NewSession | null
  /** In place of the session. */
  readonly claim: Buffer | null
  readonly use: Use | null
  readonly link: NewLink | null
  readonly event: AuditEvent
}

/**
 * User, account, first session and verification mail in one statement, so all or nothing. Null when the address or the
 * identity was taken meanwhile: the unique keys decide.
 */
export const createProviderUser = (sql: Sql, made: NewProviderUser): Promise<CreatedUser | null> =>
  nullIfTaken(async () => {
    const { user, session, claim, use, link, event } = made
    const ids = sql`select id from made`
    const steps = sql`
      made as (
        insert into users (id, email, name, image, email_verified, roles)
        values (
          ${user.id}, ${user.email}, ${user.name}, ${user.image}, ${user.emailVerified}, ${made.roles}::text[]
        )
        on conflict (email) do nothing
        returning ${columnsOf(sql, User)}
      ),
      account as (${insertAccount(sql, made.key, made.tokens, ids)}),
      audited as (${insertAuditEvent(sql, event, sql`select from made`)}),
      ${use ? sql`used as (${insertUse(sql, use, ids)}),` : sql``}
      ${link ? sql`${insertLink(sql, link, ids)},` : sql``}
      ${session ? startFor(sql, session, claim, ids) : sql`ended as (select null as id where false)`}
    `
    return findMade(sql, user.id, link, steps)
  })

export interface AccountLink {
  readonly userId: string
  /** The session that asked for it: it has to live, and be the user's own, not an administrator's who acts as them. */
  readonly sessionId: string
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  /** Whether the identity is the user's already. */
  readonly isKnown: boolean
  /** Tells the user of a new one. */
  readonly notice: Notice
  /** Of a new one. */
  readonly event: AuditEvent
  /** Of the browser, where the link is made for a session elsewhere, which is told; its request has to wait for it. */
  readonly claim?: Buffer | undefined
}

/**
 * Links an identity to a signed-in user, or keeps its new tokens; false when session, user or identity changed meanwhile. The
 * locks make it wait for a reset under way, which ends the session.
 */
export async function linkAccount(
  sql: Sql,
  { userId, sessionId, key, tokens, isKnown, notice, claim, event }: AccountLink,
): Promise<boolean> {
  const linked = isKnown
    ? sql`update accounts a set ${setTokens(sql, tokens)} from owner o where a.id = ${tokens.id} and a.user_id = o.id returning a.user_id`
    : insertAccount(sql, key, tokens, sql`select id from owner`)
  const steps = sql`
    owner as (
      select u.id from users u
      join sessions s on s.user_id = u.id and s.id = ${sessionId} and s.expires_at > now() and s.impersonated_by is null
      ${claim ? sql`join device_requests r on ${isWaitingLink(sql, claim, key.providerId)}` : sql``}
      where u.id = ${userId} and ${isAllowed(sql)}
      for share of u for key share of s ${claim ? sql`for update of r` : sql``}
    ),
    linked as (${linked})
    ${
      isKnown
        ? sql``
        : sql`, ${insertNotice(sql, notice, sql`select user_id as id from linked`)},
            audited as (${insertAuditEvent(sql, event, sql`select from linked`)})`
    }
    ${claim ? sql`, told as (${tellLinked(sql, claim, tokens.id)})` : sql``}
  `
  const row = await nullIfTaken(() => findOwn(sql, tokens.id, sql`select user_id from linked`, steps))
  return row !== null
}

const nullIfTaken = <T>(write: () => Promise<T | null>): Promise<T | null> =>
  write().catch((error: unknown) => {
    if (isUnique(error, 'accounts_provider_id_account_id_key')) return null
    throw error
  })
