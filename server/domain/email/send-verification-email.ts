import type { Input, Output } from '../../../shared/contract/call.ts'
import type { sendVerificationEmail as Call } from '../../../shared/contract/email.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { senderLimits } from '../limits.ts'
import { ownMailLimits, requestedMailLimits } from '../mail-limits.ts'
import { verificationLink } from '../mailed-link.ts'
import { askForLink } from '../same-time.ts'

/** One statement for known, unknown and verified addresses, and the same answer after the same time. */
export async function sendVerificationEmail(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { email, callbackURL }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  if (!deps.config.VERIFICATION_EMAIL) throw new Failure('VERIFICATION_EMAIL_OFF')
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  const to = canonicalEmail(email)
  // A signed-in user has no reason to ask for another address.
  if (caller && caller.user.email !== to) throw new Failure('USER_NOT_FOUND')
  const mailLimits = caller ? ownMailLimits(deps, client, to) : requestedMailLimits(deps, client, 'verify-email', to)
  const link = verificationLink(deps, mailLimits, to, callbackURL || undefined)
  const limits = senderLimits(deps, 'send-verification-email', client)
  // Who is signed in by a way in that proved nothing may prove it by one more link, though the address is verified.
  const onlyUnverified = caller === null || caller.provenAddress !== null
  await askForLink(deps, client, 'email-verification-asked', { email: to, limits, link, onlyUnverified })
  return { status: true }
}
