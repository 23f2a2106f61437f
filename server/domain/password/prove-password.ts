import { Failure } from '../../../shared/failure.ts'
import { shareOf } from '../../address.ts'
import { longestChecked } from '../../crypto/password.ts'
import { findOwnPassword } from '../../db/passwords.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request.ts'
import { codePoints } from '../account/password-rules.ts'
import { refuseIfCounted, secretLimits } from '../limits.ts'

/** Checks the caller's own password on the counters of sign-in; returns the hash that it fits. */
export async function provePassword(deps: Deps, client: Client, { user }: Caller, password: string): Promise<string> {
  const limits = secretLimits(deps, 'password', client, user.email)
  const { refusedFor, password: stored } = await findOwnPassword(deps.sql, user.id, limits)
  refuseIfCounted(refusedFor)
  if (stored === null) throw new Failure('CREDENTIAL_ACCOUNT_NOT_FOUND')
  const isProven =
    codePoints(password) <= longestChecked && (await deps.passwords.verify(stored, password, shareOf(client)))
  if (!isProven) throw new Failure('WRONG_PASSWORD')
  return stored
}
