import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Observer } from '../metrics/observer.ts'
import type { Asker } from '../request/audit-event.ts'

/** What one request gathers on its way; made once per request, answered from once. */
export interface RequestState {
  readonly id: string
  readonly startedAt: number
  /** The path of the call, never the text of the URL: tokens may stand there. */
  route: string
  /** Set-Cookie lines; they stay also when the answer is a failure. */
  setCookies: string[]
  /** `set-auth-token`, when a session cookie was set. */
  authToken?: string
  /** `set-auth-jwt`: a token for other services. */
  jwt?: string
  /** How long an answer may be kept; by nobody unless told. */
  cacheControl?: string
  /** Seconds for both retry headers. */
  retryAfter?: number
  /** The number that the refused input did not keep to. */
  limit?: number
  /** A token that the database has not confirmed yet, and the key that it was counted by. */
  unproven?: { readonly token: string; readonly key: string }
  /** Where a list goes on (RFC 8288). */
  link?: string
  /** The status of a page that explains a refusal itself. */
  refusedWith?: number
  /** The policy of a page that loads what others do not. */
  policy?: string
  /** What went wrong, for the log alone. */
  cause?: unknown
  /** Who asks, once that is known. */
  userId: string | null
  /** The same for the audit trail. */
  asker?: Asker
  /** The client; its address is read only when it is logged. */
  client?: { readonly address: string }
  /** Whether a security event of this request was logged. */
  isTold: boolean
  /** Who counts what happens, if somebody does. */
  readonly observer: Observer | undefined
}

export interface HonoEnv {
  /** Of Node's own server; absent where a request comes from elsewhere. */
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse }
  Variables: { state: RequestState }
}

/** Before anybody is signed in. */
export const nobody: Asker = { actorId: null, impersonatorId: null, keyId: null }

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
    isTold: false,
    observer,
  }
}

/** What the service is doing: it takes work only when ready. */
export interface ServiceState {
  phase: 'starting' | 'ready' | 'draining'
}
