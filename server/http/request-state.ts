import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Span } from '@opentelemetry/api'
import type { Observer } from '../metrics/observer.ts'
import type { RequestActor } from '../request/audit-event.ts'

/** What is collected about one request while it is handled. Made once per request. */
export interface RequestState {
  readonly id: string
  readonly startedAt: number
  /** The path of the call as declared, never the text of the URL, which may contain tokens. */
  route: string
  /** Set-Cookie lines. They are sent with a failure too. */
  setCookies: string[]
  /** The `set-auth-token` header, when a session cookie was set. */
  authToken?: string
  /** The `set-auth-jwt` header: a token for other services. */
  jwt?: string
  /** The Cache-Control header. Undefined when nobody may cache the response. */
  cacheControl?: string
  /** Seconds for both retry headers. */
  retryAfter?: number
  /** The bound that the refused input broke. */
  limit?: number
  /** A token that the database has not confirmed yet, and the key that it was counted by. */
  unproven?: { readonly token: string; readonly key: string }
  /** The Link header of a list that continues (RFC 8288). */
  link?: string
  /** The status of a page that explains a refusal itself. */
  refusedWith?: number
  /** The Content-Security-Policy of a page that loads more than others. */
  policy?: string
  /** What went wrong, for the log only. */
  cause?: unknown
  /** The caller, once known. */
  userId: string | null
  /** The same for the audit trail. */
  asker?: RequestActor
  /** The client. Its address is read only when it is logged. */
  client?: { readonly address: string }
  /** Whether the request committed something that is in the audit trail. */
  hasWritten?: boolean
  /** Whether a security event of this request was logged. */
  isEventLogged: boolean
  /** The request's span, if an SDK of OpenTelemetry is there. */
  span?: Span
  /** Counts for metrics, when they are on. */
  readonly observer: Observer | undefined
}

export interface HonoEnv {
  /** From Node's own server. Absent when a request comes from elsewhere. */
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse }
  Variables: { state: RequestState }
}

/** Before anybody is signed in. */
export const anonymousActor: RequestActor = { actorId: null, impersonatorId: null, keyId: null }

/** The route of every path that is no call. */
export const unknownRoute = '(unknown)'

const instance = crypto.randomUUID().slice(0, 8)
let counter = 0

/** Unique per process and cheap: a random instance part and a running number. */
export function createRequestState(observer?: Observer): RequestState {
  counter += 1
  return {
    id: `${instance}-${counter.toString(36)}`,
    startedAt: performance.now(),
    route: unknownRoute,
    setCookies: [],
    userId: null,
    isEventLogged: false,
    observer,
  }
}

/**
 * The state of the service. It accepts work only when ready. One that is replaced leaves too, but others serve at its
 * address, so it goes on reporting that it is ready.
 */
export interface ServiceState {
  phase: 'starting' | 'ready' | 'draining' | 'replaced'
}

/** Adds Set-Cookie lines. They replace those of the same names, for of two the client would keep the last alone. */
export function addCookies(state: RequestState, lines: readonly string[]): void {
  const names = new Set(lines.map(cookieName))
  state.setCookies = [...state.setCookies.filter((line) => !names.has(cookieName(line))), ...lines]
}

const cookieName = (line: string): string => line.slice(0, line.indexOf('='))
