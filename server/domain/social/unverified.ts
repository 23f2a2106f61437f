import { Failure } from '../../../shared/failure.ts'
import { newId } from '../../crypto/id.ts'
import type { FoundIdentity } from '../../db/identities.ts'
import { storeNotice } from '../../db/links.ts'
import { recordSingleUse } from '../../db/states.ts'
import { alwaysDone, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { mailLinkAgain } from '../account/unverified.ts'
import { createNotice, logWithheldMail, signUpMailLimits } from '../mails.ts'
import type { VerifiedIdentity } from './verify-identity.ts'

// Where addresses have to be verified, an identity that proves none gets no session and learns nothing about existing
// users.

/** The identity leads to a user with an unverified address: that user gets another mail. */
export async function refuseUnverified(
  deps: Deps,
  client: Client,
  identity: VerifiedIdentity,
  { user, account }: FoundIdentity,
): Promise<never> {
  await mailLinkAgain(deps, client, user)
  return refuse(deps, client, identity, account ?? newId())
}

/**
 * The same answer and the same work as for a new user with an unproven address. Only the owner of the address is told.
 */
export async function refuseTaken(deps: Deps, client: Client, identity: VerifiedIdentity): Promise<never> {
  const { email } = identity.identity
  const notice = createNotice(deps, client, signUpMailLimits(deps, client, email), { kind: 'sign-up-again', to: email })
  const { withheldBy } = await logEventsOnceCommitted((act) => {
    const event = client.event(act, 'sign-up-failed', { userId: null, reason: 'USER_EXISTS' })
    return storeNotice(deps.sql, email, notice, event)
  }, alwaysDone)
  logWithheldMail(deps, notice.mail.kind, withheldBy)
  return refuse(deps, client, identity, newId())
}

/** A refusal uses up the token, as a sign-in does. */
async function refuse(
  deps: Deps,
  client: Client,
  { verification: { use } }: VerifiedIdentity,
  accountId: string,
): Promise<never> {
  if (use) await recordSingleUse(deps.sql, use)
  deps.outbox.nudge()
  return refuseAsUnverified(client, accountId)
}

/** The browser keeps which account it signed up with. A mailed link opened there proves it. */
export function refuseAsUnverified(client: Client, accountId: string): never {
  client.keepSignUp(accountId)
  throw new Failure('EMAIL_NOT_VERIFIED')
}
