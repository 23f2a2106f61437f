import { findRow } from './checked-row.ts'
import type { Sql } from './connect.ts'

/** The value of a link that another service mailed, to an address that we cannot tell. */
export const importedLink = 'imported'

/** Returns whether a token of this user is still valid, without consuming it. */
export async function hasVerification(sql: Sql, identifier: string, userId: string): Promise<boolean> {
  const found = sql`
    select from verifications where identifier = ${identifier} and user_id = ${userId} and expires_at > now()
  `
  return (await findRow(sql, identifier, found)) !== null
}

/** Returns whether a token is still valid, whoever its user is, without consuming it. */
export async function isVerificationLive(sql: Sql, identifier: string): Promise<boolean> {
  const found = sql`select from verifications where identifier = ${identifier} and expires_at > now()`
  return (await findRow(sql, identifier, found)) !== null
}

/**
 * Deletes expired tokens, one bounded batch at a time. A row whose mail still waits to be sent stays, since its
 * lifetime starts when the mail is sent. The mail is looked up row by row: as a join, each batch of a million rows
 * would sort them all again.
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
