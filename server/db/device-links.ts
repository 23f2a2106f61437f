import type { Sql } from './connect.ts'
import { isOpen } from './device-claims.ts'
import { findOwn } from './own-row.ts'

/** Who waits for a link. */
export interface WaitingLinker {
  readonly userId: string
  readonly sessionId: string
  readonly email: string
  readonly emailVerified: boolean
  readonly addressProven: boolean
  /** Seconds since they last proved who they are, in the session that asked. */
  readonly proofAge: number
  /** Whether the browser of the claim has proven to be the same person. */
  readonly isProven: boolean
}

/** The one who asked for a link at a provider, by the claim; null when it waits no more, or their session is over. */
export const findLinker = (sql: Sql, claim: Buffer, provider: string) =>
  findOwn<WaitingLinker>(
    sql,
    claim,
    sql`
      select l.id as user_id, s.id as session_id, l.email, l.email_verified,
        coalesce(s.proven_email = l.email, false) as address_proven,
        extract(epoch from now() - s.authenticated_at)::float8 as proof_age, coalesce(r.user_id = l.id, false) as is_proven
      from device_requests r
      join users l on l.id = r.linker_id
      join sessions s on s.id = r.linker_session_id and s.user_id = l.id and s.expires_at > now()
        and s.impersonated_by is null
      where ${isOpen(sql, claim)} and r.provider = ${provider}
      limit 1
    `,
  )

/** The open link of a claim, locked: of several who come back at once one makes it. To stand in the condition of a join. */
export const isWaitingLink = (sql: Sql, claim: Buffer, provider: string) => sql`
  ${isOpen(sql, claim)} and r.linker_session_id = s.id and r.linker_id = u.id and r.provider = ${provider}
`

/** Tells who asked which account was linked; a step of the statement that links it. */
export const tellLinked = (sql: Sql, claim: Buffer, accountId: string) => sql`
  update device_requests r set status = 'approved', user_id = r.linker_id, linked_account_id = ${accountId}
  where r.claim = ${claim} and r.linker_id is not null and exists (select from linked)
`
