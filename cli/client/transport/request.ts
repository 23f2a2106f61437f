import type { Jar } from '../../accounts/accounts.ts'
import type { HttpClient, ProxySettings } from './http-client.ts'
import type { RequestRecord } from './record.ts'

export interface TransportOptions {
  /** Origin and base path of the service: https, or http on this machine. */
  readonly baseUrl: string
  /** Of a private host too may the base be http. */
  readonly allowHttp?: boolean | undefined
  /** Where cookies and the stored token come from, and where cookies go. */
  readonly jar?: Jar | undefined
  /** Sent as it is instead of what the jar holds; never stored. */
  readonly token?: string | undefined
  /** Milliseconds for a request with all its repetitions. */
  readonly timeout: number
  /** Milliseconds; 10 s unless told. */
  readonly connectTimeout?: number | undefined
  readonly retries: number
  /** Milliseconds before the first repetition; 1 s unless told. */
  readonly retryDelay?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly userAgent: string
  /** The Origin header of writes; the service's own unless told. */
  readonly origin?: string | undefined
  readonly proxy?: ProxySettings | undefined
  /** Told about every try. */
  readonly log?: ((record: RequestRecord) => void) | undefined
}

export interface TransportRequest {
  readonly method: string
  /** Below the base path, ids percent-encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON; a write without one sends `{}`. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** `any` takes pages and redirects as they are; JSON is demanded otherwise. */
  readonly accept?: 'json' | 'any' | undefined
  /** Sends cookies and no token: for signing in where a token is still stored. */
  readonly withoutToken?: boolean | undefined
}

export interface TransportAnswer {
  readonly status: number
  /** Lower-case names, without set-cookie. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON; null for an empty body, and for anything else with `accept: 'any'`. */
  readonly body: unknown
  readonly text: string
  readonly contentType: string | undefined
  /** How often the request was repeated. */
  readonly retried: number
}

/** What every request of a transport shares. */
export interface TransportParts {
  readonly options: TransportOptions
  readonly base: URL
  readonly httpClient: HttpClient
}
