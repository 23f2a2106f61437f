import { reasonOf } from '../errors.ts'
import type { HttpRequest, HttpResponse } from './http-client.ts'

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
