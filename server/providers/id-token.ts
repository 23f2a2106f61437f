import { hash, timingSafeEqual } from 'node:crypto'
import type { JWTVerifyGetKey } from 'jose'
import type { OutboundCall } from './outbound.ts'
import {
  type ConfiguredProvider,
  coerceObject,
  type Endpoints,
  type IdTokenRules,
  type Json,
  ProviderError,
  type Registration,
} from './provider.ts'

/** Seconds that a provider's clock may be off, and the age of the oldest token we accept. */
const clockTolerance = 60
const maxAge = 3600

/** A provider's keys by their address. They are cached, and fetched again when a token names an unknown key. */
export type KeySets = (jwks: string) => Promise<JWTVerifyGetKey>

export function createKeySets(callOut: OutboundCall): KeySets {
  const known = new Map<string, JWTVerifyGetKey>()
  return async (jwks) => {
    const kept = known.get(jwks)
    if (kept) return kept
    const jose = await import('jose')
    const made = jose.createRemoteJWKSet(new URL(jwks), {
      [jose.customFetch]: (address, { headers, signal }) => keysAt(callOut, address, { headers, signal }),
    })
    known.set(jwks, made)
    return made
  }
}

/** Failing to fetch the keys says nothing about the token: it can be tried again. */
async function keysAt(callOut: OutboundCall, ...asked: Parameters<OutboundCall>): Promise<Response> {
  try {
    const response = await callOut(...asked)
    if (response.status !== 200) throw new Error(`The request for the keys was answered with ${response.status}`)
    const body: unknown = await response.json()
    if (!Array.isArray(coerceObject(body).keys)) throw new Error('The request for the keys was answered without any')
    return Response.json(body)
  } catch (error) {
    throw new ProviderError('discovery', error)
  }
}

export interface IdTokenCheck {
  readonly token: string
  /** The nonce that the token has to contain. Null when the caller gave none; then only replays are refused. */
  readonly nonce: string | null
}

/**
 * The verified claims of an id token. Verified are: the signature, by keys from the provider's configured address,
 * whatever the token says; the algorithm, by a fixed list; audience, issuer and times (RFC 8725, OpenID Connect Core
 * 3.1.3.7). Throws otherwise.
 */
export async function verifyIdToken(
  { registration }: ConfiguredProvider,
  rules: IdTokenRules,
  endpoints: Endpoints,
  check: IdTokenCheck & { readonly keys: KeySets },
): Promise<Json> {
  const { decodeJwt, jwtVerify } = await import('jose')
  if (endpoints.jwks === undefined) throw new Error('The address of the keys is unknown')
  const audience = [registration.clientId, ...(rules.audiences?.(registration) ?? [])]
  const { payload } = await jwtVerify(check.token, await check.keys(endpoints.jwks), {
    issuer: issuersOf(rules, endpoints, decodeJwt(check.token), registration),
    audience,
    algorithms: [...(rules.algorithms ?? ['RS256'])],
    maxTokenAge: maxAge,
    clockTolerance,
    requiredClaims: ['sub', 'exp', 'iat'],
  })
  if (typeof payload.sub !== 'string') throw new Error('The subject is not a string')
  if (!isForUs(payload, audience)) throw new Error('The token has several audiences and another authorized party')
  if (!isOurs(payload, rules, check.nonce)) throw new Error('The token does not belong to this sign-in')
  if (rules.accepts?.(payload, registration) === false) throw new Error('The settings do not accept these claims')
  return payload
}

/** The issuers that a token with these claims may name. */
export const issuersOf = (
  rules: IdTokenRules,
  endpoints: Endpoints,
  unproven: Json,
  registration: Registration,
): string[] => [...(rules.issuers?.(endpoints, unproven, registration) ?? [endpoints.issuer])]

/** When a token has several audiences, the authorized party has to be us. */
const isForUs = ({ aud, azp }: Json, audience: readonly string[]): boolean =>
  Array.isArray(aud) && aud.length > 1 ? audience.some((one) => one === azp) : true

function isOurs({ nonce: claimed }: Json, { nonce: mode = 'exact' }: IdTokenRules, nonce: string | null): boolean {
  if (mode === 'none' || nonce === null) return true
  if (typeof claimed !== 'string') return false
  return areEqual(claimed, nonce) || (mode === 'hashed' && areEqual(claimed, hash('sha256', nonce)))
}

const areEqual = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
