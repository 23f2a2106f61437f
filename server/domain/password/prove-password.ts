import { Failure } from '../../../shared/failure.ts'
import { maxCheckedLength } from '../../crypto/password.ts'
import type { Limit } from '../../db/limits.ts'
import { findOwnPassword } from '../../db/passwords.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Caller, Client } from '../../request/client.ts'
import { codePoints } from '../account/password-rules.ts'
import { recordRefusal } from '../audit/record.ts'
import { countGuess, whileChecked } from '../limits.ts'

/** Checks the caller's own password, counted like a sign-in; returns the stored hash and the counters that are cleared. */
export async function provePassword(deps: Deps, client: Client, { user }: Caller, password: string) {
  const guess = { call: 'password', client, email: user.email }
  const look = (limits: readonly Limit[]) => findOwnPassword(deps.sql, user.id, limits)
  const { password: stored, proof } = await countGuess(deps, guess, look)
  if (stored === null) throw new Failure('CREDENTIAL_ACCOUNT_NOT_FOUND')
  const asked = { network: queueSenderOf(client), userId: user.id }
  const verify = () => deps.passwords.verify(stored, password, asked)
  const isProven = codePoints(password) <= maxCheckedLength && (await whileChecked(deps, proof, verify))
  if (!isProven) {
    await recordRefusal(deps, client, 'password-proof-failed', { userId: user.id, reason: 'WRONG_PASSWORD' })
    throw new Failure('WRONG_PASSWORD')
  }
  return { stored, proof }
}
