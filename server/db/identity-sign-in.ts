import type postgres from 'postgres'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { AccountLinkCapability } from '../request/sign-in-method-capability.ts'
import { type IdentityKey, insertAccount, lockSignInMethods, newTokenColumns, type SealedTokens } from './accounts.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow } from './checked-row.ts'
import { computedColumns } from './columns.ts'
import type { Sql } from './connect.ts'
import { isPendingInBrowser } from './device-browser-bindings.ts'
import { bindUserToRequest } from './device-user-bindings.ts'
import { nullIfTaken } from './identities.ts'
import {
  canReplaceAddress,
  type MailboxOwnerSignIn,
  overrideLock,
  overrideUser,
  type ProfileOverride,
  removeUnprovenAccess,
  verifyAddressStep,
} from './identity-effects.ts'
import { insertNotice, type Notice } from './links.ts'
import { isUniqueViolation } from './outage.ts'
import { isAdmissible, startSession } from './session-start.ts'
import { insertSingleUse, type SingleUse } from './states.ts'
import { transaction } from './transaction.ts'

/** A sign-in by a proven identity. */
interface SignInByIdentity {
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  readonly admitted: AdmittedSession
  /** The browser binding of a device request, which the user can then approve. It takes the place of a session. */
  readonly claim: Buffer | null
  /** The single-use proof of the identity. Null when nothing needs to be recorded. */
  readonly use: SingleUse | null
  /** The sign-in event. Null when a device request takes the place of the session. */
  readonly event: PendingAuditEvent | null
  readonly userId: string
}

export interface SignInByKnownIdentity extends SignInByIdentity {
  readonly keepsTokens: boolean
  /** Null when it would change nothing, or the provider does not prove the mailbox. */
  readonly ownerSignIn: MailboxOwnerSignIn | null
  /** Null: the user's profile stays unchanged. */
  readonly override: ProfileOverride | null
}

/** The result of a sign-in. */
interface SignInOutcome {
  /** Ids of the sessions that ended. */
  readonly ended: readonly string[]
  /** Whether the user's address changed. */
  readonly isMoved: boolean
}

/**
 * Signs in the user of a known identity and stores the provider's new data. Null, with nothing done, when the account
 * or its user changed meanwhile, or the device request is over. If another user takes the new address first, or the last
 * administrator would be one no longer, this one signs in with the old address.
 */
export async function signInKnownIdentity(sql: Sql, signIn: SignInByKnownIdentity): Promise<SignInOutcome | null> {
  const { override } = signIn
  try {
    return await signInKnownIdentityOnce(sql, signIn)
  } catch (error) {
    if (!override?.move || !isUniqueViolation(error, 'users_email_key')) throw error
    return signInKnownIdentityOnce(sql, withoutMove(signIn))
  }
}

function signInKnownIdentityOnce(sql: Sql, signIn: SignInByKnownIdentity): Promise<SignInOutcome | null> {
  const { ownerSignIn, override, userId } = signIn
  const lockLastAdmin = override?.move?.lockLastAdmin
  if (!ownerSignIn && !lockLastAdmin) return runKnownSignIn(sql, signIn)
  return transaction(sql, async (tx) => {
    const isLastAdmin = await lockLastAdmin?.(tx)
    if (ownerSignIn) await lockSignInMethods(tx, tx`${userId}::text`)
    return runKnownSignIn(tx, isLastAdmin ? withoutMove(signIn) : signIn)
  })
}

const withoutMove = (signIn: SignInByKnownIdentity): SignInByKnownIdentity => ({
  ...signIn,
  override: signIn.override && { ...signIn.override, move: null },
})

function runKnownSignIn(sql: Sql, signIn: SignInByKnownIdentity): Promise<SignInOutcome | null> {
  const { override, ownerSignIn } = signIn
  const kept = updateKnownAccount(sql, signIn)
  return runIdentitySignIn(
    sql,
    signIn,
    sql`
      owner as (${lockKnownUser(sql, signIn)}),
      allowed as (${kept})
      ${override ? sql`, ${overrideUser(sql, override, ownerSignIn ? isOwner(sql, ownerSignIn, null) : sql`false`)}` : sql``}
      ${ownerSignIn ? sql`, ${mailboxOwnerSteps(sql, ownerSignIn, signIn)}` : sql``}
    `,
    override,
  )
}

/** A device request is locked after the account, as by whoever deletes both, so that the two cannot deadlock. */
function lockKnownUser(sql: Sql, { userId, tokens, admitted, override, ownerSignIn, claim }: SignInByKnownIdentity) {
  return sql`
    select u.id, u.email, u.email_verified from users u
    ${claim ? sql`join accounts a on a.id = ${tokens.id} ${joinPendingRequest(sql, claim)}` : sql``}
    where u.id = ${userId} and ${isAdmissible(sql, admitted)}
    ${ownerSignIn ? sql`for update` : overrideLock(sql, override)} of u
    ${claim ? sql`for no key update of a ${lockPendingRequest(sql, claim)}` : sql``}
  `
}

/**
 * Joins the device request that the sign-in is for to the statement's user. Once the request is over there is no user,
 * so nothing of the sign-in is written.
 */
const joinPendingRequest = (sql: Sql, claim: Buffer | null) =>
  claim ? sql`join device_requests r on ${isPendingInBrowser(sql, claim)}` : sql``

const lockPendingRequest = (sql: Sql, claim: Buffer | null) => (claim ? sql`for update of r` : sql``)

/** Updates the account of `owner` with new tokens and proofs. */
function updateKnownAccount(sql: Sql, { key, tokens, keepsTokens, override, ownerSignIn }: SignInByKnownIdentity) {
  const own = sql`
    a.id = ${tokens.id} and a.user_id = o.id and a.provider_id = ${key.providerId} and a.account_id = ${key.accountId}
  `
  const changes = [
    ...(keepsTokens ? [newTokenColumns(sql, tokens)] : []),
    ...(ownerSignIn ? [setProof(sql, ownerSignIn, isOwner(sql, ownerSignIn, override))] : []),
  ]
  const wayIn = sql`a.user_id as id, a.id as account_id, a.proven_email`
  return changes.length > 0
    ? sql`update accounts a set ${listOf(sql, changes)} from owner o where ${own} returning ${wayIn}`
    : sql`select ${wayIn} from accounts a, owner o where ${own} for share of a`
}

/** With an override, the update of the user's row verifies the address as well. */
function mailboxOwnerSteps(sql: Sql, ownerSignIn: MailboxOwnerSignIn, { override, tokens }: SignInByKnownIdentity) {
  const owners = sql`select o.id from owner o join allowed using (id) where ${isOwner(sql, ownerSignIn, override)}`
  return sql`
    ${override ? sql`` : sql`${verifyAddressStep(sql, owners)},`}
    ${removeUnprovenAccess(sql, { ...ownerSignIn, movedFrom: override?.move?.from ?? null }, owners, tokens.id)}
  `
}

/** Whether the proven address is the user's, or becomes theirs by this very sign-in. */
const isOwner = (sql: Sql, { address }: MailboxOwnerSignIn, override: ProfileOverride | null) =>
  sql`(o.email = ${address.email} or ${override ? canReplaceAddress(sql, override) : sql`false`})`

const setProof = (sql: Sql, { address }: MailboxOwnerSignIn, condition: postgres.Fragment) => sql`
  mailbox_proof = case when ${condition} then 'provider' else a.mailbox_proof end,
  mailbox_proven_at = case when ${condition} then now() else a.mailbox_proven_at end,
  proven_email = case when ${condition} then ${address.email} else a.proven_email end
`

const listOf = (sql: Sql, [first, ...others]: readonly postgres.Fragment[]) =>
  others.reduce((list, other) => sql`${list}, ${other}`, first ?? sql``)

export interface SignInByLinkedIdentity extends SignInByIdentity {
  readonly mayLink: AccountLinkCapability
  /** The proven address by which the user was found. It must still be theirs. */
  readonly ownerSignIn: MailboxOwnerSignIn
  /** The mail that informs the user. */
  readonly notice: Notice
  readonly linkEvent: PendingAuditEvent
}

/**
 * Links an identity to the user with its address, who thereby proves to own it, and signs them in. Null when
 * the user changed or another one has taken the identity meanwhile, or the device request is over.
 */
export const linkAndSignIn = (sql: Sql, signIn: SignInByLinkedIdentity): Promise<SignInOutcome | null> =>
  nullIfTaken(() =>
    transaction(sql, async (tx) => {
      await lockSignInMethods(tx, tx`${signIn.mayLink.userId}::text`)
      return runLinkingSignIn(tx, signIn)
    }),
  )

const runLinkingSignIn = (sql: Sql, signIn: SignInByLinkedIdentity): Promise<SignInOutcome | null> =>
  runIdentitySignIn(
    sql,
    signIn,
    sql`
        owner as (
          select u.id from users u ${joinPendingRequest(sql, signIn.claim)}
          where u.id = ${signIn.mayLink.userId} and u.email = ${signIn.ownerSignIn.address.email} and ${isAdmissible(sql, signIn.admitted)}
          for no key update of u ${lockPendingRequest(sql, signIn.claim)}
        ),
        linked as (${insertAccount(sql, signIn.key, signIn.tokens, sql`select id, ${signIn.ownerSignIn.address.proof}::text as proof, ${signIn.ownerSignIn.address.email}::text as proven_email from owner`)}),
        allowed as (select user_id as id, ${signIn.tokens.id}::text as account_id, ${signIn.ownerSignIn.address.email}::text as proven_email from linked),
        link_audited as (${insertAuditEvent(sql, signIn.linkEvent, sql`select from linked`)}),
        ${insertNotice(sql, signIn.notice, sql`select id from allowed`)},
        ${verifyAddressStep(sql, sql`select id from allowed`)},
        ${removeUnprovenAccess(sql, signIn.ownerSignIn, sql`select id from allowed`, signIn.tokens.id)}
      `,
  )

function runIdentitySignIn(
  sql: Sql,
  signIn: SignInByIdentity & { readonly ownerSignIn: MailboxOwnerSignIn | null },
  steps: postgres.Fragment,
  override: ProfileOverride | null = null,
): Promise<SignInOutcome | null> {
  const { admitted, claim, use, event, ownerSignIn } = signIn
  const all = sql`
    ${steps},
    ${startSessionOrBindUser(sql, admitted, claim, sql`select * from allowed`)}
    ${use ? sql`, used as (${insertSingleUse(sql, use, sql`select from started`)})` : sql``}
    ${event ? sql`, audited as (${insertAuditEvent(sql, event, sql`select from started`)})` : sql``}
  `
  const entry = computedColumns<SignInOutcome>(sql, {
    ended: sql`array(
      select id from ended
      ${ownerSignIn ? sql`union select id from unproven_sessions` : sql``}
    )`,
    isMoved: override ? sql`exists (select from moved)` : sql`false`,
  })
  return findRow(sql, admitted.session.tokenHash, sql<SignInOutcome[]>`select ${entry} from started`, all)
}

/**
 * The steps that start a session for the user of `users` (see startSession), or bind the user to a device request when
 * a binding is given.
 */
export const startSessionOrBindUser = (
  sql: Sql,
  admitted: AdmittedSession,
  claim: Buffer | null,
  users: postgres.Fragment,
) =>
  claim
    ? sql`started as (${bindUserToRequest(sql, admitted, claim, users)}), ended as (select null as id where false)`
    : startSession(sql, admitted, users)
