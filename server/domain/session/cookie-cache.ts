import * as z from 'zod'
import { Session, SessionView } from '../../../shared/entities.ts'
import { readMac, type Signer } from '../../crypto/keys.ts'
import { digestOf } from '../../crypto/token.ts'

/** Longest cookie, name included: browsers drop those above 4096 octets (RFC 6265bis section 5.6). */
const maxCookieLength = 4093
const maxNameLength = (prefix: string): number => `__Secure-${prefix}.session_data=`.length

const Cached = z.object({
  /** Of the session's token: a cache is never taken for another session. */
  tokenHash: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  session: Session.omit({ token: true }),
  user: SessionView.shape.user,
})

/** A signed copy of the session for the client to carry; null when it would be too long for a cookie of that prefix. */
export function encodeCache(signer: Signer, view: SessionView, expiresAt: number, prefix: string): string | null {
  const payload = z.encode(Cached, { tokenHash: hashOf(view.session.token), expiresAt, ...view })
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url')
  const text = `${body}.${signer.sign(body).toString('base64url')}`
  return text.length + maxNameLength(prefix) > maxCookieLength ? null : text
}

/** The session that the cache holds for this token; null when it is forged, another token's, or expired. */
export function decodeCache(signer: Signer, text: string, token: string, now: number): SessionView | null {
  const [body = '', mac = '', ...rest] = text.split('.')
  if (rest.length > 0 || !signer.verifies(body, readMac(mac, 'base64url'))) return null
  const cached = Cached.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  if (!cached.success || cached.data.tokenHash !== hashOf(token)) return null
  const { session, user, expiresAt } = cached.data
  return expiresAt > now && session.expiresAt.getTime() > now ? { session: { ...session, token }, user } : null
}

const hashOf = (token: string): string => digestOf(token).toString('base64url')
