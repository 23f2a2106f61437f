import type * as oauth from 'oauth4webapi'
import { type IdTokenCheck, issuersOf, verifyIdToken } from './id-token.ts'
import { type Identity, identityOf } from './identity.ts'
import type { OutboundCall } from './outbound.ts'
import {
  AnswerError,
  type ConfiguredProvider,
  coerceObject,
  type Endpoints,
  givesIdToken,
  type Json,
  type KeptFields,
  type ProfileRequest,
  type ProfileSource,
  ProviderError,
} from './provider.ts'
import { headersOf, type ProviderContext, type Step, untilAborted } from './step.ts'
import type { Tokens } from './token-reply.ts'
import { type CodeRedemption, codeRequest, sendTokenRequest, withoutUndefined } from './token-request.ts'

export interface Grant {
  readonly tokens: Tokens
  readonly identity: Identity
}

/** Exchanges the code for tokens, and the tokens for the identity. Throws a ProviderError that names the step. */
export async function redeem(
  means: ProviderContext,
  configured: ConfiguredProvider,
  redemption: CodeRedemption,
): Promise<Grant> {
  const signal = AbortSignal.timeout(means.time)
  const endpoints = await untilAborted(signal, means.endpointsOf(configured))
  const request = (library: typeof oauth) => codeRequest(library, configured, endpoints, redemption)
  const { tokens, reply } = await sendTokenRequest({ means, configured, endpoints, signal }, request)
  const check = { token: tokens.idToken, nonce: redemption.nonce }
  const claims = await untilAborted(signal, claimsOf(means, configured, endpoints, check))
  const found = await profileOf(
    { means, configured, endpoints, signal },
    { accessToken: tokens.accessToken, reply, claims, callback: redemption.callback },
  )
  return { tokens: givesIdToken(configured.provider) ? tokens : { ...tokens, idToken: null }, identity: found }
}

/** Exchanges a refresh token for new tokens of the same user. `kept`: what was stored with it. */
export async function refresh(
  means: ProviderContext,
  configured: ConfiguredProvider,
  refreshToken: string,
  kept: KeptFields,
): Promise<Tokens> {
  const { provider, registration } = configured
  const signal = AbortSignal.timeout(means.time)
  const endpoints = await untilAborted(signal, means.endpointsOf(configured))
  const parameters = provider.refresh ? provider.refresh.parameters?.(kept, registration) : {}
  const { tokens } = await sendTokenRequest({ means, configured, endpoints, signal }, (library) => ({
    send: (as, client, authenticate, options) =>
      library.refreshTokenGrantRequest(as, client, authenticate, refreshToken, {
        ...options,
        additionalParameters: withoutUndefined(parameters),
      }),
    read: (as, client, response) => library.processRefreshTokenResponse(as, client, response),
  }))
  if (!givesIdToken(provider)) return { ...tokens, idToken: null }
  await refuseOtherUser(configured, endpoints, tokens.idToken, kept.accountId)
  return tokens
}

/**
 * A refreshed id token has to name the user and an issuer of the sign-in (OpenID Connect Core 12.2). It came from the
 * provider itself, so its signature is not verified. An opaque one names nobody.
 */
async function refuseOtherUser(
  { provider: { idToken: rules }, registration }: ConfiguredProvider,
  endpoints: Endpoints,
  idToken: string | null,
  accountId: string,
): Promise<void> {
  const claims = await claimsIn(idToken)
  if (!claims || !rules) return
  const isSame =
    identityOf(rules.profile(claims, {})).id === accountId &&
    issuersOf(rules, endpoints, claims, registration).some((issuer) => issuer === claims.iss)
  if (!isSame) throw new ProviderError('id-token', 'The refreshed id token is of another user or issuer')
}

/** The identity of an id token alone, or of an access token where the provider's own software hands those out. */
export async function identifyByToken(
  means: ProviderContext,
  configured: ConfiguredProvider,
  check: IdTokenCheck,
): Promise<Identity> {
  const { idToken: rules, profileOfForeign } = configured.provider
  if (profileOfForeign && !isSigned(check.token)) return identifyByAccessToken(means, configured, check)
  if (!rules) throw new ProviderError('id-token', 'The provider issues no id tokens')
  const signal = AbortSignal.timeout(means.time)
  const endpoints = await untilAborted(signal, means.endpointsOf(configured))
  return identityOf(rules.profile(await untilAborted(signal, verifyClaims(means, configured, endpoints, check)), {}))
}

/** Stored tokens of an account. Nothing proves that they are still its user's, so the caller compares the identity's id. */
export interface StoredAccess {
  readonly accessToken: string
  readonly idToken: string | null
}

export interface ToldProfile {
  readonly identity: Identity
  /** The provider's first answer that is an object, or the claims of the id token where it has no other. */
  readonly data: Json
}

/** Asks the provider who the user of an access token is. */
export async function readProfile(
  means: ProviderContext,
  configured: ConfiguredProvider,
  { accessToken, idToken }: StoredAccess,
): Promise<ToldProfile> {
  const signal = AbortSignal.timeout(means.time)
  const step = { means, configured, endpoints: await untilAborted(signal, means.endpointsOf(configured)), signal }
  const claims = await claimsIn(idToken)
  const answers: unknown[] = []
  const identity = await profileOf(
    step,
    { accessToken, reply: {}, claims, callback: {} },
    keepAnswers(configured, answers),
  )
  return { identity, data: coerceObject(answers.find(isFilled) ?? claims) }
}

/** What is stored as an id token may be opaque. */
async function claimsIn(idToken: string | null): Promise<Json | null> {
  if (idToken === null) return null
  const { decodeJwt } = await import('jose')
  try {
    return decodeJwt(idToken)
  } catch {
    return null
  }
}

const isFilled = (answer: unknown): boolean => Object.keys(coerceObject(answer)).length > 0

/** The provider's own function for a profile, with a copy of each answer that it reads. */
const keepAnswers = ({ provider: { profile } }: ConfiguredProvider, answers: unknown[]) =>
  profile &&
  ((source: ProfileSource) => {
    const ask: ProfileSource['ask'] = async (...question) => {
      const answer = await source.ask(...question)
      answers.push(answer)
      return answer
    }
    return profile({ ...source, ask })
  })

const isSigned = (token: string): boolean => token.split('.').length === 3

/** An access token cannot contain a nonce, so a caller that gives one is refused. */
async function identifyByAccessToken(
  means: ProviderContext,
  configured: ConfiguredProvider,
  { token: accessToken, nonce }: IdTokenCheck,
): Promise<Identity> {
  if (nonce !== null) throw new ProviderError('id-token', 'An access token contains no nonce')
  const signal = AbortSignal.timeout(means.time)
  const step = { means, configured, endpoints: await untilAborted(signal, means.endpointsOf(configured)), signal }
  const { profileOfForeign } = configured.provider
  return profileOf(step, { accessToken, reply: {}, claims: null, callback: {} }, profileOfForeign)
}

/** The verified claims. Null when the provider issues no id tokens; otherwise throws without one. */
async function claimsOf(
  means: ProviderContext,
  configured: ConfiguredProvider,
  endpoints: Endpoints,
  { token, nonce }: { readonly token: string | null; readonly nonce: string },
): Promise<Json | null> {
  const { provider } = configured
  if (!givesIdToken(provider) || (token === null && provider.profile)) return null
  if (token === null) throw new ProviderError('id-token', 'The reply contains no id token')
  return verifyClaims(means, configured, endpoints, { token, nonce })
}

async function verifyClaims(
  means: ProviderContext,
  configured: ConfiguredProvider,
  endpoints: Endpoints,
  check: IdTokenCheck,
): Promise<Json> {
  const { idToken: rules } = configured.provider
  try {
    if (!rules) throw new Error('The provider issues no id tokens')
    return await verifyIdToken(configured, rules, endpoints, { ...check, keys: means.keys })
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError('id-token', error)
  }
}

type KnownTokens = Pick<ProfileSource, 'accessToken' | 'reply' | 'claims' | 'callback'>

async function profileOf(
  { means, configured, endpoints, signal }: Step,
  known: KnownTokens,
  find = configured.provider.profile,
): Promise<Identity> {
  const { provider, registration } = configured
  const headers = headersOf(provider, registration)
  const ask = createAsk(means.callOut, { accessToken: known.accessToken, headers, signal })
  const { claims, callback } = known
  try {
    const profile = find
      ? await find({ registration, endpoints, ask, ...known })
      : claims && (provider.idToken?.profile(claims, callback) ?? null)
    if (!profile) throw new Error("The provider's user is not accepted")
    return identityOf(profile)
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError('profile', error)
  }
}

interface AskOptions {
  readonly accessToken: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** How a provider's definition calls its API with an access token. */
const createAsk =
  (callOut: OutboundCall, { accessToken, headers, signal }: AskOptions) =>
  async (
    address: string,
    { method = 'GET', headers: own, body, ...question }: ProfileRequest = {},
  ): Promise<unknown> => {
    const { isBearer = true, isPicture = false } = question
    const authorization = isBearer ? { authorization: `Bearer ${accessToken}` } : {}
    const accept = isPicture ? 'image/*' : 'application/json'
    const sent = { accept, ...headers, ...authorization, ...own }
    const response = await callOut(address, { method, headers: sent, signal, ...(body ? { body } : {}) })
    if (response.status !== 200) throw new AnswerError(meantStatus(response))
    return isPicture ? dataAddress(response) : response.json()
  }

/** GitHub answers 403 to whoever asks too often, and tells it from a missing right by these headers. */
const meantStatus = ({ status, headers }: Response): number =>
  status === 403 && (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0') ? 429 : status

/** Too long pictures and other types are dropped later, like any other unsafe address. */
async function dataAddress(response: Response): Promise<string> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  return `data:${type.trim()};base64,${Buffer.from(await response.arrayBuffer()).toString('base64')}`
}
