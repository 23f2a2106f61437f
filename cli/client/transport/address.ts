import { AddressError } from '../errors.ts'

/** Whether a host name is this machine: 127.0.0.0/8, ::1 or localhost, as the URL parser writes them. */
export const isLoopback = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** The base of every request, checked: https, or http on this machine; nothing before or after the path. */
export function checkBase(text: string): URL {
  const url = parse(text)
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (!/^https?:$/.test(url.protocol))
    throw new AddressError(`${text} is not a URL of https or http`, `With its scheme: ${withScheme(text)}`)
  if (!isSafe)
    throw new AddressError(`${url.origin} would be asked in clear text`, 'Use https; http is for this machine only')
  if (url.username || url.password || url.search || url.hash) {
    throw new AddressError(
      `${url.origin} is written with more than an address`,
      'Leave out the user, the query and the fragment',
    )
  }
  return url
}

/** The URL of a path below the base. A path that the URL parser would rewrite (`..`, `?`, `#`, `\`) is refused. */
export function urlOf(base: URL, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const expected = base.pathname.replace(/\/+$/, '') + path
  const url = parse(base.origin + expected)
  if (!path.startsWith('/') || url.pathname !== expected || url.search || url.hash || url.origin !== base.origin) {
    throw new AddressError(`${path} is not a path of the service`, 'Write ids percent-encoded')
  }
  // Spaces as %20: the service's own client writes them so.
  url.search = new URLSearchParams(query).toString().replaceAll('+', '%20')
  return url
}

/** `localhost:4100` is a URL of the scheme localhost; people mean a host. */
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
