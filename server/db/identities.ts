import type postgres from 'postgres'
import { User } from '../../shared/entities.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import type { MayLink } from '../request/way-in.ts'
import { insertAuditEvent } from './audit-events.ts'
import { columnsOf, computed } from './columns.ts'
import type { Sql } from './connect.ts'
import { isWaitingLink, tellLinked } from './device-links.ts'
import { insertNotice, type Notice } from './links.ts'
import { findOwn } from './own-row.ts'
import { type IdentityKey, insertAccount, type SealedTokens, setTokens } from './provider-accounts.ts'
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

/** Whether the user `u` may be let in. */
export const isAllowed = (sql: Sql) => sql`(u.banned is not true or u.ban_expires <= now())`

export interface AccountLink {
  /** The session that asked for it: it has to live, and be the user's own, not an administrator's who acts as them. */
  readonly sessionId: string
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  /** Of the browser, where the link is made for a session elsewhere, which is told; its request has to wait for it. */
  readonly claim?: Buffer | undefined
}

export interface NewAccountLink extends AccountLink {
  readonly mayLink: MayLink
  /** Tells the user. */
  readonly notice: Notice
  readonly event: AuditEvent
}

/** Links an identity to a signed-in user; false when session, user or identity changed meanwhile. */
export async function linkAccount(sql: Sql, link: NewAccountLink): Promise<boolean> {
  const { key, tokens, mayLink, notice, event } = link
  const steps = sql`
    ${linkOwner(sql, mayLink.userId, link)},
    linked as (${insertAccount(sql, key, tokens, sql`select id from owner`)}),
    ${insertNotice(sql, notice, sql`select user_id as id from linked`)},
    audited as (${insertAuditEvent(sql, event, sql`select from linked`)})
  `
  return isLinked(sql, link, steps)
}

/** Keeps the new tokens of an identity that the user has already; false when something changed meanwhile. */
export function keepLinkTokens(sql: Sql, userId: string, link: AccountLink): Promise<boolean> {
  const { tokens } = link
  const steps = sql`
    ${linkOwner(sql, userId, link)},
    linked as (
      update accounts a set ${setTokens(sql, tokens)} from owner o
      where a.id = ${tokens.id} and a.user_id = o.id
      returning a.user_id
    )
  `
  return isLinked(sql, link, steps)
}

/** The locks make it wait for a reset under way, which ends the session. */
const linkOwner = (sql: Sql, userId: string, { sessionId, key, claim }: AccountLink) => sql`
    owner as (
      select u.id from users u
      join sessions s on s.user_id = u.id and s.id = ${sessionId} and s.expires_at > now() and s.impersonated_by is null
      ${claim ? sql`join device_requests r on ${isWaitingLink(sql, claim, key.providerId)}` : sql``}
      where u.id = ${userId} and ${isAllowed(sql)}
      for share of u for key share of s ${claim ? sql`for update of r` : sql``}
    )
`

async function isLinked(sql: Sql, { tokens, claim }: AccountLink, steps: postgres.Fragment): Promise<boolean> {
  const told = claim ? sql`, told as (${tellLinked(sql, claim, tokens.id)})` : sql``
  const row = await nullIfTaken(() => findOwn(sql, tokens.id, sql`select user_id from linked`, sql`${steps} ${told}`))
  return row !== null
}

/** Null where somebody else has the identity by now. */
export const nullIfTaken = <T>(write: () => Promise<T | null>): Promise<T | null> =>
  write().catch((error: unknown) => {
    if (isUnique(error, 'accounts_provider_id_account_id_key')) return null
    throw error
  })
