import type { Sql } from './connect.ts'
import { findOwn } from './own-row.ts'

/** Whether a token of this user is still valid; consumes nothing. */
export async function hasVerification(sql: Sql, identifier: string, userId: string): Promise<boolean> {
  const found = sql`
    select from verifications where identifier = ${identifier} and user_id = ${userId} and expires_at > now()
  `
  return (await findOwn(sql, identifier, found)) !== null
}

/** Whether a token is still valid, whoever its user is; consumes nothing. */
export async function isVerificationLive(sql: Sql, identifier: string): Promise<boolean> {
  const found = sql`select from verifications where identifier = ${identifier} and expires_at > now()`
  return (await findOwn(sql, identifier, found)) !== null
}

/**
 * Sweeps what has expired, a bounded batch at a time. A row whose mail still waits to be sent stays: its life counts from
 * the sending. Its mail is looked up row by row: as a join, each batch of a million would sort them all anew.
 */
export const deleteExpiredVerifications = (sql: Sql, batch: number) => sql`
  delete from verifications
  where id = any(array(
    select v.id from verifications v
    where v.expires_at <= now() and (
      select count(*) filter (where o.held_at is not null or o.parked_at is null and o.next_attempt_at < 'infinity')
      from outbox o
      where o.verification_id = v.id
    ) = 0
    order by v.expires_at
    limit ${batch}
    for update of v skip locked
  ))
`
