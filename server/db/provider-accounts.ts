import type postgres from 'postgres'
import type { ProvenAddress } from '../request/proven-address.ts'
import type { Sql } from './connect.ts'

/** What says who somebody is at a provider: both together, never one alone. */
export interface IdentityKey {
  readonly providerId: string
  readonly accountId: string
}

/** What a provider gave us, encrypted for its row. Null: not given this time, so that what is stored stays. */
export interface SealedTokens {
  /** Of the account's row. */
  readonly id: string
  readonly accessToken: Buffer | null
  readonly refreshToken: Buffer | null
  readonly idToken: Buffer | null
  /** Seconds; null: not told. */
  readonly accessTokenLife: number | null
  readonly refreshTokenLife: number | null
  /** Comma-separated. */
  readonly scope: string | null
  /** JSON. */
  readonly callbackFields: string | null
}

/**
 * An account for each row that `users` yields, to be put into a larger statement: the user's `id`, the `proof` of a mailbox
 * that whoever links it has given, and the `proven_email`; nulls for none. Throws for an identity that somebody has.
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

/** A proof as three columns. */
export const proofOf = (sql: Sql, address: ProvenAddress | null) =>
  address ? sql`${address.proof}::text, now(), ${address.email}::text` : sql`null::text, null::timestamptz, null::text`

/**
 * The columns of new tokens, to follow `update accounts a set`. What was not given stays; scopes only grow. Nobody waits any
 * more for a refresh of the old ones.
 */
export const setTokens = (sql: Sql, tokens: SealedTokens) => sql`
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
