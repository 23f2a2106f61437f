import type { Jar } from '../../accounts/accounts.ts'
import { reasonOf } from '../errors.ts'
import type { HttpClient, HttpRequest, HttpResponse, ProxySettings } from './http-client.ts'
import type { RefusedSession } from './refused-session.ts'

export interface TransportOptions {
  /** Origin and base path of the service: https, or http on this machine. */
  readonly baseUrl: string
  /** Allows plain http to a private host too. */
  readonly allowHttp?: boolean | undefined
  /** Supplies cookies and the stored token, and stores the cookies of answers. */
  readonly jar?: Jar | undefined
  /** Sent unchanged instead of the jar's credentials, and never stored. */
  readonly token?: string | undefined
  /** Milliseconds for a request including all retries. */
  readonly timeout: number
  /** Milliseconds. 10 s by default. */
  readonly connectTimeout?: number | undefined
  readonly retries: number
  /** Milliseconds before the first retry. 1 s by default. */
  readonly retryDelay?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly userAgent: string
  /** The person's language for the mails that the service sends, as in Accept-Language: `de-AT`. */
  readonly language?: string | undefined
  readonly proxy?: ProxySettings | undefined
  /** Called for every attempt. */
  readonly log?: ((record: RequestRecord) => void) | undefined
}

export interface TransportRequest {
  readonly method: string
  /** Relative to the base path, with ids percent-encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON. A write without a body sends `{}`. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sends cookies but no token, to sign in while a token is still stored. */
  readonly withoutToken?: boolean | undefined
  /** Sent in place of all credentials of the transport. */
  readonly token?: string | undefined
}

export interface TransportAnswer {
  readonly status: number
  /** Lower-case names, without set-cookie. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON. Null for a refusal with an empty body. */
  readonly body: unknown
  readonly refusedSession?: RefusedSession | undefined
}

/** Shared by all requests of a transport. */
export interface TransportParts {
  readonly options: TransportOptions
  readonly base: URL
  readonly httpClient: HttpClient
}

/** One attempt and its answer, for `--debug` and the Requests screen. Secrets appear by name only. */
export interface RequestRecord {
  readonly method: string
  readonly url: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Null when no answer came. */
  readonly status: number | null
  readonly ms: number
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Names of the fields in the request body. */
  readonly bodyKeys: readonly string[]
  /** Names of cookies in the answer that violated a rule and were not stored. */
  readonly refusedCookies: readonly string[]
  /** Error code of a failed attempt. */
  readonly error?: string
}

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
    requestHeaders: redact(headers, openHeaders),
    headers: redact(incoming?.headers ?? {}, openHeaders),
    bodyKeys: body === null ? [] : Object.keys(Object(JSON.parse(body))),
    refusedCookies: refused,
    ...(fault === undefined ? {} : { error: reasonOf(fault) }),
  }
}

// An allow-list: everything else is hidden.
const redact = (values: Readonly<Record<string, string>>, open: ReadonlySet<string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, open.has(name) ? value : hidden]))

function openUrl({ origin, pathname, searchParams }: URL): string {
  const query = Object.entries(redact(Object.fromEntries(searchParams), openQuery))
  const text = query.map(
    ([name, value]) => `${encodeURIComponent(name)}=${value === hidden ? hidden : encodeURIComponent(value)}`,
  )
  return origin + pathname + (text.length > 0 ? `?${text.join('&')}` : '')
}
