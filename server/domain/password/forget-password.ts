import type { Input, Output } from '../../../shared/contract/call.ts'
import type { forgetPassword as Call } from '../../../shared/contract/password.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import { createResetToken } from '../../crypto/token.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { senderLimits } from '../limits.ts'
import { requestedMailLimits } from '../mail-limits.ts'
import { tokenLink } from '../mailed-link.ts'
import { askForLink } from '../same-time.ts'

/** One statement for known and unknown addresses, and the same answer after the same time. */
export async function forgetPassword(
  deps: Deps,
  client: Client,
  { email, redirectTo }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  if (!deps.config.RESET_PASSWORD) throw new Failure('RESET_PASSWORD_OFF')
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  const to = canonicalEmail(email)
  const payload = {
    kind: 'reset-password',
    to,
    token: createResetToken(),
    callbackURL: redirectTo || undefined,
  } as const
  const link = tokenLink(deps, requestedMailLimits(deps, client, payload.kind, to), payload)
  const limits = senderLimits(deps, 'forget-password', client)
  await askForLink(deps, client, 'password-reset-asked', { email: to, limits, link, onlyUnverified: false })
  return { status: true }
}
