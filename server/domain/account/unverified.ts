import { Failure } from '../../../shared/failure.ts'
import { newId } from '../../crypto/id.ts'
import { type SignUpAttempt, storeLink, storeNoticeOfSignUpAttempt } from '../../db/links.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Client } from '../../request/client.ts'
import { createNotice, logWithheldMail, ownMailLimits, signUpMailLimits, verificationLink } from '../mails.ts'
import type { Attempt, VerifiedPassword } from './verify-password.ts'

// Where addresses have to be verified, sign-in must not reveal which ones are taken. Every refused sign-in therefore
// costs the same two hashes and the same statements. Whoever signed up with this address and password gets a mail and
// the same answer, whether the sign-up created an account or the address was taken. No counter is cleared, because a
// sign-up attempt would otherwise allow unlimited guesses.

/**
 * The digest kept of a sign-up with a taken address. A later sign-in with the chosen password gets the answer of a new
 * account, "not verified"; otherwise the two calls together would reveal which addresses are taken. It grants nothing,
 * and is worthless under another SECRET.
 */
export async function createSignUpAttempt(
  { keys, passwords }: Deps,
  client: Client,
  email: string,
  password: string,
): Promise<SignUpAttempt> {
  const digest = await passwords.digest(password, keys.claim.sign(email).subarray(0, 16), queueSenderOf(client))
  return { id: newId(), identifier: `sign-up:${digest.toString('base64url')}` }
}

/** The password is right but the address is not verified: its owner gets another link. */
export async function refuseUnverified(
  deps: Deps,
  client: Client,
  { user: { id, email }, accountId }: VerifiedPassword,
  { password, callbackURL }: { readonly password: string; readonly callbackURL?: string | undefined },
): Promise<never> {
  // Only for its time: every refused sign-in costs the same two hashes.
  await createSignUpAttempt(deps, client, email, password)
  client.keepSignUp(accountId)
  await mailLinkAgain(deps, client, { id, email, callbackURL })
  throw new Failure('EMAIL_NOT_VERIFIED')
}

interface Unverified {
  readonly id: string
  readonly email: string
  readonly callbackURL?: string | undefined
}

/** To the owner of an address that is not verified yet. */
export async function mailLinkAgain(deps: Deps, client: Client, { id, email, callbackURL }: Unverified): Promise<void> {
  const link = verificationLink(deps, client, ownMailLimits(deps, client, email), {
    to: email,
    callbackURL: callbackURL || undefined,
  })
  const { withheldBy } = await storeLink(deps.sql, id, link)
  logWithheldMail(deps, link.mail.kind, withheldBy)
  deps.outbox.nudge()
}

/**
 * The password is wrong or there is no such user. If a matching sign-up attempt exists, the owner of the address gets
 * another mail.
 */
export async function refuseWrongCredentials(deps: Deps, client: Client, { email, password }: Attempt): Promise<never> {
  const attempt = await createSignUpAttempt(deps, client, email, password)
  const notice = createNotice(deps, client, signUpMailLimits(deps, client, email), { kind: 'sign-up-again', to: email })
  const stored = await storeNoticeOfSignUpAttempt(deps.sql, email, notice, attempt)
  logWithheldMail(deps, notice.mail.kind, stored?.withheldBy ?? null)
  deps.outbox.nudge()
  if (!stored) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  client.keepSignUp(newId())
  throw new Failure('EMAIL_NOT_VERIFIED')
}
