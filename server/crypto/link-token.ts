import type { KeyObject } from 'node:crypto'
// Parts of it: the whole library would be loaded at the start, and used with a provider only.
import * as errors from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { decodeMac } from './keys.ts'

/** What a mailed token proves: its holder reads mail sent to `email`, or to `updateTo` for `new-email`. */
export interface LinkClaims {
  /** Bound into the token, so a token for one purpose never works for another. */
  readonly purpose: 'verify-email' | 'change-email' | 'new-email'
  /** Identifies the row that the first use deletes. */
  readonly jti: string
  readonly userId: string
  /** Lower-case. */
  readonly email: string
  /** The new address that replaces `email`. */
  readonly updateTo?: string | undefined
}

export type ReadToken = { readonly claims: LinkClaims } | { readonly problem: 'expired' | 'invalid' }

const algorithm = 'HS256'

/** The header's type names the purpose too (RFC 8725 3.11). */
const typeOf = (purpose: LinkClaims['purpose']): string => `${purpose}+jwt`

/** Signs a JWT (RFC 7519) with HS256 and the newest key, valid for `seconds`. */
export function signLinkToken([key]: readonly KeyObject[], claims: LinkClaims, seconds: number, now: Date) {
  if (!key) throw new Error('A link needs at least one secret')
  const { purpose, jti, userId, email, updateTo } = claims
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ email, ...(updateTo === undefined ? {} : { updateTo }) })
    .setProtectedHeader({ alg: algorithm, typ: typeOf(purpose) })
    .setAudience(purpose)
    .setJti(jti)
    .setSubject(userId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + seconds)
    .sign(key)
}

/** Tries every key. One algorithm, all claims required, and nothing selected by the header (RFC 8725). */
export async function verifyLinkToken(keys: readonly KeyObject[], token: string, now: Date): Promise<ReadToken> {
  let problem: 'expired' | 'invalid' = 'invalid'
  if (decodeMac(token.slice(token.lastIndexOf('.') + 1), 'base64url').length === 0) return { problem }
  for (const key of keys) {
    const read = await readWith(key, token, now)
    if ('claims' in read) return read
    if (read.problem === 'expired') problem = 'expired'
  }
  return { problem }
}

async function readWith(key: KeyObject, token: string, currentDate: Date): Promise<ReadToken> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      audience: ['verify-email', 'change-email', 'new-email'],
      requiredClaims: ['jti', 'sub', 'email', 'exp'],
      currentDate,
    })
    const claims = claimsOf(payload)
    return claims && protectedHeader.typ === typeOf(claims.purpose) ? { claims } : { problem: 'invalid' }
  } catch (error) {
    return { problem: error instanceof errors.JWTExpired ? 'expired' : 'invalid' }
  }
}

/** Accepts only the shapes that we sign: a change names its new address, a verification has none. */
function claimsOf({ aud, jti, sub, email, updateTo }: Readonly<Record<string, unknown>>): LinkClaims | null {
  if (typeof jti !== 'string' || typeof sub !== 'string' || typeof email !== 'string') return null
  const named = { jti, userId: sub, email }
  if (aud === 'verify-email' && updateTo === undefined) return { ...named, purpose: aud }
  if (aud !== 'change-email' && aud !== 'new-email') return null
  return typeof updateTo === 'string' ? { ...named, purpose: aud, updateTo } : null
}
