import { Failure } from '../../../shared/failure.ts'
import { maxCheckedLength } from '../../crypto/password.ts'
import type { Credential } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Client } from '../../request/client.ts'
import { codePoints } from './password-rules.ts'

/** Whether the password is the one of who was found; costs one hash for whomever it is, and for nobody. */
export function fitsPassword(
  { passwords }: Deps,
  client: Client,
  { user, password: stored }: Credential,
  password: string,
): Promise<boolean> {
  if (codePoints(password) > maxCheckedLength) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  return passwords.verify(stored, password, { network: queueSenderOf(client), userId: user?.id })
}
