import type { Cookie } from 'tough-cookie'
import { isCookieName, isCookieValue, type StoredCookie } from './content.ts'

interface ReadCookies {
  /** A cookie with an empty value removes the stored one. */
  readonly cookies: readonly StoredCookie[]
  /**
   * Names of cookies that violated a rule: foreign domain, public suffix, prefix, Secure over plain http, size, invalid
   * characters.
   */
  readonly refused: readonly string[]
}

// At most 400 days (RFC 6265bis section 5.5), and 4096 octets of name and value (section 5.6).
const maxLife = 34_560_000_000
const maxSize = 4_096

const strict = { rejectPublicSuffixes: true, prefixSecurity: 'strict', allowSecureOnLocal: false } as const

/** Parses the Set-Cookie headers of an answer from `url` by the rules of browsers. */
export async function readSetCookies(url: string, lines: readonly string[], now: number): Promise<ReadCookies> {
  const { CookieJar } = await import('tough-cookie')
  const jar = new CookieJar(undefined, strict)
  const cookies: StoredCookie[] = []
  const refused: string[] = []
  for (const line of lines) {
    const cookie = await jar.setCookie(line, url, { ignoreError: false }).catch(() => undefined)
    if (cookie && isStorable(cookie)) cookies.push(storedOf(cookie, now))
    else refused.push(line.split(/[=;]/, 1)[0] ?? '')
  }
  return { cookies, refused }
}

/**
 * The Cookie header for a request to `url` (RFC 6265 section 5.4). Empty when no cookie applies. Written by hand, since
 * every request needs it: the library loads the list of public suffixes, which only matters when a cookie is set.
 */
export function writeCookieHeader(url: string, cookies: readonly StoredCookie[]): string {
  const target = new URL(url)
  return cookies
    .filter((cookie) => isOfHost(target, cookie) && isBelow(target, cookie) && (isSafe(target) || !cookie.secure))
    .toSorted((a, b) => b.path.length - a.path.length || Date.parse(a.creation) - Date.parse(b.creation))
    .map(({ key, value }) => `${key}=${value}`)
    .join('; ')
}

// IPv6 addresses have brackets in a URL but not in a cookie.
function isOfHost({ hostname }: URL, { domain, hostOnly }: StoredCookie): boolean {
  const host = hostname.replaceAll(/[[\]]/g, '')
  return host === domain || (!hostOnly && host.endsWith(`.${domain}`))
}

const isBelow = ({ pathname }: URL, { path }: StoredCookie): boolean =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)

const isSafe = ({ protocol }: URL): boolean => protocol === 'https:'

/** The names and values in a Cookie header. */
export const parseCookieHeader = (header: string): ReadonlyMap<string, string> =>
  new Map(
    header
      .split('; ')
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )

const isStorable = (cookie: Cookie): boolean => {
  const { key, value } = cookie
  return isCookieName(key) && isCookieValue(value) && key.length + value.length <= maxSize && respectsPrefix(cookie)
}

/** Prefixes are case-insensitive (RFC 6265bis section 5.7), but the library knows only one spelling. */
function respectsPrefix({ key, secure, hostOnly, path }: Cookie): boolean {
  if (/^__host-/i.test(key)) return secure && hostOnly === true && path === '/'
  return secure || !/^__secure-/i.test(key)
}

function storedOf(cookie: Cookie, now: number): StoredCookie {
  const { maxAge: _, lastAccessed: __, ...json } = cookie.toJSON()
  const end = Math.min(cookie.expiryTime(new Date(now)) ?? Infinity, endOfLife(cookie, now))
  return {
    ...(json as unknown as StoredCookie),
    // An expired or empty cookie counts as a removal. The service treats an empty one as absent.
    value: end <= now ? '' : cookie.value,
    expires: end === Infinity ? 'Infinity' : new Date(Math.max(end, 0)).toISOString(),
    creation: new Date(now).toISOString(),
    writtenAt: now,
  }
}

const endOfLife = (cookie: Cookie, now: number): number => (cookie.isPersistent() ? now + maxLife : Infinity)
