import { encodedBasic, secretInBody } from './authentication.ts'
import type { OutboundCall } from './outbound.ts'
import {
  type Authenticate,
  type Endpoints,
  type FetchJson,
  type Json,
  type Profile,
  type ProfileSource,
  type Provider,
  profileOfClaims,
  type Registration,
} from './provider.ts'

/**
 * Any OpenID provider, configured by its issuer: OIDC_<NAME>_ISSUER. Its discovery document (OpenID Connect Discovery)
 * is accepted when it names exactly that issuer. `name`: as in the settings, in capitals.
 */
export const openIdProvider = (name: string): Provider => ({
  id: name.toLowerCase().replaceAll('_', '-'),
  endpoints: discover,
  scopes: ['openid', 'email', 'profile'],
  authentication: (registration, ...request) => (methods.get(registration) ?? secretInBody)(registration, ...request),
  parameters: (_registration, { loginHint }) => ({ login_hint: loginHint }),
  idToken: { algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'], profile: profileOf },
  profile: completeFromUserinfo,
})

const profileOf = (claims: Json): Profile => ({
  ...profileOfClaims(claims),
  name: claims.name ?? claims.preferred_username,
})

/** Many providers return the address only from the userinfo endpoint, whose answer has to be about the same person. */
async function completeFromUserinfo({ ask, endpoints: { userinfo }, claims }: ProfileSource) {
  if (!claims) return null
  if (claims.email !== undefined || userinfo === undefined) return profileOf(claims)
  const asked = Object(await ask(userinfo)) as Json
  return asked.sub === claims.sub ? profileOf({ ...claims, ...asked }) : null
}

/** How each provider expects our secret, according to its discovery document. */
const methods = new WeakMap<Registration, Authenticate>()

async function discover(registration: Registration, look: FetchJson): Promise<Endpoints> {
  const issuer = registration.overrides.issuer ?? ''
  const found = await documentOf(issuer, look)
  const endpoints = {
    issuer,
    authorization: requireSecureAddress(found.authorization_endpoint, issuer),
    token: requireSecureAddress(found.token_endpoint, issuer),
    jwks: requireSecureAddress(found.jwks_uri, issuer),
    userinfo: found.userinfo_endpoint === undefined ? undefined : requireSecureAddress(found.userinfo_endpoint, issuer),
  }
  const supported = found.token_endpoint_auth_methods_supported
  // The standard's default is the header.
  const isInBody = Array.isArray(supported) && supported.includes('client_secret_post')
  methods.set(registration, isInBody ? secretInBody : encodedBasic)
  return endpoints
}

/** An issuer's discovery document, which has to name exactly that issuer. */
export async function documentOf(issuer: string, look: FetchJson): Promise<Json> {
  const found = await look(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (found.issuer !== issuer) throw new Error(`The discovery document of ${issuer} names another issuer`)
  return found
}

/** Fetches an issuer's discovery document. */
export const createFetchJson =
  (callOut: OutboundCall): FetchJson =>
  async (address) => {
    const response = await callOut(address, { headers: { accept: 'application/json' } })
    if (response.status !== 200) throw new Error(`${address} answered ${response.status}`)
    return Object(await response.json()) as Json
  }

/** In characters. To read a host of 100,000 combining marks would keep the process from all other work for seconds. */
const longestAddress = 2048

/** Allows plain http only when the issuer itself uses it. The settings accept such an issuer only on this machine. */
export function requireSecureAddress(text: unknown, issuer: string): string {
  const address = String(text)
  if (address.length > longestAddress)
    throw new Error(`The discovery document of ${issuer} names an address that is too long`)
  const { protocol, hostname, href } = new URL(address)
  const asked = new URL(issuer)
  if (protocol === 'https:' || (protocol === asked.protocol && hostname === asked.hostname)) return href
  throw new Error(`The discovery document of ${issuer} names an address that is not https`)
}
