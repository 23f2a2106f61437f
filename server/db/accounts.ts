import type postgres from 'postgres'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { ProvenAddress } from '../request/proven-address.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow, getRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { insertNotice, type Notice } from './links.ts'
import type { Outcome } from './transaction.ts'

/** Identifies a person at a provider. Both parts together, never one alone. */
export interface IdentityKey {
  readonly providerId: string
  readonly accountId: string
}

/** A provider's tokens, encrypted for their row. Null: not given this time, so the stored value stays. */
export interface SealedTokens {
  /** The id of the account's row. */
  readonly id: string
  readonly accessToken: Buffer | null
  readonly refreshToken: Buffer | null
  readonly idToken: Buffer | null
  /** Seconds. Null when the provider did not say. */
  readonly accessTokenLife: number | null
  readonly refreshTokenLife: number | null
  /** Comma-separated. */
  readonly scope: string | null
  /** JSON. */
  readonly callbackFields: string | null
}

/**
 * Inserts an account for each row that `users` yields: the user's `id`, and the `proof` and `proven_email` of the
 * mailbox that its holder proved, or nulls. A fragment for a larger statement. Throws when the identity is already
 * linked.
 */
export const insertAccount = (sql: Sql, key: IdentityKey, tokens: SealedTokens, users: postgres.Fragment) => sql`
  insert into accounts (
    id, user_id, provider_id, account_id, access_token, refresh_token, id_token, access_token_expires_at,
    refresh_token_expires_at, scope, callback_fields, mailbox_proof, mailbox_proven_at,
    proven_email
  )
  select ${tokens.id}, of_user.id, ${key.providerId}, ${key.accountId}, ${tokens.accessToken}, ${tokens.refreshToken},
    ${tokens.idToken}, now() + make_interval(secs => ${tokens.accessTokenLife}),
    now() + make_interval(secs => ${tokens.refreshTokenLife}), ${tokens.scope}, ${tokens.callbackFields}::text::jsonb,
    of_user.proof, case when of_user.proof is not null then now() end, of_user.proven_email
  from (${users}) as of_user
  returning user_id
`

/** A mailbox proof as three columns. */
export const proofColumns = (sql: Sql, address: ProvenAddress | null) =>
  address ? sql`${address.proof}::text, now(), ${address.email}::text` : sql`null::text, null::timestamptz, null::text`

/**
 * The columns of new tokens, for `update accounts a set`. Values not given stay, and scopes are only added. A refresh
 * of the old tokens no longer holds the account.
 */
export const newTokenColumns = (sql: Sql, tokens: SealedTokens) => sql`
  access_token = coalesce(${tokens.accessToken}, a.access_token),
  refresh_token = coalesce(${tokens.refreshToken}, a.refresh_token),
  id_token = coalesce(${tokens.idToken}, a.id_token),
  access_token_expires_at = case
    when ${tokens.accessToken}::bytea is null then a.access_token_expires_at
    else now() + make_interval(secs => ${tokens.accessTokenLife})
  end,
  refresh_token_expires_at = case
    when ${tokens.refreshToken}::bytea is null then a.refresh_token_expires_at
    else now() + make_interval(secs => ${tokens.refreshTokenLife})
  end,
  scope = nullif(array_to_string(array(
    select distinct s from unnest(string_to_array(concat_ws(',', a.scope, ${tokens.scope}::text), ',')) s
    where s <> '' order by s
  ), ','), ''),
  callback_fields = coalesce(${tokens.callbackFields}::text::jsonb, a.callback_fields),
  tokens_version = a.tokens_version + 1,
  refreshing_until = null,
  updated_at = now()
`

/**
 * Locks the user whose id `owner` yields, then the user's accounts. The user is locked even without accounts: whoever
 * stores an account or a session locks the user first. A sign-in in progress finishes before this, or waits and finds
 * its method gone. The next statement sees all sessions.
 */
export const lockSignInMethods = (tx: Sql, owner: postgres.Fragment) => tx`
  with held as (
    select u.id from users u where u.id = (${owner}) for no key update
  ), ways as (
    select a.id from held h join accounts a on a.user_id = h.id for no key update of a
  )
  select (select count(*) from held) as held, (select count(*) from ways) as ways
`

export interface StoredAccount {
  readonly id: string
  readonly provider: string
  readonly providerId: string
  readonly userId: string
  readonly accountId: string
  readonly scope: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The columns of a stored account, for `accounts a`. */
export const storedAccount = (sql: Sql) => sql`
  a.id, a.provider_id as provider, a.provider_id, a.user_id, a.account_id, a.scope, a.created_at, a.updated_at
`

/** Lists a user's accounts, oldest first. */
export async function listUserAccounts(sql: Sql, userId: string): Promise<readonly StoredAccount[]> {
  const rows = await sql<StoredAccount[]>`
    select ${storedAccount(sql)}
    from accounts a
    where user_id = ${userId}
    order by created_at, id
  `
  if (!rows.every((row) => row?.userId === userId)) throw sql.distrust()
  return rows
}

/** What identifies an account of the user at its provider, by its row. Null for any other row. */
export const findAccountKey = async (sql: Sql, userId: string, id: string) =>
  findRow<IdentityKey>(
    sql,
    id,
    sql`select provider_id, account_id from accounts where id = ${id} and user_id = ${userId}`,
  )

interface AccountRemoval {
  readonly userId: string
  readonly providerId: string
  /** The provider's id of the person. Null: the oldest account at that provider. */
  readonly accountId: string | null
  readonly mayBeLast: boolean
  /** Provider ids of the accounts that can sign somebody in with the current settings. */
  readonly usable: readonly string[]
  /** Whether the caller proved the mailbox. Only then can they remove an account that proved it too. */
  readonly isProven: boolean
  /** The mail that informs the user. */
  readonly notice: Notice
  readonly event: PendingAuditEvent
}

/** Call with the user locked: of two concurrent removals, the second sees what the first left. */
export async function deleteAccount(
  tx: Sql,
  { userId, providerId, accountId, mayBeLast, usable, isProven, notice, event }: AccountRemoval,
): Promise<Outcome<object, 'last' | 'unknown'>> {
  const steps = tx`
    held as (
      select a.id, a.provider_id, a.account_id, a.created_at, a.proven_email is not distinct from u.email as is_proven,
        a.provider_id = any(${usable}::text[]) and (a.provider_id <> 'credential' or a.password is not null) as is_usable
      from accounts a join users u on u.id = a.user_id where u.id = ${userId}
    ),
    target as (
      select h.id, h.is_usable from held h
      where (${isProven} or not h.is_proven) and h.provider_id = ${providerId} and (${accountId}::text is null or h.account_id = ${accountId})
      order by h.created_at, h.id
      limit 1
    ),
    rule as (
      select not ${mayBeLast} and (
        (select count(*) from held) = 1
        or exists (select from target t where t.is_usable and not exists (select from held h where h.is_usable and h.id <> t.id))
      ) as is_last
    ),
    gone as (
      delete from accounts where id = (select t.id from target t, rule r where not r.is_last)
      returning user_id as id
    ),
    audited as (${insertAuditEvent(tx, event, tx`select from gone`)}),
    ${insertNotice(tx, notice, tx`select id from gone`)}
  `
  const found = tx`select is_last, exists (select from gone) as is_gone from rule`
  const { isLast, isGone } = await getRow<{ isLast: boolean; isGone: boolean }>(tx, userId, found, steps)
  return { outcome: isGone ? 'done' : isLast ? 'last' : 'unknown' }
}

/** The tokens of an account as stored, encrypted for its row. */
export interface StoredTokens {
  readonly id: string
  readonly providerId: string
  readonly accountId: string
  readonly accessToken: Buffer | null
  readonly refreshToken: Buffer | null
  readonly idToken: Buffer | null
  readonly accessTokenExpiresAt: Date | null
  /** Seconds until expiry by the database's clock. Null when the provider did not say. */
  readonly remaining: number | null
  readonly scope: string | null
  readonly callbackFields: Readonly<Record<string, string>> | null
  readonly version: number
  /** Whether a refresh at the provider is under way. */
  readonly isRefreshing: boolean
}

export interface AccountSelector {
  readonly userId: string
  /** Null: whichever the row's is. */
  readonly providerId: string | null
  /** The row's id. Null: the oldest account at that provider. */
  readonly id: string | null
}

const columns = (sql: Sql) => sql`
  a.id, a.provider_id, a.account_id, a.access_token, a.refresh_token, a.id_token, a.access_token_expires_at,
  extract(epoch from a.access_token_expires_at - now())::float8 as remaining, a.scope, a.callback_fields,
  a.tokens_version as version, coalesce(a.refreshing_until > now(), false) as is_refreshing
`

const selectedAccount = (sql: Sql, { userId, providerId, id }: AccountSelector) => sql`
  select ${columns(sql)} from accounts a
  where a.user_id = ${userId} and (${providerId}::text is null or a.provider_id = ${providerId})
    and (${id}::text is null or a.id = ${id})
  order by a.created_at, a.id
  limit 1
`

export const findTokens = (sql: Sql, choice: AccountSelector) =>
  findRow<StoredTokens>(sql, choice.userId, selectedAccount(sql, choice))

/**
 * A claim that would last longer than one may was made before the clock of the database was set back: nobody need wait
 * until that has caught up. The minute is for requests that began in another order.
 */
const isFree = (sql: Sql, lease: number) => sql`
  (a.refreshing_until <= now() or a.refreshing_until > now() + make_interval(mins => 1, secs => ${lease}))
`

/**
 * Finds an account and claims it for a refresh of at most `lease` seconds. It claims nothing when another process has
 * it, when its tokens were replaced meanwhile, or when it cannot be refreshed. A column instead of a lock, so no
 * connection is held while a provider answers.
 */
export const claimRefresh = (sql: Sql, choice: AccountSelector, lease: number) =>
  findRow<StoredTokens & { isClaimed: boolean }>(
    sql,
    choice.userId,
    sql`select t.*, exists (select from claimed) as is_claimed from target t`,
    sql`
      target as (${selectedAccount(sql, choice)}),
      claimed as (
        update accounts a set refreshing_until = now() + make_interval(secs => ${lease}) from target t
        where a.id = t.id and a.tokens_version = t.version and a.refresh_token is not null
          and coalesce(${isFree(sql, lease)}, true)
        returning a.id
      )
    `,
  )

/** Stores the refreshed tokens and ends the claim. False when the tokens were replaced meanwhile. */
export async function storeRefreshedTokens(sql: Sql, tokens: SealedTokens, version: number): Promise<boolean> {
  const steps = sql`
    stored as (
      update accounts a set ${newTokenColumns(sql, tokens)}
      where a.id = ${tokens.id} and a.tokens_version = ${version}
      returning a.id
    )
  `
  return (await findRow(sql, tokens.id, sql`select id from stored`, steps)) !== null
}

/** Ends the claim on an account whose refresh failed. */
export const releaseRefresh = (sql: Sql, id: string, version: number) => sql`
  update accounts set refreshing_until = null where id = ${id} and tokens_version = ${version}
`

export type SealedAccount = Pick<StoredTokens, 'id' | 'accessToken' | 'refreshToken' | 'idToken'>

/** The accounts after one of them, in the order of their ids, with those tokens alone that begin with a label. */
export function listOutdatedTokens(sql: Sql, labels: Buffer[], after: string, most: number) {
  const length = labels[0]?.length ?? 0
  const outdated = (column: string) => sql`
    case when substr(${sql(column)}, 1, ${length}) = any(${labels}::bytea[]) then ${sql(column)} end as ${sql(column)}
  `
  return sql<SealedAccount[]>`
    select id, ${outdated('access_token')}, ${outdated('refresh_token')}, ${outdated('id_token')}
    from accounts where id > ${after} order by id limit ${most}
  `
}

/** Replaces sealed tokens by the same sealed anew. Those that were replaced meanwhile stay. */
export const resealTokens = (sql: Sql, before: SealedAccount, now: Omit<SealedAccount, 'id'>) => sql`
  update accounts set
    access_token = case when access_token = ${before.accessToken} then ${now.accessToken} else access_token end,
    refresh_token = case when refresh_token = ${before.refreshToken} then ${now.refreshToken} else refresh_token end,
    id_token = case when id_token = ${before.idToken} then ${now.idToken} else id_token end
  where id = ${before.id}
`
