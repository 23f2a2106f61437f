import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { newId } from '../../crypto/id.ts'
import { type FoundIdentity, findIdentity } from '../../db/identities.ts'
import { linkAndSignIn, signInKnownIdentity } from '../../db/identity-sign-in.ts'
import { createProviderUser } from '../../db/provider-users.ts'
import { isAlreadyUsedError } from '../../db/states.ts'
import { isRowFound, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { languageToKeep } from '../../languages/words.ts'
import type { Registration } from '../../providers/provider.ts'
import { type Admission, admit, withoutEndedBan } from '../../request/admission.ts'
import { type UnitOfWork, withdrawEvent } from '../../request/audit-event.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import type { ProvenAddress } from '../../request/proven-address.ts'
import { type AccountLinkCapability, linkCapabilityByAddress } from '../../request/sign-in-method-capability.ts'
import { recordRefusal } from '../audit/record.ts'
import { logWithheldMail, welcomeLink } from '../mails.ts'
import {
  addressProofOf,
  linkNotice,
  ownerProofOf,
  profileOverrideOf,
  type RecordingContext,
} from './identity-effects.ts'
import { refuseAsUnverified, refuseTaken, refuseUnverified } from './unverified.ts'
import type { VerifiedIdentity } from './verify-identity.ts'

/** The identity that signs in, and the purpose. */
interface IdentitySignInRequest {
  readonly identity: VerifiedIdentity
  /** Whether the caller asked for a new user, which some provider settings require. */
  readonly requestSignUp: boolean
  /**
   * The browser's binding, when the identity only approves another machine's sign-in and gets no session. Null to begin
   * a session.
   */
  readonly claim: Buffer | null
}

interface SignInResult {
  readonly kind: 'signed-in'
  /** As found, before the provider's profile replaced anything, but verified if this sign-in did that. */
  readonly user: FullUser
  readonly issued: IssuedSession
  readonly isNew: boolean
}

/** Nothing was done, because an account, an address or a user changed between read and write. */
interface LostRace {
  readonly kind: 'overtaken'
  readonly failure: 'USER_NOT_CREATED' | 'ACCOUNT_LINK_FAILED' | 'SESSION_NOT_CREATED'
}

/** After each lost race everything is read again. */
const maxTries = 4

/**
 * Signs in the user that an identity leads to, links the identity, or creates a user. One rule for every way to verify
 * an identity.
 */
export async function signInWithIdentity(
  deps: Deps,
  client: Client,
  signIn: IdentitySignInRequest,
): Promise<SignInResult> {
  try {
    return await tryToSignIn(deps, client, signIn, maxTries)
  } catch (error) {
    // Of two concurrent sign-ins with the same token one succeeds; the other did nothing.
    const { use } = signIn.identity.verification
    const refusal = use && isAlreadyUsedError(error) ? new Failure(use.refusal, { cause: error }) : error
    if (refusal instanceof Failure && refusal.failure !== 'SERVICE_UNAVAILABLE')
      await recordRefusal(deps, client, 'sign-in-failed', { userId: null, reason: refusal.failure })
    throw refusal
  }
}

async function tryToSignIn(
  deps: Deps,
  client: Client,
  signIn: IdentitySignInRequest,
  tries: number,
): Promise<SignInResult> {
  const outcome = await signInOnce(deps, client, signIn)
  if (outcome.kind === 'signed-in') return outcome
  if (tries === 1) throw new Failure(outcome.failure)
  return tryToSignIn(deps, client, signIn, tries - 1)
}

async function signInOnce(deps: Deps, client: Client, signIn: IdentitySignInRequest): Promise<SignInResult | LostRace> {
  const { identity } = signIn
  const found = await findIdentity(deps.sql, identity.key, identity.identity.email)
  const decision = decide({ found, address: identity.address, ...policyOf(deps, signIn) })
  switch (decision.kind) {
    case 'create':
      return signUpWith(deps, client, signIn)
    case 'known':
    case 'link':
      return signInAs(deps, client, signIn, decision)
    case 'taken':
      return refuseTaken(deps, client, identity)
    case 'refused':
      throw new Failure(decision.failure)
  }
}

interface Policy {
  readonly isLinking: boolean
  /** Addresses have to be verified, so nobody may learn which ones are taken. */
  readonly isStrict: boolean
  readonly mayCreate: boolean
}

const policyOf = ({ config }: Deps, { identity: { configured }, requestSignUp }: IdentitySignInRequest): Policy => ({
  isLinking: config.ACCOUNT_LINKING,
  isStrict: config.REQUIRE_EMAIL_VERIFICATION,
  mayCreate: isOpen(configured.registration, requestSignUp),
})

const isOpen = ({ disableSignUp, disableImplicitSignUp }: Registration, requestSignUp: boolean): boolean =>
  !disableSignUp && (!disableImplicitSignUp || requestSignUp)

interface KnownIdentity {
  readonly kind: 'known'
  readonly found: FoundIdentity
  readonly account: string
}
interface LinkableIdentity {
  readonly kind: 'link'
  readonly found: FoundIdentity
  readonly address: ProvenAddress
  readonly mayLink: AccountLinkCapability
}
type ExistingUser = KnownIdentity | LinkableIdentity

/** `taken`: somebody has the address. Only its owner may learn that. */
type Decision =
  | ExistingUser
  | { readonly kind: 'create' | 'taken' }
  | { readonly kind: 'refused'; readonly failure: 'ACCOUNT_NOT_LINKED' | 'SIGN_UP_DISABLED' }

interface DecisionInput extends Policy {
  readonly found: FoundIdentity | null
  readonly address: ProvenAddress | null
}

/**
 * Provider and id together identify a person; an address alone never does. A proven address leads an unknown identity
 * to its user: the owner has arrived, and whatever others began with the address without proving it ends.
 */
function decide({ found, address, isLinking, isStrict, mayCreate }: DecisionInput): Decision {
  if (!found) return mayCreate ? { kind: 'create' } : { kind: 'refused', failure: 'SIGN_UP_DISABLED' }
  if (found.account !== null) return { kind: 'known', found, account: found.account }
  const mayLink = isLinking && address ? linkCapabilityByAddress(address, found.user) : null
  if (address && mayLink) return { kind: 'link', found, address, mayLink }
  if (!isStrict) return { kind: 'refused', failure: 'ACCOUNT_NOT_LINKED' }
  // The same answer as for an address that nobody uses.
  return mayCreate ? { kind: 'taken' } : { kind: 'refused', failure: 'SIGN_UP_DISABLED' }
}

async function signInAs(
  deps: Deps,
  client: Client,
  signIn: IdentitySignInRequest,
  existing: ExistingUser,
): Promise<SignInResult | LostRace> {
  const admission = admit(deps, client, signIn.identity.proofOf(existing.found))
  switch (admission.kind) {
    case 'admitted': {
      const entering = { ...signIn, ...admission }
      return existing.kind === 'known'
        ? signInWithKnownIdentity(deps, client, entering, existing)
        : signInByLinkingIdentity(deps, client, entering, existing)
    }
    case 'banned':
      throw new Failure('BANNED_USER')
    case 'unverified':
      return refuseUnverified(deps, client, signIn.identity, existing.found)
  }
}

/** A sign-in that passed the admission check. */
type AdmittedSignIn = IdentitySignInRequest & Pick<Extract<Admission, { kind: 'admitted' }>, 'admitted' | 'issued'>

/**
 * The identity already belongs to the user. Stores what the provider says about it, and about the user where the
 * settings say so.
 */
async function signInWithKnownIdentity(
  deps: Deps,
  client: Client,
  entering: AdmittedSignIn,
  { found, account }: KnownIdentity,
): Promise<SignInResult | LostRace> {
  const entry = await logEventsOnceCommitted(async (act) => {
    const override = profileOverrideOf(deps, [client, act], entering.identity, found)
    const ownerSignIn = addressProofOf(deps, [client, act], entering.identity, { found, override })
    const keepsTokens = deps.config.UPDATE_ACCOUNT_ON_SIGN_IN
    const shared = sharedSignInValues([client, act], entering, found.user.id, account)
    const done = await signInKnownIdentity(deps.sql, { ...shared, keepsTokens, override, ownerSignIn })
    if (override?.move && !done?.isMoved) withdrawEvent(override.move.event)
    if (done?.isMoved || (done && ownerSignIn && found.unproven.length > 0)) deps.outbox.nudge()
    return done
  }, isRowFound)
  if (!entry) return { kind: 'overtaken', failure: 'SESSION_NOT_CREATED' }
  return signedIn(deps, entering, found.user, entry.ended)
}

/** The identity is new and its proven address is the user's. Links it, and ends what others began with the address. */
async function signInByLinkingIdentity(
  deps: Deps,
  client: Client,
  entering: AdmittedSignIn,
  { found, address, mayLink }: LinkableIdentity,
): Promise<SignInResult | LostRace> {
  const { configured, key } = entering.identity
  const { id, email } = found.user
  const enter = (act: UnitOfWork) =>
    linkAndSignIn(deps.sql, {
      mayLink,
      linkEvent: client.event(act, 'account-linked', { userId: id, provider: key.providerId }),
      notice: linkNotice(deps, email, configured),
      ownerSignIn: ownerProofOf(deps, [client, act], address, found),
      ...sharedSignInValues([client, act], entering, id, newId()),
    })
  const entry = await logEventsOnceCommitted(enter, isRowFound)
  if (!entry) return { kind: 'overtaken', failure: 'ACCOUNT_LINK_FAILED' }
  deps.outbox.nudge()
  return signedIn(deps, entering, found.user, entry.ended)
}

const sharedSignInValues = (
  [client, act]: RecordingContext,
  { identity, admitted, claim }: AdmittedSignIn,
  userId: string,
  account: string,
) => ({
  key: identity.key,
  tokens: identity.verification.tokensOf(account),
  admitted,
  claim,
  use: identity.verification.use,
  userId,
  // An approver of another machine's sign-in gets no session here; that machine is signed in later.
  event: claim ? null : client.event(act, 'sign-in-done', { userId }),
})

function signedIn(
  deps: Deps,
  { issued, identity: { address } }: AdmittedSignIn,
  user: FullUser,
  ended: readonly string[],
): SignInResult {
  deps.revocations.add(ended)
  const emailVerified = user.emailVerified || address?.email === user.email
  return { kind: 'signed-in', user: { ...withoutEndedBan(user), emailVerified }, issued, isNew: false }
}

/** Creates a user, who may sign in when the address needs no verification or the provider proves it. */
async function signUpWith(
  deps: Deps,
  client: Client,
  { identity, claim }: IdentitySignInRequest,
): Promise<SignInResult | LostRace> {
  const { key, address, verification } = identity
  const { user, proof } = identity.newUser()
  const admission = admit(deps, client, proof)
  const tokens = verification.tokensOf(newId())
  const made = {
    user: { ...user, language: languageToKeep(deps.config, client), fields: deps.config.ownFields.user.defaults },
    provenAddress: address,
    roles: [deps.config.DEFAULT_ROLE],
    key,
    tokens,
    admitted: admission.kind === 'admitted' ? admission.admitted : null,
    claim,
    use: verification.use,
    link: address ? null : welcomeLink(deps, client, user.email),
  }
  const create = (act: UnitOfWork) =>
    createProviderUser(deps.sql, { ...made, event: client.event(act, 'sign-up-done', { userId: user.id }) })
  const created = await logEventsOnceCommitted(create, isRowFound)
  if (!created) return { kind: 'overtaken', failure: 'USER_NOT_CREATED' }
  deps.revocations.add(created.ended)
  logWithheldMail(deps, 'verify-email', created.withheldBy)
  deps.outbox.nudge()
  if (admission.kind !== 'admitted') return refuseAsUnverified(client, tokens.id)
  return { kind: 'signed-in', user: created.user, issued: admission.issued, isNew: true }
}
