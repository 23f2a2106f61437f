import type postgres from 'postgres'
import type { AuditEvent } from '../request/audit-event.ts'
import type { MayLink } from '../request/way-in.ts'
import { insertAuditEvent } from './audit-events.ts'
import { computed } from './columns.ts'
import type { Sql } from './connect.ts'
import { bindUser } from './device-persons.ts'
import { isAllowed, nullIfTaken } from './identities.ts'
import { insertNotice, type Notice } from './links.ts'
import { lockFor, overrideUser, type ProfileOverride } from './override-user.ts'
import { findOwn } from './own-row.ts'
import { type IdentityKey, insertAccount, type SealedTokens, setTokens } from './provider-accounts.ts'
import { endOverLimit, endReplaced, insertSession, type NewSession } from './sessions.ts'
import { insertUse, type Use } from './states.ts'
import { isUnique } from './unique.ts'

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
  readonly mayLink: MayLink
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
          where u.id = ${entrance.mayLink.userId} and u.email = ${entrance.email} and u.email_verified and ${isAllowed(sql)}
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
export const startFor = (sql: Sql, session: NewSession, claim: Buffer | null, users: postgres.Fragment) =>
  claim
    ? sql`started as (${bindUser(sql, claim, users)}), ended as (select null as id where false)`
    : sql`
        started as (${insertSession(sql, session, users)}),
        ended as (${endReplaced(sql, session, sql`select from started`)})
      `
