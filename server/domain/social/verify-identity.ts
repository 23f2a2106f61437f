import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { newId } from '../../crypto/id.ts'
import { digestTextOf } from '../../crypto/token.ts'
import type { IdentityKey, SealedTokens } from '../../db/accounts.ts'
import type { FoundIdentity } from '../../db/identities.ts'
import type { Limits } from '../../db/limits.ts'
import { countUseOfSecret, recordSingleUse, type SingleUse } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import { subscriberOf } from '../../limits/ip-address.ts'
import { type Identity, identityOf } from '../../providers/identity.ts'
import { type ConfiguredProvider, type Profile, ProviderError } from '../../providers/provider.ts'
import type { CodeRedemption } from '../../providers/token-request.ts'
import { type ProofHolder, SessionProof } from '../../request/admission.ts'
import type { Client } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { recordRefusal } from '../audit/record.ts'
import { invalidHookAnswer, runBeforeHook } from '../hooks.ts'
import { refuseBeyondLimit } from '../limits.ts'
import { callbackFieldsToStore, sealReply } from './seal-tokens.ts'

/** A token that signs in once, and the failure for one that was used before. */
interface TokenUse extends SingleUse {
  readonly refusal: FailureName
}

type AddressedIdentity = Identity & { readonly email: string }

/** How an identity was verified. */
interface Verification {
  /** Whether the provider itself redirected back. Only then may its profile replace ours, if the settings say so. */
  readonly isLedBack: boolean
  /** The token that proved the identity, used up by the sign-in. Null when no reusable token proved it. */
  readonly use: TokenUse | null
  /** The tokens to store, encrypted for the row of that id. */
  readonly tokensOf: (id: string) => SealedTokens
}

/** An identity with an address that its provider vouched for. Only the functions of this file create one. */
class VerifiedIdentity {
  /** Makes the class nominal, so that a look-alike object is not assignable. */
  protected readonly isVerified = true
  readonly configured: ConfiguredProvider
  readonly identity: AddressedIdentity
  readonly verification: Verification
  /** The address, when the provider's word proves the mailbox. */
  readonly address: ProvenAddress | null

  constructor(
    { config }: Deps,
    configured: ConfiguredProvider,
    identity: AddressedIdentity,
    verification: Verification,
  ) {
    this.configured = configured
    this.identity = identity
    this.verification = verification
    this.address = ProvenAddress.statedByProvider(config.TRUSTED_PROVIDERS, configured.provider.id, identity)
  }

  get key(): IdentityKey {
    return { providerId: this.configured.provider.id, accountId: this.identity.id }
  }

  /**
   * The proof that signs in as this user, by their linked account or by the address that the identity proves. Valid for
   * no other user.
   */
  proofOf({ key, account, user, isBanned }: FoundIdentity): SessionProof {
    const provesAddress = this.address?.email === user.email
    const isOwn = key.providerId === this.key.providerId && key.accountId === this.key.accountId
    if (!isOwn || (account === null && !provesAddress)) throw new Error('An identity proves no other user than its own')
    return new IdentityProof({ ...user, isBanned }, provesAddress)
  }

  /** The data for a new user from this identity, with the proof that signs them in. */
  newUser() {
    const { email, name, image } = this.identity
    const user = { id: newId(), email, name: name || email, image }
    const proof = new IdentityProof({ id: user.id, isBanned: false, emailVerified: false }, this.address !== null)
    return { user, proof }
  }
}

export type { VerifiedIdentity }

class IdentityProof extends SessionProof {
  constructor({ id, isBanned, emailVerified }: ProofHolder, provesAddress: boolean) {
    super('identity', { id, isBanned, emailVerified }, provesAddress)
  }
}

/** The identity behind a provider's code. Null when it has no address. Holds no database connection meanwhile. */
export async function verifyCode(
  deps: Deps,
  client: Client,
  configured: ConfiguredProvider,
  { redemption, scopes }: { readonly redemption: CodeRedemption; readonly scopes: readonly string[] },
): Promise<VerifiedIdentity | null> {
  const grant = await deps.providers.redeem(configured, redemption, subscriberOf(client.address))
  const identity = await mapProfile(deps, configured, grant.identity)
  const { email } = identity
  if (email === null) return null
  const tokensOf = (id: string) => ({
    ...sealReply(deps, id, grant.tokens, scopes),
    callbackFields: callbackFieldsToStore(configured.provider, redemption.callback),
  })
  return new VerifiedIdentity(deps, configured, { ...identity, email }, { isLedBack: true, use: null, tokensOf })
}

/** How a call names each refusal. */
interface RefusalNames {
  readonly isInvalid: FailureName
  readonly hasNoEmail: FailureName
  readonly isNobody: FailureName
}

interface IdTokenInput {
  readonly token: string
  readonly nonce: string | null
  readonly limits: Limits
  readonly tokensOf: (id: string) => SealedTokens
  readonly refusals: RefusalNames
}

/**
 * The identity of an id token. A token signs in once, so finding it later is useless. The statement that signs in
 * consumes it; when that fails, the token remains usable.
 */
export async function verifyIdToken(
  deps: Deps,
  client: Client,
  configured: ConfiguredProvider,
  given: IdTokenInput,
): Promise<VerifiedIdentity> {
  try {
    return await verifyUnusedIdToken(deps, client, configured, given)
  } catch (error) {
    if (error instanceof Failure && error.failure !== 'TOO_MANY_REQUESTS' && error.failure !== 'SERVICE_UNAVAILABLE')
      await recordRefusal(deps, client, 'sign-in-failed', { userId: null, reason: error.failure })
    throw error
  }
}

/** The same for a token that signs nobody in: a refusal does not count as a failed sign-in. */
export async function verifyUnusedIdToken(
  deps: Deps,
  client: Client,
  configured: ConfiguredProvider,
  given: IdTokenInput,
): Promise<VerifiedIdentity> {
  const { refusedFor, isUsed } = await countUseOfSecret(deps.sql, identifierOf(given.token), given.limits)
  refuseBeyondLimit(refusedFor)
  if (isUsed) throw new Failure(given.refusals.isInvalid)
  return readIdToken(deps, client, configured, given)
}

async function readIdToken(
  deps: Deps,
  client: Client,
  configured: ConfiguredProvider,
  { refusals, token, nonce, tokensOf }: IdTokenInput,
): Promise<VerifiedIdentity> {
  if (!isPlain(token)) throw new Failure(refusals.isInvalid)
  const sender = subscriberOf(client.address)
  const stated = await deps.providers.identify(configured, { token, nonce }, sender).catch(throwNamedRefusal(refusals))
  const identity = await mapProfile(deps, configured, stated)
  const { email } = identity
  if (email === null) throw new Failure(refusals.hasNoEmail)
  const use = { ...singleUseOf(configured, token), refusal: refusals.isInvalid }
  return new VerifiedIdentity(deps, configured, { ...identity, email }, { isLedBack: false, use, tokensOf })
}

const throwNamedRefusal =
  ({ isInvalid, isNobody }: RefusalNames) =>
  (error: unknown): never => {
    if (!(error instanceof ProviderError)) throw error
    if (error.step === 'discovery') throw new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfter: 5 })
    throw new Failure(error.step === 'profile' ? isNobody : isInvalid, { cause: error })
  }

/**
 * The use of an id token that we hand out, which has to be recorded. Otherwise the holder of an old session could turn
 * it into a fresh one that outlives the first. Null for a token that signs nobody in.
 */
export const useOfToken = (configured: ConfiguredProvider, token: string | null): SingleUse | null =>
  token !== null && configured.provider.idToken?.isForSignIn ? singleUseOf(configured, token) : null

/** Records the uses of the tokens that we hand out. An access token counts where it signs in like an id token. */
export async function markTokensUsed(
  { sql }: Deps,
  configured: ConfiguredProvider,
  { idToken, accessToken }: { readonly idToken: string | null; readonly accessToken: string },
): Promise<void> {
  const tokens = configured.provider.profileOfForeign ? [idToken, accessToken] : [idToken]
  for (const token of tokens) {
    const use = useOfToken(configured, token)
    if (use) await recordSingleUse(sql, use)
  }
}

const singleUseOf = ({ provider }: ConfiguredProvider, token: string): SingleUse => ({
  id: newId(),
  identifier: identifierOf(token),
  seconds: provider.profileOfForeign ? usedAccessTokenLifetime : usedTokenLifetime,
})

/** Seconds that a used token is remembered: longer than any id token is accepted, clock tolerance included. */
const usedTokenLifetime = 2 * 3600
/** For access tokens in place of id tokens, which live for weeks (Facebook: 60 days). */
const usedAccessTokenLifetime = 70 * 86_400

/** Hashes only the signed part, because one signature has several valid encodings (padding, unused bits). */
const identifierOf = (token: string): string => {
  const parts = token.split('.')
  return `id-token:${digestTextOf(parts.length === 3 ? parts.slice(0, 2).join('.') : token)}`
}

/** An extra space makes a different text of an access token that a provider may accept as the same (RFC 6750, 2.1). */
const isPlain = (token: string): boolean => /^[\w.~+/=-]+$/.test(token)

/**
 * Applies the application's own mapping of a profile, checked as if the provider had said it. The id stays, because it
 * alone identifies the person. A changed address is verified only if the function says so: the provider vouched for the
 * old one.
 */
async function mapProfile({ config }: Deps, { provider }: ConfiguredProvider, identity: Identity): Promise<Identity> {
  const map = config.extensions.mapProfile
  const answer = (await runBeforeHook(map, identity, provider.id)) ?? {}
  if (typeof answer !== 'object') throw invalidHookAnswer('mapProfile', 'an object, or nothing')
  const { email, emailVerified, name, image } = answer as Omit<Profile, 'id'>
  const mapped = identityOf({
    id: identity.id,
    email: email ?? identity.email,
    emailVerified: emailVerified ?? identity.emailVerified,
    name: name ?? identity.name,
    image: image ?? identity.image,
    isImageUnread: identity.isImageUnread && image === undefined,
  })
  const isOther = mapped.email !== identity.email
  return isOther && emailVerified !== true ? { ...mapped, emailVerified: false } : mapped
}
