import type { Input, Output } from '../../../shared/contract/call.ts'
import type { changeEmail as ChangeEmailCall, verifyEmail as VerifyEmailCall } from '../../../shared/contract/email.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FullUser, User } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import type { LinkClaims } from '../../crypto/link-token.ts'
import { inLastTrip, type Sql, withCommit } from '../../db/connect.ts'
import { findAddressOwner, type LinkOpener, replaceEmail, storeEmailChangeConsent } from '../../db/emails.ts'
import { storeLink, storeNotice } from '../../db/links.ts'
import { failOnUniqueViolation } from '../../db/outage.ts'
import { alwaysDone, isRowFound, logEventsOnceCommitted, transactionWithEvents } from '../../db/transaction.ts'
import { lockLiveSession, lockUser } from '../../db/user-sessions.ts'
import { isEmailTaken } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import { applicationPageOf, serviceBaseOf } from '../../mail/links.ts'
import type { PendingAuditEvent, UnitOfWork } from '../../request/audit-event.ts'
import type { Caller, Client, ResolvedSession } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { isAdmin, lockLastAdmin, losesActing } from '../admin/permission.ts'
import { runAfterHook } from '../hooks.ts'
import { requireLiveSession } from '../key/rights.ts'
import { changeEmailLimits, refuseBeyondLimit } from '../limits.ts'
import {
  addressChangeLink,
  createAlert,
  createNotice,
  linkIdentifierOf,
  logWithheldMail,
  type NewAddress,
  newAddressLink,
  ownMailLimits,
  verificationLink,
} from '../mails.ts'

/**
 * A verified address has to agree first, by a mailed link; an unverified one is replaced at once. Where addresses have
 * to be verified, the new address has to agree too before anything changes, so that nobody learns whether it is taken.
 */
export async function changeEmail(
  deps: Deps,
  client: Client,
  caller: Caller,
  input: Input<typeof ChangeEmailCall>,
): Promise<Output<typeof ChangeEmailCall>> {
  const { user } = caller
  const to = checkChange(deps, caller, input)
  const { refusedFor, isTaken } = await isEmailTaken(deps.sql, to, changeEmailLimits(deps, user.id))
  refuseBeyondLimit(refusedFor)
  const { REQUIRE_EMAIL_VERIFICATION: isStrict, CLIENT_API } = deps.config
  // Clients of 1.7 learn it only from the mailed link, for which the old address has to agree.
  const isToldLater = isStrict || (user.emailVerified && CLIENT_API !== '1.2')
  if (isTaken && !isToldLater) throw new Failure('EMAIL_NOT_AVAILABLE')
  const address = { from: user.email, to, callbackURL: input.callbackURL || undefined }
  const isAtOnce = !user.emailVerified && !isStrict
  if (isAtOnce) await replace(deps, client, caller, address)
  else
    await logEventsOnceCommitted((act) => {
      const event = client.event(act, 'email-change-asked', { userId: user.id })
      const change = { ...address, user, event }
      return user.emailVerified
        ? askOldAddress(deps, client, change)
        : askNewAddress(deps, client, { ...change, isTaken })
    }, alwaysDone)
  deps.outbox.nudge()
  return { status: true }
}

function checkChange({ config }: Deps, { user, isFresh }: Caller, { newEmail }: Input<typeof ChangeEmailCall>): string {
  if (!config.CHANGE_EMAIL) throw new Failure('CHANGE_EMAIL_OFF')
  if (!isFresh) throw new Failure('SESSION_NOT_FRESH')
  if (!isEmail(newEmail)) throw new Failure('INVALID_EMAIL')
  const to = canonicalEmail(newEmail)
  if (to === user.email) throw new Failure('EMAIL_UNCHANGED')
  return to
}

interface AddressChange extends NewAddress {
  readonly user: User
  readonly event: PendingAuditEvent
}

async function askOldAddress(deps: Deps, client: Client, { user, event, ...address }: AddressChange): Promise<void> {
  if (!deps.config.VERIFICATION_EMAIL) throw new Failure('VERIFICATION_EMAIL_OFF')
  const link = addressChangeLink(deps, client, ownMailLimits(deps, client, address.from), address)
  const { withheldBy } = await storeLink(deps.sql, user.id, link, { event })
  logWithheldMail(deps, link.mail.kind, withheldBy)
}

/** When the new address is taken, its owner is told instead. The number of mails and the limits are the same. */
async function askNewAddress(
  deps: Deps,
  client: Client,
  { isTaken, user, event, ...address }: AddressChange & { readonly isTaken: boolean },
): Promise<void> {
  const { to } = address
  const mailLimits = ownMailLimits(deps, client, to)
  const { withheldBy } = isTaken
    ? await storeNotice(deps.sql, to, createNotice(deps, client, mailLimits, { kind: 'sign-up-again', to }), event)
    : await storeLink(deps.sql, user.id, newAddressLink(deps, client, mailLimits, address), { event })
  logWithheldMail(deps, isTaken ? 'sign-up-again' : 'verify-email', withheldBy)
}

/**
 * Who has the address can reset the password, so the session has to live until then: a request that waited while it was
 * ended would take the account over.
 */
async function replace(
  deps: Deps,
  client: Client,
  { user: { id: userId }, session }: Caller,
  { from, to, callbackURL }: NewAddress,
): Promise<void> {
  const mailLimits = ownMailLimits(deps, client, to)
  const link = deps.config.VERIFICATION_EMAIL ? verificationLink(deps, client, mailLimits, { to, callbackURL }) : null
  const change = {
    userId,
    from,
    to,
    allowedBy: { sessionId: session.id },
    opener: null,
    link,
    notice: null,
    endsActing: false,
    endsActedAs: false,
  }
  const { withheldBy } = await transactionWithEvents(
    deps.sql,
    client.requireRoom(null, 'email-changed'),
    async (tx) => {
      const event = client.event(tx, 'email-changed', { userId })
      // The statements fail together, and either error may be reported.
      const [, isLive, changed] = await failOnUniqueViolation('users_email_key', 'EMAIL_NOT_AVAILABLE', () =>
        inLastTrip(
          tx,
          (last) => lockUser(last, userId),
          (last) => lockLiveSession(last, session.id),
          (last) => replaceEmail(last, { ...change, event }),
        ),
      )
      requireLiveSession(isLive)
      if (!changed) throw new Failure('EMAIL_NOT_AVAILABLE')
      return changed
    },
  )
  logWithheldMail(deps, 'verify-email', withheldBy)
}

type ChangeClaims = LinkClaims & { readonly updateTo: string; readonly callbackURL: string | undefined }

interface EmailChangeResult {
  readonly answer: Output<typeof VerifyEmailCall>
  readonly issued: null
  readonly isReissued: boolean
}

/**
 * Opens the link by which the old or the new address agrees to a change. Requires a session of the user who asked, so
 * nobody can trick the owner of a mailbox into proving it for somebody else.
 */
export async function confirmEmailChange(
  deps: Deps,
  client: Client,
  resolved: ResolvedSession | null,
  claims: ChangeClaims,
): Promise<EmailChangeResult> {
  const caller = resolved?.caller.user ?? null
  if (caller && isDone(caller, claims)) return unchanged(caller)
  const user = await requireOwner(deps, caller, claims)
  if (claims.purpose === 'change-email' && deps.config.REQUIRE_EMAIL_VERIFICATION) {
    await openChangeAskNewAddress(deps, client, claims)
    return unchanged(user)
  }
  const opener = claims.purpose === 'new-email' && resolved ? { sessionId: resolved.caller.session.id } : null
  return {
    answer: { status: true, user: await openChangeReplace(deps, client, { ...claims, user }, opener) },
    issued: null,
    isReissued: true,
  }
}

/** Whether the last link was opened again and its change is already made. */
const isDone = (caller: User, { purpose, userId, updateTo }: ChangeClaims): boolean =>
  purpose === 'new-email' && caller.id === userId && caller.email === updateTo && caller.emailVerified

const unchanged = (user: User): EmailChangeResult => ({
  answer: { status: true, user },
  issued: null,
  isReissued: false,
})

async function requireOwner(
  { sql }: Deps,
  caller: FullUser | null,
  { userId, email }: ChangeClaims,
): Promise<FullUser> {
  const found = await findAddressOwner(sql, email)
  if (!found) throw new Failure('LINK_USER_NOT_FOUND')
  if (caller?.id !== userId || found.id !== userId) throw new Failure('LINK_UNAUTHORIZED')
  return caller
}

/** The same answer and the same work whether or not the new address is taken: only mailboxes learn the difference. */
async function openChangeAskNewAddress(deps: Deps, client: Client, claims: ChangeClaims): Promise<void> {
  const { jti, userId, updateTo: to } = claims
  const address = addressOf(deps, claims)
  const isTaken = (await findAddressOwner(deps.sql, to)) !== null
  const mailLimits = ownMailLimits(deps, client, to)
  const mail = isTaken
    ? { notice: createNotice(deps, client, mailLimits, { kind: 'sign-up-again', to }) }
    : { link: newAddressLink(deps, client, mailLimits, address) }
  const identifier = linkIdentifierOf['change-email'](jti)
  const stored = await logEventsOnceCommitted((act) => {
    const event = client.event(act, 'email-change-agreed', { userId })
    return storeEmailChangeConsent(deps.sql, { userId, from: address.from, to, identifier, mail, event })
  }, isRowFound)
  if (!stored) throw new Failure('LINK_TOKEN_INVALID')
  logWithheldMail(deps, isTaken ? 'sign-up-again' : 'verify-email', stored.withheldBy)
  deps.outbox.nudge()
}

const addressOf = ({ config }: Deps, { email, updateTo, callbackURL }: ChangeClaims): NewAddress => ({
  from: email,
  to: updateTo,
  callbackURL: applicationPageOf(callbackURL, serviceBaseOf(config)),
})

type OwnChangeClaims = ChangeClaims & { readonly user: FullUser }

interface PersonChange {
  readonly before: FullUser
  readonly to: string
  /** Whether the new address is, too. */
  readonly isProven: boolean
}

/**
 * Whoever is an administrator by the old address alone gives that up, with the users they act as, and one administrator
 * has to remain.
 */
function keepingAnAdmin<T extends object>(
  deps: Deps,
  client: Client,
  { before: user, to, isProven }: PersonChange,
  replace: (sql: Sql, act: UnitOfWork<'email-changed'>, endsActing: boolean) => Promise<T>,
): Promise<T> {
  const { sql, config } = deps
  const provenAt = (email: string, hasProvenWayIn: boolean) => ({
    ...user,
    provenAddress: ProvenAddress.ofUser({ email, hasProvenWayIn }),
  })
  const [before, after] = [provenAt(user.email, user.emailVerified), provenAt(to, isProven)]
  const endsActing = losesActing(config, before, after)
  const staysAdmin = !isAdmin(config, before) || isAdmin(config, after)
  if (staysAdmin && !endsActing) return logEventsOnceCommitted((act) => replace(sql, act, false), alwaysDone)
  return transactionWithEvents(sql, client.requireRoom(null, 'email-changed'), async (tx) => {
    const isLast = await lockLastAdmin(deps, tx, before)
    if (isLast && !staysAdmin) throw new Failure('LAST_ADMIN')
    return withCommit(tx, (last) => replace(last, tx, endsActing))
  })
}

/** Opened from the old address, the new one still has to be verified. Opened from the new one, it is verified. */
async function openChangeReplace(deps: Deps, client: Client, claims: OwnChangeClaims, opener: LinkOpener | null) {
  const { config, outbox } = deps
  const { jti, userId, purpose, user: before } = claims
  const { from, to, callbackURL } = addressOf(deps, claims)
  const mailLimits = ownMailLimits(deps, client, to)
  const change = {
    userId,
    from,
    to,
    allowedBy: { identifier: linkIdentifierOf[purpose](jti) },
    opener,
    link: !opener && config.VERIFICATION_EMAIL ? verificationLink(deps, client, mailLimits, { to, callbackURL }) : null,
    notice: createAlert(deps, { kind: 'email-changed', to: from, newEmail: to }),
    endsActedAs: opener !== null && config.ADMIN_EMAILS.includes(to),
  }
  const replace = async (sql: Sql, act: UnitOfWork<'email-changed'>, endsActing: boolean) => {
    const event = client.event(act, 'email-changed', { userId })
    const changed = await replaceEmail(sql, { ...change, endsActing, event })
    if (!changed) throw new Failure('LINK_TOKEN_INVALID')
    return changed
  }
  const isProven = opener !== null
  const { user, withheldBy } = await keepingAnAdmin(deps, client, { before, to, isProven }, replace)
  logWithheldMail(deps, 'verify-email', withheldBy)
  outbox.nudge()
  if (opener) await runAfterHook(deps, config.extensions.afterVerifyEmail, user)
  return user
}
