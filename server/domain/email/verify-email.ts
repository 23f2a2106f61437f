import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/email.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import { type LinkClaims, verifyLinkToken } from '../../crypto/link-token.ts'
import { findAddressOwner, type LinkOpener, verifyEmail as write } from '../../db/emails.ts'
import type { CountersToSettle } from '../../db/limits.ts'
import { isRowFound, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { requireAdmission, SessionProof } from '../../request/admission.ts'
import type { Caller, Client, IssuedSession, ResolvedSession } from '../../request/client.ts'
import { runAfterHook } from '../hooks.ts'
import { mailCallLimits } from '../limits.ts'
import { linkIdentifierOf, ownMailLimits, requestedMailLimits, verificationLink } from '../mails.ts'
import { requestMailedLink } from '../response-floor.ts'
import { confirmEmailChange } from './change-email.ts'

export interface VerifyEmailResult {
  readonly answer: Output<typeof calls.verifyEmail>
  /** A new session for the client. */
  readonly issued: IssuedSession | null
  /** Whether the client's session cookies have to be issued again because the user changed. */
  readonly isReissued: boolean
}

/** Verifies an address, or replaces the old one by the new. The mailed token says which. */
export async function verifyEmail(
  deps: Deps,
  client: Client,
  resolved: ResolvedSession | null,
  { token, callbackURL }: Input<typeof calls.verifyEmail>,
): Promise<VerifyEmailResult> {
  const read = await verifyLinkToken(deps.keys.mail, token, deps.now())
  if ('problem' in read) throw new Failure(read.problem === 'expired' ? 'LINK_TOKEN_EXPIRED' : 'LINK_TOKEN_INVALID')
  const { updateTo } = read.claims
  if (updateTo !== undefined)
    return confirmEmailChange(deps, client, resolved, { ...read.claims, updateTo, callbackURL })
  const isOwn = resolved?.caller.user.id === read.claims.userId
  const proof = deps.config.AUTO_SIGN_IN_AFTER_VERIFICATION && !isOwn ? new OpenedLink(read.claims) : null
  const opener = linkOpenerOf(client, resolved, read.claims)
  return verifyAddress(deps, client, { claims: read.claims, opener, proof, isOwn, counters: null })
}

/**
 * A mailed link with a valid signature. It signs the user in where the settings say so, if the statement finds that they
 * are not banned.
 */
class OpenedLink extends SessionProof {
  constructor({ userId }: LinkClaims) {
    super('mailed-link', { id: userId, isBanned: false, emailVerified: true })
  }
}

/** Who opened the link: the session of the link's user, or else the cookie that the sign-up left in this browser. */
export function linkOpenerOf(
  { signedUpWith }: Pick<Client, 'signedUpWith'>,
  resolved: ResolvedSession | null,
  { userId }: Pick<LinkClaims, 'userId'>,
): LinkOpener | null {
  if (resolved?.caller.user.id === userId) return { sessionId: resolved.caller.session.id }
  return signedUpWith === null ? null : { accountId: signedUpWith }
}

interface VerificationInput {
  readonly claims: LinkClaims
  readonly opener: LinkOpener | null
  /** Null when the answer carries no session: nobody would hold one that was made. */
  readonly proof: OpenedLink | null
  /** Whether it was opened in a session of the link's user. */
  readonly isOwn: boolean
  /** The counters of the opener's password. Null when none was asked. */
  readonly counters: CountersToSettle | null
}

export async function verifyAddress(
  deps: Deps,
  client: Client,
  { claims: { jti, userId, email }, opener, proof, isOwn, counters }: VerificationInput,
): Promise<VerifyEmailResult> {
  const { config, sql, revocations } = deps
  const passed = proof && requireAdmission(deps, client, proof)
  const admitted = passed?.admitted ?? null
  const identifier = linkIdentifierOf['verify-email'](jti)
  const isAdminAddress = config.ADMIN_EMAILS.includes(email)
  const verified = await logEventsOnceCommitted((act) => {
    const event = client.event(act, 'email-verified', { userId })
    return write(sql, { userId, email, identifier, opener, admitted, isAdminAddress, counters, event })
  }, isRowFound)
  const answer = { status: true, user: null }
  if (!verified) {
    await refuseUnlessVerified(deps, userId, email)
    return { answer, issued: null, isReissued: false }
  }
  revocations.add(verified.ended)
  await runAfterHook(deps, config.extensions.afterVerifyEmail, verified.user)
  return { answer, issued: passed && verified.isSignedIn ? passed.issued : null, isReissued: isOwn }
}

/** A link that was already used succeeds without effect while its address is verified and still the user's. */
async function refuseUnlessVerified({ sql }: Deps, userId: string, email: string): Promise<void> {
  const found = await findAddressOwner(sql, email)
  if (!found) throw new Failure('LINK_USER_NOT_FOUND')
  if (found.id !== userId || !found.emailVerified) throw new Failure('LINK_TOKEN_INVALID')
}

/** Known, unknown and verified addresses take one statement, the same answer and the same time. */
export async function sendVerificationEmail(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { email, callbackURL }: Input<typeof calls.sendVerificationEmail>,
): Promise<Output<typeof calls.sendVerificationEmail>> {
  if (!deps.config.VERIFICATION_EMAIL) throw new Failure('VERIFICATION_EMAIL_OFF')
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  const to = canonicalEmail(email)
  // A signed-in user may ask only for their own address.
  if (caller && caller.user.email !== to) throw new Failure('USER_NOT_FOUND')
  const mailLimits = caller ? ownMailLimits(deps, client, to) : requestedMailLimits(deps, client, 'verify-email', to)
  const link = verificationLink(deps, client, mailLimits, { to, callbackURL: callbackURL || undefined })
  const limits = mailCallLimits(deps, 'send-verification-email', client)
  // A session that proved no mailbox may prove it by another link, although the address is verified.
  const onlyUnverified = caller === null || caller.provenAddress !== null
  await requestMailedLink(deps, client, 'email-verification-asked', { email: to, limits, link, onlyUnverified })
  return { status: true }
}
