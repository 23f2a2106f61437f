import { parseJson } from '../../client/json.ts'
import { usageError } from '../../output/cli-error.ts'

export type Claims = Readonly<Record<string, unknown>>

/** What an id token says. Nothing of it is proven: that is the service's part. */
export function claimsOf(token: string): Claims {
  const [header = '', body = '', signature = '', ...more] = token.split('.')
  const claims = header && signature && more.length === 0 ? objectIn(body) : undefined
  if (claims) return claims
  throw usageError('What was given is no id token', 'One has three parts with points between them, as a JWT has', [
    '--id-token-file',
  ])
}

function objectIn(part: string): Claims | undefined {
  try {
    const value: unknown = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

/** The log of a job may be public: what names a person, or this very token, is left out. */
const isTold = (name: string): boolean => !/mail|^user_|^(?:jti|nonce|at_hash)$/.test(name)

/** A line for each claim that a trust rule may be about. */
export const claimLines = (claims: Claims): readonly string[] =>
  Object.entries(claims)
    .filter(([name]) => isTold(name))
    .flatMap(([name, value]) => {
      const text = textOf(name, value)
      return text === undefined ? [] : [`${name}: ${text.slice(0, 300)}`]
    })

function textOf(name: string, value: unknown): string | undefined {
  if (typeof value === 'number' && /^(?:exp|iat|nbf)$/.test(name)) return timeOf(value)
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value.join(', ') : undefined
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}

function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000)
  return Number.isFinite(time.getTime()) ? time.toISOString() : String(seconds)
}
