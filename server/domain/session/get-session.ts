import * as z from 'zod'
import { Session, SessionView } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { readMac, type Signer } from '../../crypto/keys.ts'
import { digestOf } from '../../crypto/token.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client, ResolvedSession } from '../../request/client.ts'
import { headerToken } from '../token/tokens.ts'
import { resolveToken } from './resolve.ts'

export interface GetSessionOptions {
  /** The cache cookie's raw value; null when there is none, when the cache is off, or when the call wants none. */
  readonly cache: string | null
  readonly mayExtend: boolean
}

/** `known` says where the view came from; only what was read from the database is written to cookies. */
export type GetSessionResult =
  | { readonly known: 'nothing' }
  | { readonly known: 'ended' }
  | { readonly known: 'cache'; readonly view: SessionView }
  | {
      readonly known: 'database'
      readonly view: SessionView
      readonly resolved: ResolvedSession
      readonly cache: string | null
      /** For other services; null where none is sent along. */
      readonly jwt: string | null
    }

/** The signed cache when it is on and whole, else one statement. */
export async function getSession(deps: Deps, client: Client, options: GetSessionOptions): Promise<GetSessionResult> {
  const { token, isForgetful } = client
  if (token === null) return { known: 'nothing' }
  const cached = readCache(deps, token, options.cache)
  if (cached) {
    deps.provenSessions.add(token)
    return { known: 'cache', view: cached }
  }
  const mayExtend = options.mayExtend && !isForgetful
  const resolved = await resolveToken(deps, token, { mayExtend, client }).catch(refuse)
  if (!resolved) return { known: 'ended' }
  const jwt = await headerToken(deps, resolved)
  return { known: 'database', view: resolved.caller, resolved, cache: makeCache(deps, resolved.caller), jwt }
}

/** An outage stays an outage: it must never look like a sign-out. */
function refuse(cause: unknown): never {
  throw cause instanceof Failure ? cause : new Failure('SESSION_NOT_READ', { cause })
}

function readCache({ keys, revocations, now }: Deps, token: string, text: string | null): SessionView | null {
  if (text === null) return null
  const view = decodeCache(keys.cache, text, token, now().getTime())
  return view && !revocations.has(view.session.id) ? view : null
}

/** None for a machine, which keeps no cookies, and none while somebody acts as another: that ends in ways that no process is told of. */
function makeCache({ config, keys, now, log }: Deps, view: Caller): string | null {
  if (!config.COOKIE_CACHE || view.key || view.session.impersonatedBy !== null) return null
  const expiresAt = now().getTime() + config.COOKIE_CACHE_MAX_AGE * 1000
  const text = encodeCache(keys.cache, view, expiresAt, config.COOKIE_PREFIX)
  if (text === null) log.warn({ sessionId: view.session.id }, 'session too large for the cookie cache')
  return text
}

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
