import type { Input, Output } from '../../../shared/contract/call.ts'
import type { changeEmail as Call } from '../../../shared/contract/email.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { User } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { replaceEmail } from '../../db/emails.ts'
import { storeLink, storeNotice } from '../../db/links.ts'
import { always, tellWhenKept } from '../../db/transaction.ts'
import { isEmailTaken } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { AuditEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { changeEmailLimits, refuseIfCounted } from '../limits.ts'
import { logWithheld, ownMailLimits } from '../mail-limits.ts'
import { changeLink, type NewAddress, newAddressLink, noticeOf, verificationLink } from '../mailed-link.ts'

/**
 * A verified address has to agree first, by a mailed link; one that never was verified is replaced at once. Where addresses
 * have to be verified the new one is asked too, before anything changes: nobody learns whether somebody has it.
 */
export async function changeEmail(
  deps: Deps,
  client: Client,
  caller: Caller,
  input: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const { user } = caller
  const to = checkChange(deps, caller, input)
  const { refusedFor, isTaken } = await isEmailTaken(deps.sql, to, changeEmailLimits(deps, user.id))
  refuseIfCounted(refusedFor)
  const isStrict = deps.config.REQUIRE_EMAIL_VERIFICATION
  if (isTaken && !isStrict) throw new Failure('EMAIL_NOT_AVAILABLE')
  const address = { from: user.email, to, callbackURL: input.callbackURL || undefined }
  const isAtOnce = !user.emailVerified && !isStrict
  await tellWhenKept((act) => {
    const event = client.event(act, isAtOnce ? 'email-changed' : 'email-change-asked', { userId: user.id })
    const change = { ...address, user, event }
    if (user.emailVerified) return askOldAddress(deps, client, change)
    return isAtOnce ? replace(deps, client, change) : askNewAddress(deps, client, { ...change, isTaken })
  }, always)
  deps.outbox.nudge()
  return { status: true }
}

function checkChange({ config }: Deps, { user, isFresh }: Caller, { newEmail }: Input<typeof Call>): string {
  if (!config.CHANGE_EMAIL) throw new Failure('CHANGE_EMAIL_OFF')
  if (!isFresh) throw new Failure('SESSION_NOT_FRESH')
  if (!isEmail(newEmail)) throw new Failure('INVALID_EMAIL')
  const to = canonicalEmail(newEmail)
  if (to === user.email) throw new Failure('EMAIL_UNCHANGED')
  return to
}

interface Change extends NewAddress {
  readonly user: User
  readonly event: AuditEvent
}

async function askOldAddress(deps: Deps, client: Client, { user, event, ...address }: Change): Promise<void> {
  if (!deps.config.VERIFICATION_EMAIL) throw new Failure('VERIFICATION_EMAIL_OFF')
  const link = changeLink(deps, ownMailLimits(deps, client, address.from), address)
  const { withheldBy } = await storeLink(deps.sql, user.id, link, { event })
  logWithheld(deps, link.mail.kind, withheldBy)
}

/** Where somebody has the new address already, they are told; the same number of mails, under the same limits. */
async function askNewAddress(
  deps: Deps,
  client: Client,
  { isTaken, user, event, ...address }: Change & { readonly isTaken: boolean },
): Promise<void> {
  const { to } = address
  const mailLimits = ownMailLimits(deps, client, to)
  const { withheldBy } = isTaken
    ? await storeNotice(deps.sql, to, noticeOf(deps, mailLimits, { kind: 'sign-up-again', to }), event)
    : await storeLink(deps.sql, user.id, newAddressLink(deps, mailLimits, address), { event })
  logWithheld(deps, isTaken ? 'sign-up-again' : 'verify-email', withheldBy)
}

async function replace(deps: Deps, client: Client, { user, event, from, to, callbackURL }: Change): Promise<void> {
  const mailLimits = ownMailLimits(deps, client, to)
  const link = deps.config.VERIFICATION_EMAIL ? verificationLink(deps, mailLimits, to, callbackURL) : null
  const change = { userId: user.id, from, to, identifier: null, opener: null, link, notice: null, event }
  const changed = await replaceEmail(deps.sql, change)
  if (!changed) throw new Failure('EMAIL_NOT_AVAILABLE')
  logWithheld(deps, 'verify-email', changed.withheldBy)
}
