import { hash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { isStorable } from '../../shared/text-rules.ts'
import type { WorkloadRefusal } from '../request/security-events.ts'
import type { KeySets } from './id-token.ts'
import { type KeepOptions, keepLookUp } from './keep-look-up.ts'
import { createFetchJson, documentOf, requireSecureAddress } from './open-id.ts'
import type { OutboundCall } from './outbound.ts'
import { ProviderError } from './provider.ts'

/** The verified content of a CI provider's id token: which machine asks, and the audience. */
export interface Workload {
  readonly issuer: string
  readonly audience: string
  /** Identifies this token: equal ids mean the same token. */
  readonly id: string
  /** Seconds for which it could be replayed. */
  readonly seconds: number
  /** Its single-valued claims, as texts. */
  readonly claims: Readonly<Record<string, string>>
}

/** Seconds that an issuer's clock may be off, and the age of the oldest token we accept. */
const clockTolerance = 60
const maxAge = 3600

/** Only signatures by an issuer's key pair: no shared secrets and never `none` (RFC 8725, 3.1). */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

export interface WorkloadContext {
  readonly keys: KeySets
  /** The JWKS address from an issuer's discovery document. */
  readonly jwksOf: (issuer: string) => Promise<string>
}

/**
 * Verifies an id token of one of these issuers with that issuer's keys. The audience is only read: the matching rule
 * decides which one is allowed. Throws WorkloadError for any other token, and ProviderError when the keys cannot be
 * fetched.
 */
export async function verifyWorkloadToken(
  { keys, jwksOf }: WorkloadContext,
  issuers: readonly string[],
  token: string,
): Promise<Workload> {
  const { decodeJwt, jwtVerify } = await import('jose')
  const issuer = issuerOf(token, decodeJwt)
  if (!issuers.includes(issuer)) throw new WorkloadError('issuer', null)
  const keySet = await keys(await jwksOf(issuer))
  const options = { issuer, algorithms, maxTokenAge: maxAge, clockTolerance, requiredClaims: ['exp', 'iat', 'aud'] }
  const { payload } = await jwtVerify(token, keySet, options).catch((error: unknown) => {
    throw error instanceof ProviderError ? error : new WorkloadError(reasonOf(error), issuer, error)
  })
  const audience = audienceOf(payload, issuer)
  return { issuer, audience, id: idOf(token, issuer, payload), seconds: secondsOf(payload), claims: textsOf(payload) }
}

function issuerOf(token: string, decode: (token: string) => JWTPayload): string {
  try {
    return String(decode(token).iss)
  } catch (error) {
    throw new WorkloadError('malformed', null, error)
  }
}

/** Exactly one audience: a token for several could be replayed by any of the others. */
function audienceOf({ aud }: JWTPayload, issuer: string): string {
  const [audience, ...others] = [aud].flat()
  if (typeof audience !== 'string' || others.length > 0) throw new WorkloadError('audience', issuer)
  return audience
}

/** Hashes the token's own id, or else its signed part, because one signature has several valid encodings. */
const idOf = (token: string, issuer: string, { jti }: JWTPayload): string =>
  hash('sha256', typeof jti === 'string' ? `${issuer}\0${jti}` : token.split('.').slice(0, 2).join('.'), 'base64url')

const secondsOf = ({ exp = 0 }: JWTPayload): number =>
  Math.ceil(Math.min(Math.max(exp - Date.now() / 1000, 0), maxAge)) + 2 * clockTolerance

/** A rule cannot name lists and objects, nor text that is not stored. */
const textsOf = (payload: JWTPayload): Record<string, string> =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) && isStorable(`${name}${String(value)}`)
        ? [[name, String(value)]]
        : [],
    ),
  )

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

/** Looks up each issuer's JWKS address. */
export function createJwksOf(
  callOut: OutboundCall,
  keeping: (issuer: string) => KeepOptions,
): WorkloadContext['jwksOf'] {
  const look = createFetchJson(callOut)
  const kept = new Map<string, () => Promise<string>>()
  const jwksOf = async (issuer: string) => requireSecureAddress((await documentOf(issuer, look)).jwks_uri, issuer)
  return (issuer) => {
    const find = kept.get(issuer) ?? keepLookUp(() => jwksOf(issuer), keeping(issuer))
    kept.set(issuer, find)
    return find()
  }
}

/** A refused token. Its sender learns only that. */
export class WorkloadError extends Error {
  override readonly name = 'WorkloadError'
  readonly reason: WorkloadRefusal
  /** One of ours that the token names, whether or not that issuer signed it. */
  readonly issuer: string | null
  constructor(reason: WorkloadRefusal, issuer: string | null, cause?: unknown) {
    super(`The token was refused: ${reason}`, { cause })
    this.reason = reason
    this.issuer = issuer
  }
}

/**
 * Anybody can get a token from these issuers with a repository or pipeline of their own. A rule therefore has to name
 * one of these claims, which only the issuer sets and which no stranger's token can contain. The subject does not
 * count, because its parts can be chosen.
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

/** Claims that every token has (RFC 7519, 4.1). They do not distinguish machines. */
const common: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'])

/** The most specific claim of a rule, by which it is looked up. Null when the rule would admit strangers. */
export function pinningClaimOf(issuer: string, claims: Readonly<Record<string, string>>): string | null {
  const others = Object.keys(claims).filter((claim) => !common.has(claim))
  const names = pinning[issuer] ?? [...Object.values(pinning).flat(), ...others.toSorted()]
  const name = names.find((one) => Object.hasOwn(claims, one))
  return name === undefined ? null : pinText(name, claims[name] ?? '')
}

export const pinText = (name: string, value: string): string => `${name}=${value}`
