import { hash } from 'node:crypto'
import { type ConfiguredProvider, type Endpoints, givesIdToken, type Provider, type Wishes } from './provider.ts'

/** The beginning of one sign-in at a provider. */
export interface Beginning extends Wishes {
  readonly state: string
  readonly redirectUri: string
  readonly verifier: string
  readonly nonce: string
  /** Asked for besides the provider's own. */
  readonly scopes: readonly string[]
}

/** Where the browser is sent. What a record adds stands first, so that it cannot replace what secures the flow. */
export function authorizationUrl(
  { provider, registration }: ConfiguredProvider,
  endpoints: Endpoints,
  beginning: Beginning,
): string {
  const url = new URL(endpoints.authorization)
  const own = registration.scopes ?? provider.scopes
  const scopes = own.length === 0 ? [] : [...new Set([...own, ...beginning.scopes])]
  const parameters = {
    ...provider.parameters?.(registration, beginning),
    response_type: 'code',
    [provider.clientIdParameter ?? 'client_id']: registration.clientId,
    redirect_uri: beginning.redirectUri,
    state: beginning.state,
    scope: scopes.length === 0 ? undefined : scopes.join(provider.scopeSeparator ?? ' '),
    nonce: hasNonce(provider) ? beginning.nonce : undefined,
    ...(provider.pkce === 'S256'
      ? { code_challenge: challengeOf(beginning.verifier), code_challenge_method: 'S256' }
      : {}),
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  // A form encodes a blank as `+`, which some providers read as a plus.
  url.search = url.search.replaceAll('+', '%20')
  return url.href
}

const hasNonce = (provider: Provider): boolean => givesIdToken(provider) && provider.idToken?.nonce !== 'none'

const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url')
