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
export function authorizationUrl(configured: ConfiguredProvider, endpoints: Endpoints, beginning: Beginning): string {
  const { provider, registration } = configured
  const url = new URL(endpoints.authorization)
  const parameters = {
    ...provider.parameters?.(registration, beginning),
    response_type: 'code',
    [provider.clientIdParameter ?? 'client_id']: registration.clientId,
    redirect_uri: beginning.redirectUri,
    state: beginning.state,
    scope: scopeOf(configured, beginning.scopes),
    ...proofsOf(provider, beginning),
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  // A form encodes a blank as `+`, which some providers read as a plus.
  url.search = url.search.replaceAll('+', '%20')
  return url.href
}

function scopeOf({ provider, registration }: ConfiguredProvider, wanted: readonly string[]): string | undefined {
  const own = registration.scopes ?? provider.scopes
  return own.length === 0 ? undefined : [...new Set([...own, ...wanted])].join(provider.scopeSeparator ?? ' ')
}

/** What the provider has to give back, or can only be answered by who began. */
const proofsOf = (provider: Provider, { verifier, nonce }: Beginning) => ({
  ...(givesIdToken(provider) && provider.idToken?.nonce !== 'none' ? { nonce } : {}),
  ...(provider.pkce === 'S256' ? { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' } : {}),
})

const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url')
