import { isLoopback } from '../../../shared/loopback.ts'
import { AddressError } from '../errors.ts'

/**
 * Whether the host is certainly in a private network: by its address (RFC 1918, RFC 4193), or by a name that cannot be
 * public.
 */
const isPrivateHost = (hostname: string): boolean =>
  /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(hostname) ||
  /^\[f[cd][\da-f]{2}:/.test(hostname) ||
  /^[a-z\d_-]+$/.test(hostname) ||
  /\.(?:internal|local|lan|home\.arpa)$/.test(hostname)

export interface AddressRules {
  /** Allows plain http to a private host, whose network can read the traffic. */
  readonly allowHttp?: boolean | undefined
}

/** Validates the base URL: https, or http where that is allowed, with nothing but origin and path. */
export function checkBase(text: string, rules: AddressRules = {}): URL {
  const url = parse(text)
  if (!/^https?:$/.test(url.protocol)) throw new AddressError(`${text} is not an https or http URL`, schemeHint(text))
  if (url.protocol === 'http:') checkClear(url, rules)
  if (url.username || url.password || url.search || url.hash) {
    throw new AddressError(`${url.origin} must not have a user, a query or a fragment`, 'Remove them from the URL')
  }
  return url
}

function checkClear({ hostname, origin }: URL, { allowHttp = false }: AddressRules): void {
  const isPrivate = isPrivateHost(hostname)
  if (isLoopback(hostname) || (allowHttp && isPrivate)) return
  throw new AddressError(`${origin} uses plain http, which is not encrypted`, isPrivate ? privateHint : publicHint)
}

const privateHint =
  'Use https. If you trust the network, --allow-http, or a profile created with it, sends passwords in clear text'
const publicHint = 'Use https. http is allowed for this machine and, with --allow-http, for hosts in a private network'

/** The URL of a path below the base. Throws when the URL parser would rewrite the path (`..`, `?`, `#`, `\`). */
export function urlOf(base: URL, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const expected = base.pathname.replace(/\/+$/, '') + path
  const url = parse(base.origin + expected)
  if (!path.startsWith('/') || url.pathname !== expected || url.search || url.hash || url.origin !== base.origin) {
    throw new AddressError(`${path} is not a path of the service`, 'Write ids percent-encoded')
  }
  // Writes spaces as %20, as the service's own client does.
  url.search = new URLSearchParams(query).toString().replaceAll('+', '%20')
  return url
}

const schemeHint = (text: string): string =>
  text.includes('://') ? `Use https: ${text.replace(/^.*?:/, 'https:')}` : `Add the scheme: ${withScheme(text)}`

/** The URL parser reads `localhost:4100` as a URL with the scheme `localhost`, but the user means a host. */
const withScheme = (text: string): string =>
  /^[a-z\d.-]+:\d+(?:\/|$)/i.test(text)
    ? `${isLoopback(text.replace(/:.*/, '')) ? 'http' : 'https'}://${text}`
    : 'https://accounts.example.com'

function parse(text: string): URL {
  try {
    return new URL(text)
  } catch (error) {
    throw new AddressError(`${text} is not a URL`, 'For example: https://accounts.example.com', error)
  }
}
