import type postgres from 'postgres'
import type { AdmittedSession } from '../request/admission.ts'
import { getRow } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { isPendingInBrowser } from './device-browser-bindings.ts'
import { settleCounters } from './limits.ts'
import { admittedUsers } from './session-start.ts'
import { type PasswordSignIn, userOfVerifiedPassword } from './users.ts'

/**
 * Binds the user whose `id` the rows of `users` yield to a browser's request that waits for a decision, if the gate
 * lets them in. They have just proved who they are with the sign-in method `account_id`. A fragment for a larger
 * statement, which has locked the user's row.
 */
export const bindUserToRequest = (sql: Sql, admitted: AdmittedSession, claim: Buffer, users: postgres.Fragment) => sql`
  update device_requests r
  set user_id = of_user.id, proven_at = now(), account_id = of_user.account_id, proven_email = of_user.proven_email
  from ${admittedUsers(sql, admitted, users)} as of_user
  where ${isPendingInBrowser(sql, claim)}
  returning r.user_id
`

/** A user who proved a password, and the binding of the browser they used. */
export interface PasswordVerifiedUser extends Pick<PasswordSignIn, 'userId' | 'hash' | 'admitted' | 'counters'> {
  readonly claim: Buffer
}

interface UserBindingResult {
  /** False when the user was banned or deleted meanwhile, or the password was changed after it was verified. */
  readonly isAllowed: boolean
  /** False when the request no longer waits for a decision. */
  readonly isBound: boolean
}

/**
 * Binds a user to a browser's request by the proven password. Creates no session. The user's row is locked before the
 * request.
 */
export function bindUserByPassword(sql: Sql, person: PasswordVerifiedUser): Promise<UserBindingResult> {
  const { claim, admitted, counters } = person
  const steps = sql`
    allowed as (${userOfVerifiedPassword(sql, person)}),
    ${settleCounters(sql, counters, sql`select from allowed`)}
    bound as (${bindUserToRequest(sql, admitted, claim, sql`select * from allowed`)})
  `
  const found = sql`select exists (select from allowed) as is_allowed, exists (select from bound) as is_bound`
  return getRow<UserBindingResult>(sql, claim, found, steps)
}
