import type { Jar } from '../../accounts/accounts.ts'
import { reasonOf } from '../errors.ts'
import type { HttpClient, HttpRequest, HttpResponse, ProxySettings } from './http-client.ts'

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

/** One try and its answer as `--debug` and the Requests screen show it: secrets are named, never told. */
export interface RequestRecord {
  readonly method: string
  readonly url: string
  /** 1 for the first try. */
  readonly attempt: number
  /** Null where no answer came. */
  readonly status: number | null
  readonly ms: number
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Names in the body sent. */
  readonly bodyKeys: readonly string[]
  /** Names of cookies in the answer that broke a rule and were not kept. */
  readonly refusedCookies: readonly string[]
  /** Code of the fault that ended the try. */
  readonly error?: string
}

/** How a try went so far. */
export interface AttemptProgress {
  incoming?: HttpResponse
  refused: readonly string[]
  fault?: unknown
}

const openHeaders: ReadonlySet<string> = new Set(
  'accept accept-encoding cache-control content-encoding content-length content-type date origin retry-after server user-agent vary x-request-id x-retry-after'.split(
    ' ',
  ),
)
const openQuery: ReadonlySet<string> = new Set(
  'disableCookieCache disableRefresh limit offset organizationId organizationSlug status teamId userId'.split(' '),
)

const hidden = '[hidden]'

export function recordOf(
  { method, url, headers, body }: Omit<HttpRequest, 'signal'>,
  { incoming, refused, fault }: AttemptProgress,
  { attempt, ms }: { readonly attempt: number; readonly ms: number },
): RequestRecord {
  return {
    method,
    url: openUrl(url),
    attempt,
    status: incoming?.status ?? null,
    ms,
    requestHeaders: openly(headers, openHeaders),
    headers: openly(incoming?.headers ?? {}, openHeaders),
    bodyKeys: body === null ? [] : Object.keys(Object(JSON.parse(body))),
    refusedCookies: refused,
    ...(fault === undefined ? {} : { error: reasonOf(fault) }),
  }
}

// An allow-list: anything that is not named here is hidden.
const openly = (values: Readonly<Record<string, string>>, open: ReadonlySet<string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, open.has(name) ? value : hidden]))

function openUrl({ origin, pathname, searchParams }: URL): string {
  const query = Object.entries(openly(Object.fromEntries(searchParams), openQuery))
  const text = query.map(
    ([name, value]) => `${encodeURIComponent(name)}=${value === hidden ? hidden : encodeURIComponent(value)}`,
  )
  return origin + pathname + (text.length > 0 ? `?${text.join('&')}` : '')
}
