import type { signInEmail as Call } from '../../../shared/contract/account.ts'
import type { Input } from '../../../shared/contract/call.ts'
import { canonicalEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { longestChecked } from '../../crypto/password.ts'
import { storeLink, storeNoticeOfClaim } from '../../db/links.ts'
import type { Credential } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request.ts'
import { noticeOf, verificationLink } from '../mailed-link.ts'
import { claimOf } from './claim.ts'
import { codePoints } from './password-rules.ts'

type SignIn = Input<typeof Call>

/**
 * Where addresses have to be verified: the user of a verified one. Everybody else costs the same two hashes and the same
 * statements, and whoever has signed up with this address and password gets a mail and the same answer, whether that made
 * an account or the address was taken. No counter is cleared by it: a claim would let somebody guess on for ever.
 */
export async function proveVerified(
  deps: Deps,
  client: Client,
  found: Credential,
  { email, password, callbackURL }: SignIn,
): Promise<FullUser> {
  const { user, isBanned } = found
  if (codePoints(password) > longestChecked) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  const isProven = await deps.passwords.verify(found.password, password)
  if (isProven && isBanned) throw new Failure('BANNED_USER')
  if (isProven && user?.emailVerified) return user
  const to = canonicalEmail(email)
  const claim = await claimOf(deps, to, password)
  const isMailed = isProven && user !== null
  const stored = isMailed
    ? await storeLink(deps.sql, user.id, verificationLink(deps, client, to, callbackURL || undefined))
    : await storeNoticeOfClaim(deps.sql, to, noticeOf(deps, client, { kind: 'sign-up-again', to }), claim)
  deps.mailbox.nudge()
  throw new Failure(isMailed || stored.length > 0 ? 'EMAIL_NOT_VERIFIED' : 'WRONG_EMAIL_OR_PASSWORD')
}
