import { v7 as uuid } from 'uuid'
import type { signInEmail as Call } from '../../../shared/contract/account.ts'
import type { Input } from '../../../shared/contract/call.ts'
import { canonicalEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { type SignUpClaim, storeLink, storeNoticeOfClaim } from '../../db/links.ts'
import type { Credential } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { logWithheld, ownMailLimits, signUpMailLimits } from '../mail-limits.ts'
import { noticeOf, verificationLink } from '../mailed-link.ts'
import { claimOf } from './claim.ts'
import { fitsPassword } from './fits-password.ts'

type SignIn = Input<typeof Call>

/**
 * Where addresses have to be verified: the user, if theirs is. Everybody else costs the same two hashes and the same
 * statements, and whoever signed up with this address and password gets a mail and the same answer, whether that made an
 * account or the address was taken. It clears no counter: a claim would let somebody guess for ever.
 */
export async function proveVerified(deps: Deps, client: Client, found: Credential, input: SignIn): Promise<FullUser> {
  const { user, isBanned } = found
  const isProven = await fitsPassword(deps, client, found, input.password)
  if (isProven && isBanned) throw new Failure('BANNED_USER')
  if (isProven && user?.emailVerified) return user
  const claim = await claimOf(deps, client, canonicalEmail(input.email), input.password)
  const isAwaited = await (isProven && user
    ? remind(deps, client, found, input)
    : remindOwner(deps, client, input, claim))
  throw new Failure(isAwaited ? 'EMAIL_NOT_VERIFIED' : 'WRONG_EMAIL_OR_PASSWORD')
}

async function remind(
  deps: Deps,
  client: Client,
  { user, accountId }: Credential,
  { callbackURL }: SignIn,
): Promise<boolean> {
  if (!user || !accountId) return false
  const { id, email } = user
  client.keepSignUp(accountId)
  const link = verificationLink(deps, ownMailLimits(deps, client, email), email, callbackURL || undefined)
  const { withheldBy } = await storeLink(deps.sql, id, link)
  logWithheld(deps, link.mail.kind, withheldBy)
  deps.outbox.nudge()
  return true
}

/** Whether there is such a claim: then the owner of the address gets another mail. */
async function remindOwner(deps: Deps, client: Client, { email }: SignIn, claim: SignUpClaim): Promise<boolean> {
  const to = canonicalEmail(email)
  const notice = noticeOf(deps, signUpMailLimits(deps, client, to), { kind: 'sign-up-again', to })
  const stored = await storeNoticeOfClaim(deps.sql, to, notice, claim)
  logWithheld(deps, notice.mail.kind, stored?.withheldBy ?? null)
  deps.outbox.nudge()
  if (stored) client.keepSignUp(uuid())
  return stored !== null
}
