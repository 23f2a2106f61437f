import type postgres from 'postgres'
import type { Sql } from './connect.ts'
import { isOpen } from './device-claims.ts'
import { type CountersToSettle, settleWhen } from './limits.ts'
import { getOwn } from './own-row.ts'

/**
 * Binds the user whose `id` the rows of `users` yield, and who has just proven who they are by the way in `account_id`, to a
 * claim that waits for a decision; to be put into a larger statement, which has locked the user's row.
 */
export const bindUser = (sql: Sql, claim: Buffer, users: postgres.Fragment) => sql`
  update device_requests r
  set user_id = of_user.id, proven_at = now(), account_id = of_user.account_id, proven_email = of_user.proven_email
  from (${users}) as of_user
  where ${isOpen(sql, claim)}
  returning r.user_id
`

/** A person who proved a password, and the claim of the browser in which. */
export interface ProvenByPassword {
  readonly claim: Buffer
  readonly userId: string
  /** The hash that was verified. */
  readonly password: string
  /** Counters that the proven password settles. */
  readonly proof: CountersToSettle
}

interface Bound {
  /** False when the user was banned or deleted meanwhile, or the password is no longer the verified one. */
  readonly isAllowed: boolean
  /** False when the claim waits for no decision any more. */
  readonly isBound: boolean
}

/** Binds a person to a claim by the proven password; makes no session. The user's row is locked before the request. */
export function bindPasswordUser(sql: Sql, { claim, userId, password, proof }: ProvenByPassword): Promise<Bound> {
  const steps = sql`
    allowed as (
      select u.id, a.id as account_id, a.proven_email from users u
      join accounts a on a.user_id = u.id and a.provider_id = 'credential'
      where u.id = ${userId} and (u.banned is not true or u.ban_expires <= now()) and a.password = ${password}
      for key share of u
      for share of a
    ),
    ${settleWhen(sql, proof, sql`select from allowed`)}
    bound as (${bindUser(sql, claim, sql`select * from allowed`)})
  `
  const found = sql`select exists (select from allowed) as is_allowed, exists (select from bound) as is_bound`
  return getOwn<Bound>(sql, claim, found, steps)
}
