import { v7 as uuid } from 'uuid'
import type { User } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { type FoundIdentity, findIdentity } from '../../db/identities.ts'
import { enterKnown, enterLinked } from '../../db/identity-sign-in.ts'
import { createProviderUser } from '../../db/provider-users.ts'
import { isUsedBefore } from '../../db/states.ts'
import { isFound, tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Registration } from '../../providers/provider.ts'
import { type Admission, admit } from '../../request/admission.ts'
import { type Act, withdraw } from '../../request/audit-event.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import type { ProvenAddress } from '../../request/proven-address.ts'
import { type MayLink, ownsAddressOf } from '../../request/way-in.ts'
import { recordRefusal } from '../audit/record.ts'
import { logWithheld, signUpMailLimits, verificationLink } from '../mails.ts'
import { type Acting, arrivalOf, linkNotice, overrideOf, ownerArrival } from './identity-effects.ts'
import { holdBack, refuseTaken, refuseUnverified } from './unverified.ts'
import type { VerifiedIdentity } from './verify-identity.ts'

/** The identity that signs in, and the purpose. */
interface SignIn {
  readonly identity: VerifiedIdentity
  /** Whether the caller asked for a new user, which some provider settings require. */
  readonly requestSignUp: boolean
  /**
   * The browser's binding, when the identity only approves another machine's sign-in and gets no session. Null to begin
   * a session.
   */
  readonly claim: Buffer | null
}

interface SignedIn {
  readonly kind: 'signed-in'
  /** The user as found, before the provider's profile replaced anything. */
  readonly user: User
  readonly issued: IssuedSession
  readonly isNew: boolean
}

/** Nothing was done, because an account, an address or a user changed between read and write. */
interface Overtaken {
  readonly kind: 'overtaken'
  readonly failure: 'USER_NOT_CREATED' | 'ACCOUNT_LINK_FAILED' | 'SESSION_NOT_CREATED'
}

/** After each lost race everything is read again. */
const maxTries = 4

/**
 * Signs in the user that an identity leads to, links the identity, or creates a user. One rule for every way to verify
 * an identity.
 */
export async function signInWithIdentity(deps: Deps, client: Client, signIn: SignIn): Promise<SignedIn> {
  try {
    return await tryToSignIn(deps, client, signIn, maxTries)
  } catch (error) {
    // Of two concurrent sign-ins with the same token one succeeds; the other did nothing.
    const { use } = signIn.identity.verification
    const refusal = use && isUsedBefore(error) ? new Failure(use.refusal, { cause: error }) : error
    if (refusal instanceof Failure && refusal.failure !== 'SERVICE_UNAVAILABLE')
      await recordRefusal(deps, client, 'sign-in-failed', { userId: null, reason: refusal.failure })
    throw refusal
  }
}

async function tryToSignIn(deps: Deps, client: Client, signIn: SignIn, tries: number): Promise<SignedIn> {
  const outcome = await signInOnce(deps, client, signIn)
  if (outcome.kind === 'signed-in') return outcome
  if (tries === 1) throw new Failure(outcome.failure)
  return tryToSignIn(deps, client, signIn, tries - 1)
}

async function signInOnce(deps: Deps, client: Client, signIn: SignIn): Promise<SignedIn | Overtaken> {
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

const policyOf = ({ config }: Deps, { identity: { configured }, requestSignUp }: SignIn): Policy => ({
  isLinking: config.ACCOUNT_LINKING,
  isStrict: config.REQUIRE_EMAIL_VERIFICATION,
  mayCreate: isOpen(configured.registration, requestSignUp),
})

const isOpen = ({ disableSignUp, disableImplicitSignUp }: Registration, requestSignUp: boolean): boolean =>
  !disableSignUp && (!disableImplicitSignUp || requestSignUp)

interface Known {
  readonly kind: 'known'
  readonly found: FoundIdentity
  readonly account: string
}
interface Linkable {
  readonly kind: 'link'
  readonly found: FoundIdentity
  readonly address: ProvenAddress
  readonly mayLink: MayLink
}
type Existing = Known | Linkable

/** `taken`: somebody has the address, which only its owner may learn. */
type Decision =
  | Existing
  | { readonly kind: 'create' | 'taken' }
  | { readonly kind: 'refused'; readonly failure: 'ACCOUNT_NOT_LINKED' | 'SIGN_UP_DISABLED' }

interface Facts extends Policy {
  readonly found: FoundIdentity | null
  readonly address: ProvenAddress | null
}

/**
 * Provider and id together identify a person; an address alone never does. A proven address leads an unknown identity
 * to its user: the owner has arrived, and whatever others began with the address without proving it ends.
 */
function decide({ found, address, isLinking, isStrict, mayCreate }: Facts): Decision {
  if (!found) return mayCreate ? { kind: 'create' } : { kind: 'refused', failure: 'SIGN_UP_DISABLED' }
  if (found.account !== null) return { kind: 'known', found, account: found.account }
  const mayLink = isLinking && address ? ownsAddressOf(address, found.user) : null
  if (address && mayLink) return { kind: 'link', found, address, mayLink }
  if (!isStrict) return { kind: 'refused', failure: 'ACCOUNT_NOT_LINKED' }
  // The same answer as for an address that nobody has.
  return mayCreate ? { kind: 'taken' } : { kind: 'refused', failure: 'SIGN_UP_DISABLED' }
}

async function signInAs(deps: Deps, client: Client, signIn: SignIn, existing: Existing): Promise<SignedIn | Overtaken> {
  const admission = admit(deps, client, signIn.identity.proofOf(existing.found))
  switch (admission.kind) {
    case 'admitted': {
      const entering = { ...signIn, ...admission }
      return existing.kind === 'known'
        ? enterAsKnown(deps, client, entering, existing)
        : enterByLink(deps, client, entering, existing)
    }
    case 'banned':
      throw new Failure('BANNED_USER')
    case 'unverified':
      return refuseUnverified(deps, client, signIn.identity, existing.found)
  }
}

/** A sign-in that passed the admission check. */
type Entering = SignIn & Pick<Extract<Admission, { kind: 'admitted' }>, 'admitted' | 'issued'>

/**
 * The identity already belongs to the user. Stores what the provider says about it, and about the user where the
 * settings say so.
 */
async function enterAsKnown(
  deps: Deps,
  client: Client,
  entering: Entering,
  { found, account }: Known,
): Promise<SignedIn | Overtaken> {
  const entry = await tellWhenKept(async (act) => {
    const override = overrideOf(deps, [client, act], entering.identity, found)
    const arrival = arrivalOf(deps, [client, act], entering.identity, { found, override })
    const keepsTokens = deps.config.UPDATE_ACCOUNT_ON_SIGN_IN
    const entrance = entranceOf([client, act], entering, found.user.id, account)
    const done = await enterKnown(deps.sql, { ...entrance, keepsTokens, override, arrival })
    if (override?.move && !done?.isMoved) withdraw(override.move.event)
    if (done?.isMoved || (done && arrival && found.unproven.length > 0)) deps.outbox.nudge()
    return done
  }, isFound)
  if (!entry) return { kind: 'overtaken', failure: 'SESSION_NOT_CREATED' }
  return signedIn(deps, entering, found.user, entry.ended)
}

/** The identity is new and its proven address is the user's. Links it, and ends what others began with the address. */
async function enterByLink(
  deps: Deps,
  client: Client,
  entering: Entering,
  { found, address, mayLink }: Linkable,
): Promise<SignedIn | Overtaken> {
  const { configured, key } = entering.identity
  const { id, email } = found.user
  const enter = (act: Act) =>
    enterLinked(deps.sql, {
      mayLink,
      linkEvent: client.event(act, 'account-linked', { userId: id, provider: key.providerId }),
      notice: linkNotice(deps, email, configured),
      arrival: ownerArrival(deps, [client, act], address, found),
      ...entranceOf([client, act], entering, id, uuid()),
    })
  const entry = await tellWhenKept(enter, isFound)
  if (!entry) return { kind: 'overtaken', failure: 'ACCOUNT_LINK_FAILED' }
  deps.outbox.nudge()
  return signedIn(deps, entering, found.user, entry.ended)
}

const entranceOf = (
  [client, act]: Acting,
  { identity, admitted, claim }: Entering,
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

function signedIn(deps: Deps, { issued }: Entering, user: User, ended: readonly string[]): SignedIn {
  deps.revocations.add(ended)
  return { kind: 'signed-in', user, issued, isNew: false }
}

/** Creates a user, who may sign in when the address needs no verification or the provider proves it. */
async function signUpWith(deps: Deps, client: Client, { identity, claim }: SignIn): Promise<SignedIn | Overtaken> {
  const { key, address, verification } = identity
  const { user, proof } = identity.newUser()
  const admission = admit(deps, client, proof)
  const tokens = verification.tokensOf(uuid())
  const made = {
    user,
    provenAddress: address,
    roles: [deps.config.DEFAULT_ROLE],
    key,
    tokens,
    admitted: admission.kind === 'admitted' ? admission.admitted : null,
    claim,
    use: verification.use,
    link: address ? null : welcomeLink(deps, client, user.email),
  }
  const create = (act: Act) =>
    createProviderUser(deps.sql, { ...made, event: client.event(act, 'sign-up-done', { userId: user.id }) })
  const created = await tellWhenKept(create, isFound)
  if (!created) return { kind: 'overtaken', failure: 'USER_NOT_CREATED' }
  deps.revocations.add(created.ended)
  logWithheld(deps, 'verify-email', created.withheldBy)
  deps.outbox.nudge()
  if (admission.kind !== 'admitted') return holdBack(client, tokens.id)
  return { kind: 'signed-in', user: created.user, issued: admission.issued, isNew: true }
}

const welcomeLink = (deps: Deps, client: Client, email: string) =>
  deps.config.VERIFICATION_EMAIL && deps.config.SEND_VERIFICATION_ON_SIGN_UP
    ? verificationLink(deps, signUpMailLimits(deps, client, email), email)
    : null
