import { providerDisplayName } from '../../../shared/providers.ts'
import type { Sql } from '../../db/connect.ts'
import type { FoundIdentity } from '../../db/identities.ts'
import type { MailboxOwnerSignIn, ProfileOverride } from '../../db/identity-effects.ts'
import type { Notice } from '../../db/links.ts'
import type { Deps } from '../../deps.ts'
import type { ConfiguredProvider } from '../../providers/provider.ts'
import { type UnitOfWork, withdrawEvent } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { isAdmin, lockLastAdmin, losesActing } from '../admin/permission.ts'
import { createAlert, signInMethodNamesOf } from '../mails.ts'
import type { VerifiedIdentity } from './verify-identity.ts'

// What a verified identity changes about the user whom it signs in.

/** The client, and the unit of work that records the changes. */
export type RecordingContext = readonly [Client, UnitOfWork]

/**
 * What the provider's profile replaces on a user. Null when nothing changes. An address is as powerful as a password,
 * because resets are mailed there. So replacing it needs the same trust as leading an unknown identity to a user: a
 * provider that we trust has to vouch for it.
 */
export function profileOverrideOf(
  deps: Deps,
  [client, act]: RecordingContext,
  { configured, identity, verification, address }: VerifiedIdentity,
  { user, isProven, hasProof }: FoundIdentity,
): ProfileOverride | null {
  if (!verification.isLedBack || !configured.registration.overrideUserInfo) return null
  const { name, image, isImageUnread: keepsImage, email } = identity
  // A user who never proved the old mailbox takes it from nobody who did.
  const mayMove = email !== user.email && address !== null && (isProven || !hasProof)
  const notice = () => createAlert(deps, { kind: 'email-changed', to: user.email, newEmail: email })
  const event = () => client.event(act, 'email-changed', { userId: user.id })
  const before = { ...user, provenAddress: ProvenAddress.ofUser({ email: user.email, hasProvenWayIn: hasProof }) }
  const after = { ...user, provenAddress: address }
  const endsActing = losesActing(deps.config, before, after)
  const becomesAdmin = deps.config.ADMIN_EMAILS.includes(email)
  const staysAdmin = !isAdmin(deps.config, before) || isAdmin(deps.config, after)
  const lockLast = staysAdmin ? null : (tx: Sql) => lockLastAdmin(deps, tx, before)
  const move = mayMove
    ? { from: user.email, notice: notice(), endsActing, becomesAdmin, lockLastAdmin: lockLast, event: event() }
    : null
  return { name: name || null, image, keepsImage, email, move }
}

/**
 * Whether a known identity's address proves something new about its user, and what follows. For most sign-ins nothing
 * does.
 */
export function addressProofOf(
  deps: Deps,
  acting: RecordingContext,
  { address }: VerifiedIdentity,
  { found, override }: { readonly found: FoundIdentity; readonly override: ProfileOverride | null },
): MailboxOwnerSignIn | null {
  const { user, isProven, unproven, hasUnprovenSession } = found
  const isMoving = Boolean(override?.move)
  const isSettled = !isMoving && isProven && user.emailVerified && unproven.length === 0 && !hasUnprovenSession
  const isOwner = address !== null && (address.email === user.email || isMoving)
  return isOwner && !isSettled ? ownerProofOf(deps, acting, address, found) : null
}

/** The mail names the sign-in methods that end, because its reader may have added one of them. */
export function ownerProofOf(
  deps: Deps,
  [client, act]: RecordingContext,
  address: ProvenAddress,
  { user, unproven, hasProof, account }: FoundIdentity,
): MailboxOwnerSignIn {
  const payload = {
    kind: 'unproven-sign-ins-ended',
    to: user.email,
    ways: signInMethodNamesOf(unproven),
  } as const
  const event = client.event(act, 'unproven-sign-ins-ended', { userId: user.id, count: unproven.length })
  if (unproven.length === 0) withdrawEvent(event)
  const becomesAdmin = deps.config.ADMIN_EMAILS.includes(address.email)
  const { mail } = createAlert(deps, payload)
  return { address, becomesAdmin, mail, event, endsAll: !hasProof && account === null }
}

/** Mails the owner when an account was linked, in case somebody else did it. */
export const linkNotice = (deps: Deps, to: string, { provider }: ConfiguredProvider): Notice =>
  createAlert(deps, { kind: 'account-linked', to, provider: providerDisplayName(provider.id) })
