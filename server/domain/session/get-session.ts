import * as z from 'zod'
import { Session, SessionView } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { decodeMac, type Signer } from '../../crypto/keys.ts'
import { digestOf } from '../../crypto/token.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client, ResolvedSession } from '../../request/client.ts'
import { tokenForHeader } from '../token/tokens.ts'
import { resolveToken } from './resolve.ts'

export interface GetSessionOptions {
  /**
   * The raw value of the cache cookie. Null without one, when the cache is off, or when the call asks for a fresh read.
   */
  readonly cache: string | null
  readonly mayExtend: boolean
}

/** `known` says where the session came from. Cookies are only written for a session that was read from the database. */
export type GetSessionResult =
  | { readonly known: 'nothing' }
  | { readonly known: 'ended' }
  | { readonly known: 'cache'; readonly view: WireSession }
  | {
      readonly known: 'database'
      readonly view: SessionView
      readonly resolved: ResolvedSession
      readonly cache: string | null
      /** A token for other services. Null when none is sent. */
      readonly jwt: string | null
    }

/** Reads the signed cache when it is on and valid, otherwise one statement. */
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
  const jwt = await tokenForHeader(deps, resolved)
  return { known: 'database', view: resolved.caller, resolved, cache: makeCache(deps, resolved.caller), jwt }
}

/** An outage is reported as an outage. It must never look like a sign-out. */
function refuse(cause: unknown): never {
  throw cause instanceof Failure ? cause : new Failure('SESSION_NOT_READ', { cause })
}

function readCache({ keys, revocations, now }: Deps, token: string, text: string | null): WireSession | null {
  if (text === null) return null
  const view = decodeCache(keys.cache, text, token, now().getTime())
  return view && !revocations.has(view.session.id) ? view : null
}

/**
 * Machines get no cache because they keep no cookies. Impersonated sessions get none because they can end without this
 * process being notified.
 */
function makeCache({ config, keys, now, log }: Deps, view: Caller): string | null {
  if (!config.COOKIE_CACHE || view.key || view.session.impersonatedBy !== null) return null
  const expiresAt = now().getTime() + config.COOKIE_CACHE_MAX_AGE * 1000
  const text = encodeCache(keys.cache, view, expiresAt, config.COOKIE_PREFIX)
  if (text === null) log.warn({ sessionId: view.session.id }, 'session too large for the cookie cache')
  return text
}

/** Longest cookie, including its name: browsers drop those above 4096 octets (RFC 6265bis section 5.6). */
const maxCookieLength = 4093
const maxNameLength = (prefix: string): number => `__Secure-${prefix}.session_data=`.length

/** A session and its user as the answer has them. */
export type WireSession = z.input<typeof SessionView>

const Cached = z.object({
  shape: z.string(),
  /** Hash of the session's token, so that the cache is never taken for another session's. */
  tokenHash: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  session: Session.omit({ token: true }),
  user: SessionView.shape.user,
})

type Cached = z.input<typeof Cached>

let knownShape: string | undefined

/** Changes with the fields, so that what a release with other fields signed is not taken for what this one signs. */
function shape(): string {
  knownShape ??= digestOf(JSON.stringify(z.toJSONSchema(SessionView, { io: 'input' })))
    .toString('base64url')
    .slice(0, 8)
  return knownShape
}

/** A signed copy of the session for the client to keep. Null when it would not fit into a cookie with that prefix. */
export function encodeCache(signer: Signer, view: SessionView, expiresAt: number, prefix: string): string | null {
  const payload = z.encode(Cached, { shape: shape(), tokenHash: hashOf(view.session.token), expiresAt, ...view })
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url')
  const text = `${body}.${signer.sign(body).toString('base64url')}`
  return text.length + maxNameLength(prefix) > maxCookieLength ? null : text
}

/**
 * The cached session of this token. Null when the cache is forged, expired or made for another token. What we signed is
 * what a schema encoded, so it is neither checked nor encoded again.
 */
export function decodeCache(signer: Signer, text: string, token: string, now: number): WireSession | null {
  const [body = '', mac = '', ...rest] = text.split('.')
  if (rest.length > 0 || !signer.verifies(body, decodeMac(mac, 'base64url'))) return null
  const cached = JSON.parse(Buffer.from(body, 'base64url').toString()) as Cached
  if (cached.shape !== shape() || cached.tokenHash !== hashOf(token)) return null
  const { session, user, expiresAt } = cached
  return expiresAt > now && Date.parse(session.expiresAt) > now ? { session: { ...session, token }, user } : null
}

const hashOf = (token: string): string => digestOf(token).toString('base64url')
