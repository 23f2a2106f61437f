import type { Argument, Call, CallGroup, Output } from '../../shared/contract/call.ts'
import type { Contract } from '../../shared/contract/index.ts'
import type { Jar } from '../accounts/accounts.ts'
import type { RefusedSession } from './transport/refused-session.ts'

export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** Relative to the base path. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The call of the contract. Absent when only a path was given. */
  readonly call?: Call
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Parsed JSON; null for an empty body. */
  readonly body: unknown
  /** The session cookie, if the jar did not take it. */
  readonly refusedSession?: RefusedSession | undefined
}

export type SendRequest = (request: ApiRequest) => Promise<ApiAnswer>

/** Told a change that the service has confirmed. */
export type OnChange = (call: Call) => void

type Method<C extends Call> =
  Record<never, never> extends Argument<C>
    ? (argument?: Argument<C>) => Promise<Output<C>>
    : (argument: Argument<C>) => Promise<Output<C>>
type ClientOf<C extends Readonly<Record<string, CallGroup>>> = {
  readonly [G in keyof C]: { readonly [K in keyof C[G]]: Method<C[G][K]> }
}
export type ApiClient = ClientOf<Contract>

/** One request and its outcome. */
export interface ObservedRequest {
  readonly method: 'GET' | 'POST'
  /** Relative to the base path. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  /** As sent, secrets included. Only allow-listed keys are ever shown. */
  readonly body: unknown
  /** Undefined when no answer came. */
  readonly status: number | undefined
  readonly milliseconds: number
  /** The service's `X-Request-Id`, to look the request up in its logs. */
  readonly requestId: string | undefined
  /** Sent in the background, not by a key press. */
  readonly isQuiet?: boolean
}

/** The calls of one service, made as one account, with one token or anonymously. */
export interface Connection {
  /** The service's URL with its base path. */
  readonly server: string
  readonly api: ApiClient
  /** The same calls for background requests. Listeners see them marked `isQuiet`. */
  readonly quietApi: ApiClient
  readonly send: SendRequest
  readonly onChange?: OnChange | undefined
  /** Calls `listener` for every request from now on. Returns a function that removes it. */
  onRequest(listener: (request: ObservedRequest) => void): () => void
}

/** Credentials of an impersonated user. */
interface ImpersonationCredentials {
  readonly email: string
  readonly token: string
}

/** The credentials of calls: an account's jar, a token, an impersonated user, or none. */
export type ConnectionCredentials = Jar | ImpersonationCredentials | string | undefined

export const isJar = (who: ConnectionCredentials): who is Jar => typeof who === 'object' && 'cookieHeader' in who

/** The bearer token of the calls. Undefined when they use cookies. */
export const bearerTokenOf = (who: ConnectionCredentials): string | undefined => {
  if (typeof who !== 'object') return who
  return isJar(who) ? who.token() : who.token
}
