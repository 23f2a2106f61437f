import { findRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { isPendingInBrowser } from './device-browser-bindings.ts'

/** A user who waits for an account to be linked. */
export interface LinkRequester {
  readonly userId: string
  readonly sessionId: string
  readonly email: string
  readonly emailVerified: boolean
  readonly addressProven: boolean
  /** Seconds since the user last proved who they are, in the session that asked. */
  readonly proofAge: number
  /** Whether the bound browser has proved to be the same person. */
  readonly isProven: boolean
}

/**
 * Finds the user who asked for a link, by the browser binding. Null when the request no longer waits or the user's
 * session is over.
 */
export const findLinkRequester = (sql: Sql, claim: Buffer) =>
  findRow<LinkRequester>(
    sql,
    claim,
    sql`
      select l.id as user_id, s.id as session_id, l.email, l.email_verified,
        coalesce(s.proven_email = l.email, false) as address_proven,
        extract(epoch from now() - s.authenticated_at)::float8 as proof_age, coalesce(r.user_id = l.id, false) as is_proven
      from device_requests r
      join users l on l.id = r.linker_id
      join sessions s on s.id = r.linker_session_id and s.expires_at > now()
        and s.impersonated_by is null
      where ${isPendingInBrowser(sql, claim)}
      limit 1
    `,
  )

/**
 * The condition for a browser's open link request, which is locked: of several concurrent returns from the provider,
 * one makes the link. For use in a join.
 */
export const isPendingLink = (sql: Sql, claim: Buffer) => sql`
  ${isPendingInBrowser(sql, claim)} and r.linker_session_id = s.id and r.linker_id = u.id
`

/**
 * Records in the request which account was linked, for the device that asked. A step of the statement that links the
 * account.
 */
export const recordLinkedAccount = (sql: Sql, claim: Buffer, accountId: string) => sql`
  update device_requests r set status = 'approved', user_id = r.linker_id, linked_account_id = ${accountId}
  where r.claim = ${claim} and r.linker_id is not null and exists (select from linked)
`
