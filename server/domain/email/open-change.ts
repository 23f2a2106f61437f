import type { Output } from '../../../shared/contract/call.ts'
import type { verifyEmail as Call } from '../../../shared/contract/email.ts'
import type { User } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import type { LinkClaims } from '../../crypto/link-token.ts'
import { findAddress, type LinkOpener, replaceEmail, storeConsent } from '../../db/emails.ts'
import { isFound, tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { callersPage } from '../../mail/links.ts'
import type { Client, ResolvedSession } from '../../request/client.ts'
import { runAfter } from '../hooks.ts'
import { logWithheld, ownMailLimits } from '../mail-limits.ts'
import { alertOf, identifierOf, type NewAddress, newAddressLink, noticeOf, verificationLink } from '../mailed-link.ts'

type ChangeClaims = LinkClaims & { readonly updateTo: string; readonly callbackURL: string | undefined }

interface Opened {
  readonly answer: Output<typeof Call>
  readonly issued: null
  readonly isReissued: boolean
}

/**
 * The link by which an address agrees to a change, the old one or the new. Only in a session of the user who asked: the
 * owner of a mailbox cannot be led to prove it for somebody else.
 */
export async function openChange(
  deps: Deps,
  client: Client,
  resolved: ResolvedSession | null,
  claims: ChangeClaims,
): Promise<Opened> {
  const caller = resolved?.caller.user ?? null
  if (caller && isDone(caller, claims)) return unchanged(caller)
  const user = await requireOwner(deps, caller, claims)
  if (claims.purpose === 'change-email' && deps.config.REQUIRE_EMAIL_VERIFICATION) {
    await askNewAddress(deps, client, claims)
    return unchanged(user)
  }
  const opener = claims.purpose === 'new-email' && resolved ? { sessionId: resolved.caller.session.id } : null
  return { answer: { status: true, user: await replace(deps, client, claims, opener) }, issued: null, isReissued: true }
}

/** The last link was opened again, and what it asks for is already so. */
const isDone = (caller: User, { purpose, userId, updateTo }: ChangeClaims): boolean =>
  purpose === 'new-email' && caller.id === userId && caller.email === updateTo && caller.emailVerified

const unchanged = (user: User): Opened => ({ answer: { status: true, user }, issued: null, isReissued: false })

async function requireOwner({ sql }: Deps, caller: User | null, { userId, email }: ChangeClaims): Promise<User> {
  const found = await findAddress(sql, email)
  if (!found) throw new Failure('LINK_USER_NOT_FOUND')
  if (caller?.id !== userId || found.id !== userId) throw new Failure('LINK_UNAUTHORIZED')
  return caller
}

/** The same answer and the same work whether or not somebody has the new address: only mailboxes are told. */
async function askNewAddress(deps: Deps, client: Client, claims: ChangeClaims): Promise<void> {
  const { jti, userId, updateTo: to } = claims
  const address = addressOf(deps, claims)
  const isTaken = (await findAddress(deps.sql, to)) !== null
  const mailLimits = ownMailLimits(deps, client, to)
  const mail = isTaken
    ? { notice: noticeOf(deps, mailLimits, { kind: 'sign-up-again', to }) }
    : { link: newAddressLink(deps, mailLimits, address) }
  const identifier = identifierOf['change-email'](jti)
  const stored = await tellWhenKept((act) => {
    const event = client.event(act, 'email-change-agreed', { userId })
    return storeConsent(deps.sql, { userId, from: address.from, to, identifier, mail, event })
  }, isFound)
  if (!stored) throw new Failure('LINK_TOKEN_INVALID')
  logWithheld(deps, isTaken ? 'sign-up-again' : 'verify-email', stored.withheldBy)
  deps.outbox.nudge()
}

const addressOf = ({ config }: Deps, { email, updateTo, callbackURL }: ChangeClaims): NewAddress => ({
  from: email,
  to: updateTo,
  callbackURL: callersPage(callbackURL, `${config.BASE_URL.origin}${config.BASE_PATH}`),
})

/** Opened from the old address, the new one still has to be verified; opened from the new one, it is. */
async function replace(deps: Deps, client: Client, claims: ChangeClaims, opener: LinkOpener | null) {
  const { sql, config, outbox } = deps
  const { jti, userId, purpose } = claims
  const { from, to, callbackURL } = addressOf(deps, claims)
  const mailLimits = ownMailLimits(deps, client, to)
  const change = {
    userId,
    from,
    to,
    identifier: identifierOf[purpose](jti),
    opener,
    link: !opener && config.VERIFICATION_EMAIL ? verificationLink(deps, mailLimits, to, callbackURL) : null,
    notice: alertOf(deps, { kind: 'email-changed', to: from, newEmail: to }),
  }
  const changed = await tellWhenKept((act) => {
    const event = client.event(act, 'email-changed', { userId })
    return replaceEmail(sql, { ...change, event })
  }, isFound)
  if (!changed) throw new Failure('LINK_TOKEN_INVALID')
  const { user, withheldBy } = changed
  logWithheld(deps, 'verify-email', withheldBy)
  outbox.nudge()
  if (opener) await runAfter(deps, config.extensions.afterVerifyEmail, user)
  return user
}
