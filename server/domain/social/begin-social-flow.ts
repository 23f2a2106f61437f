import * as z from 'zod'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { linkSocial as Call, signInSocial as SignInSocialCall } from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import { inputProblem } from '../../../shared/input-problem.ts'
import { providerIds } from '../../../shared/providers.ts'
import { newId } from '../../crypto/id.ts'
import { digestTextOf, randomText } from '../../crypto/token.ts'
import type { Limits } from '../../db/limits.ts'
import { isAlreadyUsedError, storeState } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import { serviceBaseOf } from '../../mail/links.ts'
import { type ConfiguredProvider, ProviderError } from '../../providers/provider.ts'
import type { Caller, Client, IssuedSession } from '../../request/client.ts'
import { linkLimits, passwordCallLimits, refuseBeyondLimit } from '../limits.ts'
import { linkIdentity } from './link-identity.ts'
import { RedirectRefusal } from './redirect-refusal.ts'
import { sealTokens } from './seal-tokens.ts'
import { signInWithIdentity } from './sign-in-with-identity.ts'
import { verifyIdToken, verifyUnusedIdToken } from './verify-identity.ts'

/** The provider named by a call. An unknown name is invalid input; a provider that is not configured is not found. */
export function getProvider({ providers }: Deps, id: string): ConfiguredProvider {
  const found = providers.find(id)
  if (found) return found
  if ((providerIds as readonly string[]).includes(id)) throw new Failure('PROVIDER_NOT_FOUND')
  throw new Failure('INVALID_BODY', { details: [inputProblem(['provider'], 'the id of a provider')] })
}

/** Where a provider sends the browser back to. Allowed from the settings, never from a request. */
export const redirectUriOf = ({ config }: Deps, provider: string): string =>
  `${serviceBaseOf(config)}/callback/${provider}`

export interface SocialFlowRequest {
  readonly purpose: FlowPurpose
  readonly callbackURL?: string | undefined
  readonly errorCallbackURL?: string | undefined
  readonly newUserCallbackURL?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly loginHint?: string | undefined
  /** Counted in the same statement. */
  readonly limits: Limits
}

/**
 * Counts and stores the request in one statement. Returns where to send the browser, and the state that it brings back.
 */
export async function beginSocialFlow(
  deps: Deps,
  configured: ConfiguredProvider,
  wanted: SocialFlowRequest,
): Promise<{ url: string; state: string }> {
  const { provider, registration } = configured
  const [state, verifier, nonce] = [randomText(32), randomText(128), randomText(32)]
  const scopes = [...(wanted.scopes ?? [])]
  const redirectUri = redirectUriOf(deps, provider.id)
  const beginning = { state, verifier, nonce, scopes, redirectUri, loginHint: wanted.loginHint || undefined }
  const url = await deps.providers.begin(configured, beginning).catch(throwUnavailable)
  const begun: SocialFlow = {
    provider: provider.id,
    verifier,
    nonce,
    scopes: [...(registration.scopes ?? provider.scopes), ...scopes],
    callbackURL: wanted.callbackURL || deps.config.BASE_URL.origin,
    errorCallbackURL: wanted.errorCallbackURL || undefined,
    newUserCallbackURL: wanted.newUserCallbackURL || undefined,
    purpose: wanted.purpose,
  }
  const identifier = stateIdentifier(state)
  const userId = wanted.purpose.kind === 'link' ? wanted.purpose.userId : null
  const row = { id: newId(), identifier, value: sealFlow(deps, identifier, begun), userId, seconds: stateLifetime }
  const { refusedFor } = await storeState(deps.sql, row, wanted.limits)
  refuseBeyondLimit(refusedFor)
  return { url, state }
}

/** A provider whose discovery document cannot be read is reported as an outage. */
function throwUnavailable(error: unknown): never {
  throw error instanceof ProviderError ? new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfter: 5 }) : error
}

/** The purpose of a sign-in at a provider, stored with the state so that it cannot change on the way. */
const FlowPurpose = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sign-in'), requestSignUp: z.boolean() }),
  z.object({ kind: z.literal('link'), userId: z.string(), sessionId: z.string() }),
  // To approve another machine's sign-in: the digest of the browser's binding, as base64url.
  z.object({ kind: z.literal('device'), claim: z.string() }),
  // To link for a session elsewhere: the digest of the browser's binding, as base64url.
  z.object({ kind: z.literal('device-link'), claim: z.string() }),
])
type FlowPurpose = z.output<typeof FlowPurpose>

/** What is stored when a flow begins, and needed to finish it. */
const SocialFlow = z.object({
  provider: z.string(),
  verifier: z.string(),
  nonce: z.string(),
  /** The scopes asked for. They count as granted when the provider names none (RFC 6749 5.1). */
  scopes: z.array(z.string()),
  callbackURL: z.string().optional(),
  errorCallbackURL: z.string().optional(),
  newUserCallbackURL: z.string().optional(),
  purpose: FlowPurpose,
})
export type SocialFlow = z.output<typeof SocialFlow>

/** Seconds. */
const stateLifetime = 600

export const stateIdentifier = (state: string): string => `social:${digestTextOf(state)}`

/** Encrypted for this state: the verifier is a secret, and a modified row does not decrypt. */
export const sealFlow = ({ keys }: Deps, identifier: string, begun: SocialFlow): string =>
  keys.state.seal(JSON.stringify(begun), identifier).toString('base64url')

/** Null for a value that we did not encrypt. */
export function openFlow({ keys }: Deps, identifier: string, value: string): SocialFlow | null {
  try {
    return SocialFlow.parse(JSON.parse(keys.state.open(Buffer.from(value, 'base64url'), identifier)))
  } catch {
    return null
  }
}

type SocialSignInInput = Input<typeof SignInSocialCall>

/** `state`: to be bound to the browser. `issued`: the session, when an id token signed in at once. */
interface SignedIn {
  readonly answer: Output<typeof SignInSocialCall>
  readonly state: string | null
  readonly issued: IssuedSession | null
}

/**
 * Begins a sign-in at a provider, or signs in at once by an id token that the provider's own software gave the
 * application.
 */
export async function signInSocial(deps: Deps, client: Client, input: SocialSignInInput): Promise<SignedIn> {
  const configured = getProvider(deps, input.provider)
  if (input.idToken) return signInWithToken(deps, client, configured, { ...input, idToken: input.idToken })
  const { url, state } = await beginSocialFlow(deps, configured, {
    ...input,
    purpose: { kind: 'sign-in', requestSignUp: input.requestSignUp ?? false },
    limits: passwordCallLimits(deps, 'sign-in-social', client),
  })
  return { answer: { url, redirect: !input.disableRedirect }, state, issued: null }
}

const refusals = {
  isInvalid: 'ID_TOKEN_INVALID',
  hasNoEmail: 'USER_EMAIL_NOT_FOUND',
  isNobody: 'USER_INFO_NOT_READ',
} as const

type GivenIdToken = NonNullable<SocialSignInInput['idToken']>

/** The identity comes from the verified token alone. Other tokens in the body are only stored. */
function idTokenInput(
  deps: Deps,
  { provider }: ConfiguredProvider,
  { token, nonce, accessToken, refreshToken }: GivenIdToken,
) {
  if (!provider.idToken?.isForSignIn) throw new Failure('ID_TOKEN_NOT_SUPPORTED')
  const tokensOf = (id: string) => sealTokens(deps, id, { accessToken, refreshToken, idToken: token })
  return { token, nonce: nonce || null, tokensOf, refusals }
}

async function signInWithToken(
  deps: Deps,
  client: Client,
  configured: ConfiguredProvider,
  { idToken, requestSignUp = false }: SocialSignInInput & { readonly idToken: GivenIdToken },
): Promise<SignedIn> {
  const limits = passwordCallLimits(deps, 'sign-in-social', client)
  const given = { ...idTokenInput(deps, configured, idToken), limits }
  const identity = await verifyIdToken(deps, client, configured, given)
  const { user, issued } = await signInWithIdentity(deps, client, { identity, requestSignUp, claim: null })
  return { answer: { redirect: false, token: issued.token, user }, state: null, issued }
}

/**
 * Begins to link an account. The callback links only while this session is alive and sent with the request. An id token
 * links at once.
 */
export async function linkSocial(
  deps: Deps,
  client: Client,
  caller: Caller,
  input: Input<typeof Call>,
): Promise<{ answer: Output<typeof Call>; state: string | null }> {
  const { user, session } = caller
  const configured = getProvider(deps, input.provider)
  if (input.idToken) return linkWithToken(deps, client, caller, [configured, input.idToken])
  const purpose = { kind: 'link', userId: user.id, sessionId: session.id } as const
  const { url, state } = await beginSocialFlow(deps, configured, {
    ...input,
    purpose,
    limits: linkLimits(deps, client, user.id),
  })
  return { answer: { url, redirect: !input.disableRedirect }, state }
}

/** The rules are those of a link at the provider. */
async function linkWithToken(
  deps: Deps,
  client: Client,
  caller: Caller,
  [configured, idToken]: readonly [ConfiguredProvider, GivenIdToken],
): Promise<{ answer: Output<typeof Call>; state: null }> {
  const given = { ...idTokenInput(deps, configured, idToken), limits: linkLimits(deps, client, caller.user.id) }
  const identity = await verifyUnusedIdToken(deps, client, configured, given)
  await linkIdentity(deps, client, caller, identity).catch(refuseLink)
  return { answer: { url: '', redirect: false, status: true }, state: null }
}

/** A refused link in JSON instead of a redirect. */
function refuseLink(error: unknown): never {
  // Of two concurrent uses of one token one links; the other did nothing.
  if (isAlreadyUsedError(error)) throw new Failure('ID_TOKEN_INVALID', { cause: error })
  if (!(error instanceof RedirectRefusal)) throw error
  const isTaken = error.code === 'account_already_linked_to_different_user'
  throw new Failure(isTaken ? 'ACCOUNT_LINKED_ELSEWHERE' : 'ACCOUNT_LINK_FAILED', { cause: error })
}
