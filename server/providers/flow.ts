import type * as oauth from 'oauth4webapi'
import { askWith } from './ask.ts'
import { type IdTokenCheck, type KeySets, verifyIdToken } from './id-token.ts'
import { type Identity, identityOf } from './identity.ts'
import type { CallOut } from './outbound.ts'
import {
  type CallbackFields,
  type ConfiguredProvider,
  type Endpoints,
  givesIdToken,
  type Json,
  type Kept,
  type ProfileSource,
  type Provider,
  ProviderError,
  type Registration,
} from './provider.ts'
import { type NormalReply, normalise, type Tokens, tokensOf } from './token-reply.ts'

/** What runs a flow: the way out, the keys, the endpoints of a provider. */
export interface Means {
  readonly callOut: CallOut
  readonly keys: KeySets
  readonly endpointsOf: (configured: ConfiguredProvider) => Promise<Endpoints>
  /** Milliseconds for all that one sign-in asks for. */
  readonly time: number
}

/** The provider's redirect, and what we kept of the beginning. */
export interface Redemption {
  readonly code: string
  /** As the callback carried it, and as it was found. */
  readonly state: string
  /** The issuer that the callback names (RFC 9207), if it does. */
  readonly iss: string | undefined
  readonly callback: CallbackFields
  readonly redirectUri: string
  readonly verifier: string
  readonly nonce: string
}

export interface Grant {
  readonly tokens: Tokens
  readonly identity: Identity
}

/** The code for tokens, and these for who it is. Throws a ProviderError that names the step. */
export async function redeem(means: Means, configured: ConfiguredProvider, redemption: Redemption): Promise<Grant> {
  const signal = AbortSignal.timeout(means.time)
  const endpoints = await inTime(signal, means.endpointsOf(configured))
  const request = (library: typeof oauth) => codeRequest(library, configured, endpoints, redemption)
  const { tokens, reply } = await tokenCall({ means, configured, endpoints, signal }, request)
  const check = { token: tokens.idToken, nonce: redemption.nonce }
  const claims = await inTime(signal, claimsOf(means, configured, endpoints, check))
  const found = await profileOf(
    { means, configured, endpoints, signal },
    { accessToken: tokens.accessToken, reply, claims, callback: redemption.callback },
  )
  return { tokens: givesIdToken(configured.provider) ? tokens : { ...tokens, idToken: null }, identity: found }
}

/** New tokens for a refresh token; `kept`: what was stored with it. */
export async function refresh(
  means: Means,
  configured: ConfiguredProvider,
  refreshToken: string,
  kept: Kept,
): Promise<Tokens> {
  const { provider, registration } = configured
  const signal = AbortSignal.timeout(means.time)
  const endpoints = await inTime(signal, means.endpointsOf(configured))
  const parameters = provider.refresh ? provider.refresh.parameters?.(kept, registration) : {}
  const { tokens } = await tokenCall({ means, configured, endpoints, signal }, (library) => ({
    send: (as, client, authenticate, options) =>
      library.refreshTokenGrantRequest(as, client, authenticate, refreshToken, {
        ...options,
        additionalParameters: defined(parameters),
      }),
    read: (as, client, response) => library.processRefreshTokenResponse(as, client, response),
  }))
  return givesIdToken(provider) ? tokens : { ...tokens, idToken: null }
}

/** Who an id token alone says it is; or an access token, where the provider's own software hands out these. */
export async function identifyByToken(
  means: Means,
  configured: ConfiguredProvider,
  check: IdTokenCheck,
): Promise<Identity> {
  const { idToken: rules, profileOfForeign } = configured.provider
  if (profileOfForeign && !isSigned(check.token)) return identifyByAccessToken(means, configured, check)
  if (!rules) throw new ProviderError('id-token', 'The provider has no id tokens')
  const signal = AbortSignal.timeout(means.time)
  const endpoints = await inTime(signal, means.endpointsOf(configured))
  return identityOf(rules.profile(await inTime(signal, claimsBy(means, configured, endpoints, check)), {}))
}

const isSigned = (token: string): boolean => token.split('.').length === 3

/** An access token answers to no nonce, and whoever asks for one means to be sure of it. */
async function identifyByAccessToken(
  means: Means,
  configured: ConfiguredProvider,
  { token: accessToken, nonce }: IdTokenCheck,
): Promise<Identity> {
  if (nonce !== null) throw new ProviderError('id-token', 'An access token holds no nonce')
  const signal = AbortSignal.timeout(means.time)
  const step = { means, configured, endpoints: await inTime(signal, means.endpointsOf(configured)), signal }
  const { profileOfForeign } = configured.provider
  return profileOf(step, { accessToken, reply: {}, claims: null, callback: {} }, profileOfForeign)
}

/** For what several sign-ins wait for: who runs out of time leaves, and the look-up goes on for the others. */
const inTime = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = () => reject(new ProviderError('discovery', signal.reason))
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })

interface Step {
  readonly means: Means
  readonly configured: ConfiguredProvider
  readonly endpoints: Endpoints
  readonly signal: AbortSignal
}

interface TokenRequest {
  readonly send: (
    as: oauth.AuthorizationServer,
    client: oauth.Client,
    authenticate: oauth.ClientAuth,
    options: oauth.TokenEndpointRequestOptions,
  ) => Promise<Response>
  readonly read: (
    as: oauth.AuthorizationServer,
    client: oauth.Client,
    response: Response,
  ) => Promise<oauth.TokenEndpointResponse>
}

const codeRequest = (
  library: typeof oauth,
  { provider }: ConfiguredProvider,
  endpoints: Endpoints,
  { code, state, iss, callback, redirectUri, verifier }: Redemption,
): TokenRequest => ({
  send: (as, client, authenticate, options) => {
    const given = new URLSearchParams({ code, state, ...(iss === undefined ? {} : { iss }) })
    const issuer = iss !== undefined && provider.isIssuer?.(iss, endpoints) ? iss : endpoints.issuer
    const parameters = library.validateAuthResponse({ issuer }, client, given, state)
    return library.authorizationCodeGrantRequest(
      as,
      client,
      authenticate,
      parameters,
      redirectUri,
      provider.pkce === 'S256' ? verifier : library.nopkce,
      { ...options, additionalParameters: defined(provider.tokenParameters?.(callback, state)) },
    )
  },
  read: (as, client, response) => library.processAuthorizationCodeResponse(as, client, response),
})

/** Sends a token request, and reads its reply in the shape of the standard. */
async function tokenCall(
  { means, configured, endpoints, signal }: Step,
  requestOf: (library: typeof oauth) => TokenRequest,
): Promise<{ tokens: Tokens; reply: Json }> {
  const { provider, registration } = configured
  try {
    const library = await import('oauth4webapi')
    const { send, read } = requestOf(library)
    const as = { issuer: endpoints.issuer, token_endpoint: endpoints.token }
    const client = { client_id: registration.clientId }
    let normal: NormalReply | undefined
    const response = await send(as, client, authenticator(configured), {
      headers: headersOf(provider, registration),
      // The settings allow http to loopback alone.
      [library.allowInsecureRequests]: true,
      [library.customFetch]: async (address, { method, headers, body }) => {
        const raw = await means.callOut(address, { method, headers, body, signal })
        normal = normalise(provider, new URLSearchParams(String(body)), { status: raw.status, text: await raw.text() })
        return new Response(JSON.stringify(normal.body), { status: normal.status, headers: json })
      },
    })
    const sound = await read(as, client, response)
    if (!normal) throw new Error('Nothing was asked')
    return { tokens: tokensOf(sound, normal), reply: normal.body }
  } catch (error) {
    throw new ProviderError('token', error)
  }
}

const json = { 'content-type': 'application/json' }

const authenticator =
  ({ provider, registration }: ConfiguredProvider): oauth.ClientAuth =>
  (_as, _client, body, headers) =>
    provider.authentication(registration, body, headers)

const headersOf = (provider: Provider, registration: Registration): Record<string, string> => ({
  'user-agent': 'postern',
  ...provider.headers?.(registration),
})

/** Null where the provider has no id tokens; where it has, there has to be one. */
async function claimsOf(
  means: Means,
  configured: ConfiguredProvider,
  endpoints: Endpoints,
  { token, nonce }: { readonly token: string | null; readonly nonce: string },
): Promise<Json | null> {
  const { provider } = configured
  if (!givesIdToken(provider) || (token === null && provider.profile)) return null
  if (token === null) throw new ProviderError('id-token', 'The reply holds no id token')
  return claimsBy(means, configured, endpoints, { token, nonce })
}

async function claimsBy(
  means: Means,
  configured: ConfiguredProvider,
  endpoints: Endpoints,
  check: IdTokenCheck,
): Promise<Json> {
  const { idToken: rules } = configured.provider
  try {
    if (!rules) throw new Error('The provider has no id tokens')
    return await verifyIdToken(configured, rules, endpoints, { ...check, keys: means.keys })
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError('id-token', error)
  }
}

type Known = Pick<ProfileSource, 'accessToken' | 'reply' | 'claims' | 'callback'>

async function profileOf(
  { means, configured, endpoints, signal }: Step,
  known: Known,
  find = configured.provider.profile,
): Promise<Identity> {
  const { provider, registration } = configured
  const headers = headersOf(provider, registration)
  const ask = askWith(means.callOut, { accessToken: known.accessToken, headers, signal })
  const { claims, callback } = known
  try {
    const profile = find
      ? await find({ registration, endpoints, ask, ...known })
      : claims && (provider.idToken?.profile(claims, callback) ?? null)
    if (!profile) throw new Error('Nobody whom we let in')
    return identityOf(profile)
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError('profile', error)
  }
}

const defined = (given: Readonly<Record<string, string | undefined>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
