import type postgres from 'postgres'
import { FullUser } from '../../shared/entities.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { ProvenAddress } from '../request/proven-address.ts'
import type { AccountLinkCapability } from '../request/sign-in-method-capability.ts'
import { type IdentityKey, insertAccount, newTokenColumns, type SealedTokens } from './accounts.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow } from './checked-row.ts'
import { columnsOf, computedColumns } from './columns.ts'
import type { Sql } from './connect.ts'
import { isPendingLink, recordLinkedAccount } from './device-links.ts'
import { verifyAddressStep } from './identity-effects.ts'
import { insertNotice, type Notice } from './links.ts'
import { isUniqueViolation } from './outage.ts'
import { isBannedNow } from './session-start.ts'
import { insertSingleUse, type SingleUse } from './states.ts'

/** The user an identity leads to: its own user, or else the user with its address. */
export interface FoundIdentity {
  /** The identity that was looked up. */
  readonly key: IdentityKey
  readonly user: FullUser
  readonly isBanned: boolean
  /** The account of this identity. Null when the user was found by address alone. */
  readonly account: string | null
  /** Whether the identity's holder proved the mailbox of the user's address. */
  readonly isProven: boolean
  /** Other sign-in methods that never proved the mailbox: ids of the providers, `credential` for a password. */
  readonly unproven: readonly string[]
  /** Whether a session exists from another sign-in method that never proved the mailbox. */
  readonly hasUnprovenSession: boolean
  /** Whether any sign-in method proved the mailbox of the user's address. */
  readonly hasProof: boolean
}

export async function findIdentity(sql: Sql, key: IdentityKey, email: string | null): Promise<FoundIdentity | null> {
  const { providerId, accountId } = key
  const outcome = computedColumns<Omit<FoundIdentity, 'user' | 'key'>>(sql, {
    isBanned: isBannedNow(sql),
    account: 'own.id',
    isProven: sql`coalesce(own.proven_email = u.email, false)`,
    unproven: sql`array(
      select w.provider_id from accounts w
      where w.user_id = u.id and w.proven_email is distinct from u.email and w.id is distinct from own.id
      order by w.provider_id
    )`,
    hasProof: sql`exists (select from accounts w where w.user_id = u.id and w.proven_email = u.email)`,
    hasUnprovenSession: sql`exists (
      select from sessions s
      where s.user_id = u.id and s.proven_email is distinct from u.email and s.account_id is distinct from own.id
        and s.impersonated_by is null
    )`,
  })
  const found = sql`
    select ${columnsOf(sql, FullUser, 'u')}, ${outcome} from users u
    left join accounts own on own.provider_id = ${providerId} and own.account_id = ${accountId} and own.user_id = u.id
    where u.id = coalesce(
      (select user_id from accounts where provider_id = ${providerId} and account_id = ${accountId}),
      (select id from users where email = ${email})
    )
  `
  const row = await findRow(sql, accountId, found)
  if (!row) return null
  const { isBanned, account, isProven, unproven, hasUnprovenSession, hasProof, ...user } = row
  return { key, user, isBanned, account, isProven, unproven, hasUnprovenSession, hasProof }
}

export interface AccountLink {
  /** The session that asked. It must be live and the user's own, not an impersonation. */
  readonly sessionId: string
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  /**
   * The binding of the browser, when a session elsewhere asked for the link. That session is informed, and its request
   * must still wait for the link.
   */
  readonly claim?: Buffer | undefined
  /** The id token that proved the identity, which the link uses up. */
  readonly use?: SingleUse | null
}

export interface NewAccountLink extends AccountLink {
  readonly mayLink: AccountLinkCapability
  /** The user's own address, when this link proves it. Null for another address or without proof. */
  readonly owner: ProvenAddress | null
  /** The mail that informs the user. */
  readonly notice: Notice
  readonly event: PendingAuditEvent
}

/**
 * Links an identity to a signed-in user. False when the session, user or identity changed meanwhile. When the link
 * proves the user's address, it also proves the sign-in method of the session, since its holder made the link.
 * Otherwise the new sign-in method is only as proven as that one.
 */
export async function linkAccount(sql: Sql, link: NewAccountLink): Promise<boolean> {
  const { key, tokens, mayLink, owner, notice, event } = link
  const proof = owner
    ? sql`case when email = ${owner.email} then ${owner.proof}::text end`
    : sql`case when proven_email = email then 'session' end`
  const steps = sql`
    ${linkOwner(sql, mayLink.userId, link, owner ? sql`for no key update of u` : undefined)},
    linked as (${insertAccount(
      sql,
      key,
      tokens,
      sql`
      select id, ${proof} as proof, case when ${proof} is not null then email end as proven_email from owner
      where not email_verified or ${proof} is not null
    `,
    )}),
    ${owner ? proveSessionAccount(sql, owner) : sql``}
    ${insertNotice(sql, notice, sql`select user_id as id from linked`)},
    audited as (${insertAuditEvent(sql, event, sql`select from linked`)})
  `
  return isLinked(sql, link, steps)
}

/** Stores the new tokens of an identity that the user has already. False when something changed meanwhile. */
export function updateLinkedTokens(sql: Sql, userId: string, link: AccountLink): Promise<boolean> {
  const { tokens } = link
  const steps = sql`
    ${linkOwner(sql, userId, link)},
    linked as (
      update accounts a set ${newTokenColumns(sql, tokens)} from owner o
      where a.id = ${tokens.id} and a.user_id = o.id
      returning a.user_id
    )
  `
  return isLinked(sql, link, steps)
}

/** The steps by which a link that proves `owner`'s address also proves the session's sign-in method. */
const proveSessionAccount = (sql: Sql, { email, proof }: ProvenAddress) => {
  const owners = sql`select id, account_id from owner where email = ${email}`
  return sql`
    proven_session as (
      update accounts a set mailbox_proof = ${proof}, mailbox_proven_at = now(), proven_email = ${email} from (${owners}) o
      where a.id = o.account_id and a.user_id = o.id and a.proven_email is distinct from ${email}
    ),
    ${verifyAddressStep(sql, owners)},
  `
}

/** The locks wait for a password reset in progress, which ends the session. */
const linkOwner = (sql: Sql, userId: string, { sessionId, claim }: AccountLink, lock = sql`for share of u`) => sql`
    owner as (
      select u.id, u.email, u.email_verified, s.account_id, s.proven_email from users u
      join sessions s on s.user_id = u.id and s.id = ${sessionId} and s.expires_at > now() and s.impersonated_by is null
      ${claim ? sql`join device_requests r on ${isPendingLink(sql, claim)}` : sql``}
      where u.id = ${userId} and not ${isBannedNow(sql)}
      ${lock} for key share of s ${claim ? sql`for update of r` : sql``}
    )
`

async function isLinked(sql: Sql, { tokens, claim, use }: AccountLink, steps: postgres.Fragment): Promise<boolean> {
  const told = claim ? sql`, told as (${recordLinkedAccount(sql, claim, tokens.id)})` : sql``
  const used = use ? sql`, used as (${insertSingleUse(sql, use, sql`select from linked`)})` : sql``
  const all = sql`${steps} ${told} ${used}`
  const row = await nullIfTaken(() => findRow(sql, tokens.id, sql`select user_id from linked`, all))
  return row !== null
}

/** Resolves to null when another user has taken the identity meanwhile. */
export const nullIfTaken = <T>(write: () => Promise<T | null>): Promise<T | null> =>
  write().catch((error: unknown) => {
    if (isUniqueViolation(error, 'accounts_provider_id_account_id_key')) return null
    throw error
  })
