import { v7 as uuid } from 'uuid'
import { Failure } from '../../../shared/failure.ts'
import type { FoundIdentity } from '../../db/identities.ts'
import { storeLink, storeNotice } from '../../db/links.ts'
import { noteUse, type Use } from '../../db/states.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { logWithheld, ownMailLimits, signUpMailLimits } from '../mail-limits.ts'
import { noticeOf, verificationLink } from '../mailed-link.ts'

// Where addresses have to be verified: an identity that proves none gets no session, and learns nothing of who has one.

interface Rejected {
  readonly identity: { readonly email: string }
  readonly use?: Use | undefined
}

/** Where addresses have to be verified first, whoever proved to be the user gets another mail, and no session. */
export async function remind(
  deps: Deps,
  client: Client,
  { use }: Pick<Rejected, 'use'>,
  { user, account }: FoundIdentity,
): Promise<never> {
  const { id, email } = user
  const link = verificationLink(deps, ownMailLimits(deps, client, email), email)
  const { withheldBy } = await storeLink(deps.sql, id, link)
  logWithheld(deps, link.mail.kind, withheldBy)
  return reject(deps, client, { use, accountId: account ?? uuid() })
}

/** The same answer and the same work as for a new user whose address is not proven; only the owner of the address is told. */
export async function tellOwner(deps: Deps, client: Client, { identity, use }: Rejected): Promise<never> {
  const { email } = identity
  const notice = noticeOf(deps, signUpMailLimits(deps, client, email), { kind: 'sign-up-again', to: email })
  const { withheldBy } = await tellWhenKept((act) => {
    const event = client.event(act, 'sign-up-failed', { userId: null, reason: 'USER_EXISTS' })
    return storeNotice(deps.sql, email, notice, event)
  })
  logWithheld(deps, notice.mail.kind, withheldBy)
  return reject(deps, client, { use, accountId: uuid() })
}

/** A token that was good for an answer is used up, as by a sign-in. */
async function reject(deps: Deps, client: Client, { use, accountId }: Pick<Rejected, 'use'> & { accountId: string }) {
  if (use) await noteUse(deps.sql, use)
  deps.outbox.nudge()
  return holdBack(client, accountId)
}

/** The browser keeps what it signed up with: a mailed link that is opened there proves it. */
export function holdBack(client: Client, accountId: string): never {
  client.keepSignUp(accountId)
  throw new Failure('EMAIL_NOT_VERIFIED')
}
