import { v7 as uuid } from 'uuid'
import type { SignUpClaim } from '../../db/links.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Client } from '../../request/client.ts'

/**
 * A digest that stays of a sign-up with a taken address, where addresses have to be verified. Whoever signed up so and then
 * signs in with the chosen password gets the answer of a new account, "not verified": otherwise the two calls together
 * would tell which addresses are taken. It opens nothing. With another SECRET it is worth nothing.
 */
export async function claimOf(
  { keys, passwords }: Deps,
  client: Client,
  email: string,
  password: string,
): Promise<SignUpClaim> {
  const digest = await passwords.digest(password, keys.claim.sign(email).subarray(0, 16), queueSenderOf(client))
  return { id: uuid(), identifier: `sign-up:${digest.toString('base64url')}` }
}
