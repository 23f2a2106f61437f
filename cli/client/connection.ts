import type { Argument, Call, CallGroup, Output } from '../../shared/contract/call.ts'
import type { Contract } from '../../shared/contract/index.ts'
import type { Jar } from '../accounts/accounts.ts'

export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** Below the base path. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The call that it makes; absent where only a path was given. */
  readonly call?: Call
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Parsed JSON; null for an empty body. */
  readonly body: unknown
}

export type SendRequest = (request: ApiRequest) => Promise<ApiAnswer>

type Method<C extends Call> =
  Record<never, never> extends Argument<C>
    ? (argument?: Argument<C>) => Promise<Output<C>>
    : (argument: Argument<C>) => Promise<Output<C>>
export type ApiClient<C extends Readonly<Record<string, CallGroup>>> = {
  readonly [G in keyof C]: { readonly [K in keyof C[G]]: Method<C[G][K]> }
}

/** One request and how it ended. */
export interface SeenRequest {
  readonly method: 'GET' | 'POST'
  /** Below the base path. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  /** As sent, secrets included: only allow-listed keys are ever shown. */
  readonly body: unknown
  /** Undefined: no answer came. */
  readonly status: number | undefined
  readonly milliseconds: number
  /** The service's `X-Request-Id`, for asking about it. */
  readonly requestId: string | undefined
  /** Nobody asked for it by a key. */
  readonly isQuiet?: boolean
}

/** The calls of one service, made as one account, one token or nobody. */
export interface Connection {
  /** The service's URL with its base path. */
  readonly server: string
  readonly api: ApiClient<Contract>
  /** The same for what nobody asks for by a key: listeners are told so. */
  readonly quietApi: ApiClient<Contract>
  readonly send: SendRequest
  /** Told about every request from now on; answers how to stop that. */
  onRequest(listener: (request: SeenRequest) => void): () => void
}

/** Somebody else, as whom an administrator acts. */
export interface Acting {
  readonly email: string
  readonly token: string
}

/** Whom calls are made as: an account, a token, somebody else, or nobody. */
export type Speaker = Jar | Acting | string | undefined

export const isJar = (who: Speaker): who is Jar => typeof who === 'object' && 'cookieHeader' in who

/** The token that calls are made with, where it is not a cookie that speaks. */
export const tokenOf = (who: Speaker): string | undefined => {
  if (typeof who !== 'object') return who
  return isJar(who) ? who.token() : who.token
}
