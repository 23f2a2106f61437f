import { Failure } from '../../../shared/failure.ts'
import { type LinkClaims, verifyLinkToken } from '../../crypto/link-token.ts'
import { inOneTrip, type Sql } from '../../db/connect.ts'
import { deleteUser, deletionLocks, requireAllLocked } from '../../db/delete-user.ts'
import { findSignUp, type SignUp, type VerificationLink } from '../../db/sign-ups.ts'
import { countUsesOnly } from '../../db/states.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Client, ResolvedSession } from '../../request/client.ts'
import { consumePasswordAttempt, runAttempt, verifyPassword } from '../account/verify-password.ts'
import { lockLastAdmin } from '../admin/permission.ts'
import { runAfterHook, runBeforeHook } from '../hooks.ts'
import { passwordCallLimits, refundIfUndone, refuseBeyondLimit } from '../limits.ts'
import { linkIdentifierOf } from '../mails.ts'
import { announceEndings, runAfterEndings, runBeforeEndings } from '../organization/endings.ts'
import { resetByLink } from '../password/passwords.ts'
import { linkOpenerOf, verifyAddress } from './verify-email.ts'

export type { SignUp }

// A mailed link proves who holds the mailbox, not who signed up. When it is opened in another browser than the one that
// signed up, the user is asked which of the two they are.

/**
 * What a page may show of the sign-up behind a link. Null when there is nothing to ask because the link says
 * everything.
 */
export async function viewSignUp(
  deps: Deps,
  client: Client,
  resolved: ResolvedSession | null,
  token: string,
): Promise<SignUp | null> {
  const claims = await claimsIn(deps, token)
  if (!claims) return null
  const opener = linkOpenerOf(client, resolved, claims)
  if (opener && 'sessionId' in opener) return null
  const found = await findSignUp(deps.sql, linkOf(claims), client.signedUpWith)
  return found?.isHolder ? null : found
}

/**
 * "It was me": checks the password of the sign-up and verifies the address. Counted like a sign-in; begins no session.
 */
export async function claimSignUp(deps: Deps, client: Client, token: string, password: string): Promise<void> {
  const claims = await requireClaims(deps, token)
  const attempt = await consumePasswordAttempt(deps, client, { email: claims.email, password })
  await runAttempt(deps, client, attempt, async () => {
    const proof = await verifyPassword(deps, client, attempt)
    if (!proof) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
    if (attempt.found.isBanned) throw new Failure('BANNED_USER')
    const opener = { accountId: proof.accountId }
    const { counters } = proof
    await refundIfUndone(deps, counters, () =>
      verifyAddress(deps, client, { claims, opener, proof: null, isOwn: false, counters }),
    )
  })
}

/** "It was not me, but I want the account": replaces whatever the sign-up chose by a new password, as a reset does. */
export async function takeOverSignUp(
  deps: Deps,
  client: Client,
  token: string,
  newPassword: string,
): Promise<string | null> {
  const claims = await requireClaims(deps, token)
  if (!deps.config.RESET_PASSWORD) throw new Failure('RESET_PASSWORD_OFF')
  return (await resetByLink(deps, client, { newPassword, identifier: linkOf(claims).identifier })).mark
}

/** "It was not me": removes the sign-up while nobody has proved a mailbox for it. */
export async function removeSignUp(deps: Deps, client: Client, token: string): Promise<void> {
  const claims = await requireClaims(deps, token)
  const link = linkOf(claims)
  refuseBeyondLimit(
    (await countUsesOnly(deps.sql, link.identifier, passwordCallLimits(deps, 'reset-password', client))).refusedFor,
  )
  const found = await requireUnproven(deps.sql, link)
  const { beforeDeleteUser, afterDeleteUser } = deps.config.extensions
  await runBeforeHook(beforeDeleteUser, found.user)
  const allowed = await runBeforeEndings(deps, { userId: link.userId, by: found.user })
  const session = { userId: link.userId, id: null }
  const deletion = { session, identifier: link.identifier, ownerRole: deps.config.CREATOR_ROLE }
  const room = client.requireRoom(null, 'account-deleted', 'organization-deleted')
  const { ended, organizations } = await transactionWithEvents(deps.sql, room, async (tx) => {
    if (await lockLastAdmin(deps, tx, { ...found.user, provenAddress: null })) throw new Failure('LAST_ADMIN')
    const ending = requireAllLocked(await inOneTrip(tx, ...deletionLocks(link.userId)))
    await requireUnproven(tx, link)
    const endings = announceEndings(client, tx, allowed, ending)
    const event = client.event(tx, 'account-deleted', { userId: link.userId })
    const deleted = await deleteUser(tx, { ...deletion, event, endings })
    if (deleted.outcome === 'only-owner') throw new Failure('ONLY_OWNER')
    if (deleted.outcome !== 'done') throw new Failure('LINK_TOKEN_INVALID')
    return deleted
  })
  deps.revocations.add(ended)
  await runAfterEndings(deps, allowed, organizations)
  await runAfterHook(deps, afterDeleteUser, found.user)
}

async function requireUnproven(sql: Sql, link: VerificationLink): Promise<SignUp> {
  const found = await findSignUp(sql, link, null)
  if (!found || found.isEstablished) throw new Failure('LINK_TOKEN_INVALID')
  return found
}

/**
 * The claims of a link that verifies the user's current address. Null for an invalid link and for one that changes the
 * address.
 */
async function claimsIn({ keys, now }: Deps, token: string): Promise<LinkClaims | null> {
  const read = await verifyLinkToken(keys.mail, token, now())
  return 'claims' in read && read.claims.updateTo === undefined ? read.claims : null
}

async function requireClaims(deps: Deps, token: string): Promise<LinkClaims> {
  const claims = await claimsIn(deps, token)
  if (!claims) throw new Failure('LINK_TOKEN_INVALID')
  return claims
}

const linkOf = ({ userId, email, jti }: LinkClaims): VerificationLink => ({
  userId,
  email,
  identifier: linkIdentifierOf['verify-email'](jti),
})
