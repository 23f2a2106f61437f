import { hash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { WorkloadRefusal } from '../request/security-events.ts'
import type { KeySets } from './id-token.ts'
import { addressOf, lookWith } from './open-id.ts'
import type { CallOut } from './outbound.ts'
import { ProviderError } from './provider.ts'

/** What a proven id token of a CI provider says: which of its machines asks, and for whom the token was made. */
export interface Workload {
  readonly issuer: string
  readonly audience: string
  /** What stands for this very token: two that are equal here are the same one. */
  readonly id: string
  /** Seconds for which it could be used once more. */
  readonly seconds: number
  /** Its claims that are one value, as texts. */
  readonly claims: Readonly<Record<string, string>>
}

/** Seconds by which an issuer's clock may be wrong, and the oldest token that we take. */
const clockTolerance = 60
const maxAge = 3600

/** Signatures by a key of the issuer alone: nothing that a shared secret makes, and never none (RFC 8725, 3.1). */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

export interface WorkloadMeans {
  readonly keys: KeySets
  /** The address of an issuer's keys, from what it says of itself. */
  readonly jwksOf: (issuer: string) => Promise<string>
}

/**
 * What an id token of one of these issuers says, all of it proven by the keys of that issuer. Its audience is only read: whom
 * it may be made for stands in the rule that takes it. Throws a WorkloadError for any other token, a ProviderError where the
 * keys cannot be had.
 */
export async function proveWorkload(
  { keys, jwksOf }: WorkloadMeans,
  issuers: readonly string[],
  token: string,
): Promise<Workload> {
  const { decodeJwt, jwtVerify } = await import('jose')
  const issuer = issuerOf(token, decodeJwt)
  if (!issuers.includes(issuer)) throw new WorkloadError('issuer')
  const keySet = await keys(await jwksOf(issuer))
  const options = { issuer, algorithms, maxTokenAge: maxAge, clockTolerance, requiredClaims: ['exp', 'iat', 'aud'] }
  const { payload } = await jwtVerify(token, keySet, options).catch((error: unknown) => {
    throw error instanceof ProviderError ? error : new WorkloadError(reasonOf(error), error)
  })
  const audience = audienceOf(payload)
  return { issuer, audience, id: idOf(token, issuer, payload), seconds: secondsOf(payload), claims: textsOf(payload) }
}

function issuerOf(token: string, decode: (token: string) => JWTPayload): string {
  try {
    return String(decode(token).iss)
  } catch (error) {
    throw new WorkloadError('malformed', error)
  }
}

/** One alone: a token for several could come from any of the others, who have seen it too. */
function audienceOf({ aud }: JWTPayload): string {
  const [audience, ...others] = [aud].flat()
  if (typeof audience !== 'string' || others.length > 0) throw new WorkloadError('audience')
  return audience
}

/** The token's own id; without one, of what is signed, since the signature itself can be written in many ways. */
const idOf = (token: string, issuer: string, { jti }: JWTPayload): string =>
  hash('sha256', typeof jti === 'string' ? `${issuer}\0${jti}` : token.split('.').slice(0, 2).join('.'), 'base64url')

const secondsOf = ({ exp = 0 }: JWTPayload): number =>
  Math.ceil(Math.min(Math.max(exp - Date.now() / 1000, 0), maxAge)) + 2 * clockTolerance

/** Lists and objects stand for nothing that a rule could name. */
const textsOf = (payload: JWTPayload): Record<string, string> =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) && isStorable(`${name}${String(value)}`)
        ? [[name, String(value)]]
        : [],
    ),
  )

/** PostgreSQL takes neither NUL nor lone surrogates, and no rule holds one. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const reasons: Readonly<Record<string, WorkloadRefusal>> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWKS_NO_MATCHING_KEY: 'keys',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'keys',
}

function reasonOf(error: unknown): WorkloadRefusal {
  const { code = '', claim } = Object(error) as { code?: string; claim?: string }
  if (code === 'ERR_JWT_EXPIRED' && claim === 'iat') return 'too-old'
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED' && (claim === 'nbf' || claim === 'iat')) return 'too-early'
  return reasons[code] ?? 'malformed'
}

/** Milliseconds for which the address of an issuer's keys is kept. */
const keepTime = 3_600_000

/** Asks each issuer once an hour where its keys are; what it answers is believed when it names exactly itself. */
export function createJwksOf(callOut: CallOut, now: () => number): WorkloadMeans['jwksOf'] {
  const look = lookWith(callOut)
  const kept = new Map<string, { readonly found: Promise<string>; readonly until: number }>()
  return (issuer) => {
    const known = kept.get(issuer)
    if (known && now() < known.until) return known.found
    const found = look(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
      .then((told) => {
        if (told.issuer !== issuer) throw new Error(`The document of ${issuer} names another issuer`)
        return addressOf(told.jwks_uri, issuer)
      })
      .catch((error: unknown) => {
        kept.delete(issuer)
        throw new ProviderError('discovery', error)
      })
    kept.set(issuer, { found, until: now() + keepTime })
    return found
  }
}

/** A token that is not taken. Whoever sent it is told no more than that. */
export class WorkloadError extends Error {
  override readonly name = 'WorkloadError'
  readonly reason: WorkloadRefusal
  constructor(reason: WorkloadRefusal, cause?: unknown) {
    super(`The token was refused: ${reason}`, { cause })
    this.reason = reason
  }
}

/**
 * Anybody can have a token of these issuers, by a repository or a pipeline of their own. So a rule has to name one of these
 * claims, which only the issuer sets and which no stranger's token makes. The subject is none of them: what it is made of can
 * be chosen.
 */
const pinning: Readonly<Record<string, readonly string[]>> = {
  'https://token.actions.githubusercontent.com': [
    'repository_id',
    'repository',
    'repository_owner_id',
    'repository_owner',
    'enterprise_id',
    'enterprise',
  ],
  'https://gitlab.com': ['project_id', 'project_path', 'namespace_id', 'namespace_path'],
  'https://agent.buildkite.com': ['pipeline_id', 'organization_id', 'organization_slug'],
}

/** What every token has (RFC 7519, 4.1): these tell no machine from another. */
const common: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'])

/** The claim by which a rule is found, the narrowest that it has; null when it would let in strangers. */
export function pinOf(issuer: string, claims: Readonly<Record<string, string>>): string | null {
  const others = Object.keys(claims).filter((claim) => !common.has(claim))
  const names = pinning[issuer] ?? [...Object.values(pinning).flat(), ...others.toSorted()]
  const name = names.find((one) => Object.hasOwn(claims, one))
  return name === undefined ? null : pinText(name, claims[name] ?? '')
}

export const pinText = (name: string, value: string): string => `${name}=${value}`
