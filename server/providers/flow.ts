import type * as oauth from 'oauth4webapi'
import type { IdTokenCheck } from './id-token.ts'
import { type Identity, identityOf } from './identity.ts'
import { claimsBy, claimsOf, profileOf } from './profile.ts'
import { type ConfiguredProvider, givesIdToken, type Kept, ProviderError } from './provider.ts'
import { inTime, type Means } from './step.ts'
import type { Tokens } from './token-reply.ts'
import { codeRequest, defined, type Redemption, tokenCall } from './token-request.ts'

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
