import type * as oauth from 'oauth4webapi'
import { secretInBody } from './authentication.ts'
import { type CallbackFields, type ConfiguredProvider, type Endpoints, type Json, ProviderError } from './provider.ts'
import { headersOf, type Step } from './step.ts'
import { type NormalisedReply, normaliseReply, type Tokens, tokensOf } from './token-reply.ts'

/** The provider's redirect, and what was stored when the flow began. */
export interface CodeRedemption {
  readonly code: string
  /** The state of the callback, which matched the stored one. */
  readonly state: string
  /** The issuer that the callback names (RFC 9207), if any. */
  readonly iss: string | undefined
  readonly callback: CallbackFields
  readonly redirectUri: string
  readonly verifier: string
  readonly nonce: string
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

export const codeRequest = (
  library: typeof oauth,
  { provider }: ConfiguredProvider,
  endpoints: Endpoints,
  { code, state, iss, callback, redirectUri, verifier }: CodeRedemption,
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
      provider.pkce === undefined ? verifier : library.nopkce,
      { ...options, additionalParameters: withoutUndefined(provider.tokenParameters?.(callback, state)) },
    )
  },
  read: (as, client, response) => library.processAuthorizationCodeResponse(as, client, response),
})

/** Sends a token request and reads its normalised reply. */
export async function sendTokenRequest(
  { means, configured, endpoints, signal }: Step,
  requestOf: (library: typeof oauth) => TokenRequest,
): Promise<{ tokens: Tokens; reply: Json }> {
  const { provider, registration } = configured
  try {
    const library = await import('oauth4webapi')
    const { send, read } = requestOf(library)
    const as = { issuer: endpoints.issuer, token_endpoint: endpoints.token }
    const client = { client_id: registration.clientId }
    let normal: NormalisedReply | undefined
    const response = await send(as, client, authenticator(configured), {
      headers: headersOf(provider, registration),
      // The settings allow http for loopback only.
      [library.allowInsecureRequests]: true,
      [library.customFetch]: async (address, { method, headers, body }) => {
        const raw = await means.callOut(address, { method, headers, body, signal })
        normal = normaliseReply(provider, new URLSearchParams(String(body)), {
          status: raw.status,
          text: await raw.text(),
        })
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
  ({ provider: { authentication = secretInBody }, registration }: ConfiguredProvider): oauth.ClientAuth =>
  (_as, _client, body, headers) =>
    authentication(registration, body, headers)

export const withoutUndefined = (given: Readonly<Record<string, string | undefined>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
