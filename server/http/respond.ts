import type { Context } from 'hono'
import { successFor, wireFor } from '../../shared/client-api.ts'
import type { Failure } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import type { EncodedAnswer } from '../request/encoded-answer.ts'
import { removingHostOnly } from './cookie-security.ts'
import type { HonoEnv, RequestState } from './request-state.ts'
import type { TrustedOrigins } from './trusted-origins.ts'

export interface Answer {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | null
  readonly contentType?: string
  /** Replaces the policy for JSON, under which nothing may load or frame the response. */
  readonly policy?: string
  readonly location?: string
  /** Where a list continues (RFC 8288). */
  readonly link?: string
  /** For responses that OAuth keeps out of old caches too (RFC 6749, 5.1). */
  readonly pragma?: 'no-cache'
  /** Replaces the default policy, which sends no referrer. */
  readonly referrer?: 'same-origin' | 'strict-origin-when-cross-origin'
  /** For a page with a third-party script that opens a window and waits for its result. */
  readonly isOpener?: boolean
}

/** Turns an answer into the response with every shared header. The only place that does, so none is forgotten. */
export type Respond = (c: Context<HonoEnv>, answer: Answer) => Response

const strictPolicy = "default-src 'none'; frame-ancestors 'none'"
const cors = {
  'Access-Control-Allow-Origin': '',
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Expose-Headers':
    'set-auth-token, set-auth-jwt, x-retry-after, retry-after, x-request-id, x-limit, link',
}

interface RespondParts {
  readonly config: Config
  readonly trust: TrustedOrigins
  /** While the service drains, clients are told to close their connections. */
  readonly isLeaving: () => boolean
  readonly warnOfOrigin: (c: Context<HonoEnv>, origin: string) => void
}

export function createRespond({ config, trust, isLeaving, warnOfOrigin }: RespondParts): Respond {
  const always = {
    'Cache-Control': 'no-store',
    Vary: 'Cookie, Origin',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Content-Security-Policy': strictPolicy,
    'X-Request-Id': '',
    ...(config.BASE_URL.protocol === 'https:' ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
  const typed = { ...always, 'Content-Type': 'application/json' }
  const own = { always, typed }
  const cross = { always: { ...always, ...cors }, typed: { ...typed, ...cors } }
  return (c, answer) => {
    const state = c.get('state')
    const sent = c.req.header('origin')
    const origin = sent !== undefined && trust.isTrustedOrigin(sent) ? sent : null
    if (sent !== undefined && origin === null) warnOfOrigin(c, sent)
    // Pages of a trusted origin may read the answer.
    const known = origin === null ? own : cross
    // Copied whole and then filled in: an object that grows header by header costs fifty times as much.
    const headers: Record<string, string> = answer.body === null ? { ...known.always } : { ...known.typed }
    headers['X-Request-Id'] = state.id
    if (origin !== null) headers['Access-Control-Allow-Origin'] = origin
    if (isLeaving()) headers.Connection = 'close'
    addAnswer(headers, answer)
    addState(headers, state, answer.status)
    return new Response(answer.body, {
      status: answer.status,
      headers: withCookies(headers, removingHostOnly(state.setCookies, config)),
    })
  }
}

function addAnswer(headers: Record<string, string>, answer: Answer): void {
  if (answer.contentType !== undefined) headers['Content-Type'] = answer.contentType
  if (answer.policy !== undefined) headers['Content-Security-Policy'] = answer.policy
  if (answer.location !== undefined) {
    headers.Location = answer.location
    // Else the page that opened a window for a sign-in loses it on the way.
    headers['Cross-Origin-Opener-Policy'] = 'unsafe-none'
  }
  if (answer.link !== undefined) headers.Link = answer.link
  if (answer.isOpener) headers['Cross-Origin-Opener-Policy'] = 'same-origin-allow-popups'
  if (answer.pragma !== undefined) headers.Pragma = answer.pragma
  if (answer.referrer !== undefined) headers['Referrer-Policy'] = answer.referrer
}

function addState(headers: Record<string, string>, state: RequestState, status: number): void {
  const { authToken, jwt, cacheControl, limit, retryAfter } = state
  // A refusal must not be cached.
  if (cacheControl !== undefined && status === 200) headers['Cache-Control'] = cacheControl
  if (authToken !== undefined) headers['Set-Auth-Token'] = authToken
  if (jwt !== undefined) headers['Set-Auth-Jwt'] = jwt
  if (limit !== undefined) headers['X-Limit'] = String(limit)
  if (retryAfter === undefined) return
  headers['Retry-After'] = String(retryAfter)
  headers['X-Retry-After'] = String(retryAfter)
}

// Each Set-Cookie is a line of its own. Without cookies, a plain object takes the server's fast path.
const withCookies = (headers: Record<string, string>, cookies: readonly string[]) =>
  cookies.length === 0
    ? headers
    : [...Object.entries(headers), ...cookies.map((line): [string, string] => ['Set-Cookie', line])]

export const jsonAnswer = (value: unknown, status = 200): Answer => ({ status, body: JSON.stringify(value) })

export const htmlAnswer = (body: string, policy: string): Answer => ({
  status: 200,
  body,
  contentType: 'text/html; charset=utf-8',
  policy,
})

export const encodedAnswer = ({ json }: EncodedAnswer<unknown>): Answer => ({ status: 200, body: json })

/**
 * The wire form of a failure. A configured text may replace the message for banned users. Empty bodies keep the JSON
 * content type; an unknown path has none.
 */
export function failureAnswer(
  failure: Failure,
  { BANNED_USER_MESSAGE: message, CLIENT_API }: Config,
  path: string,
): Answer {
  const success = successFor(CLIENT_API, path, failure.failure)
  if (success) return jsonAnswer(success)
  const { status, body, details } = wireFor(CLIENT_API, path, failure)
  if (failure.failure === 'BANNED_USER' && message !== undefined) return jsonAnswer({ ...body, message }, status)
  if (failure.failure === 'NOT_FOUND') return { status, body: null }
  if (body === null) return { status, body: '', contentType: 'application/json' }
  // A refusal in OAuth's shape has only OAuth's members.
  return jsonAnswer(details && 'code' in body ? { ...body, details } : body, status)
}
