import type { Config } from '../config.ts'
import type { Keys } from '../crypto/keys.ts'
import type { Sealer } from '../crypto/sealer.ts'
import type { IssuedSession } from '../request/client.ts'
import { type AdminCookie, type AdminCookieName, adminCookie } from './admin-cookie.ts'
import { signedValues } from './signed-value.ts'
import { type StateCookieName, type StateCookies, stateCookies } from './state-cookies.ts'

/** Longest life a browser grants a cookie (RFC 6265bis): 400 days, in seconds. */
const maxLife = 34_560_000
/** For as long as a link that is asked for again may still prove what a browser signed up with; in seconds. */
const signUpLife = 7 * 86_400

type CookieName =
  | 'session_token'
  | 'session_data'
  | 'dont_remember'
  | 'known_device'
  | 'device_claim'
  | 'sign_up'
  | AdminCookieName
  | StateCookieName

/** The service's cookies: reads what is validly signed, writes Set-Cookie lines. */
export interface Cookies extends StateCookies, AdminCookie {
  /** The value of a signed cookie; null when there is none, or two different ones that are both valid. */
  read(header: string, name: CookieName): string | null
  /** Whether a validly signed bearer value names a token; the value may be percent-encoded. */
  readSigned(text: string): string | null
  /** Whether an older secret signed the token, in the header or the bearer value, and the newest nowhere. */
  isOutdated(token: string, header: string, bearer: string): boolean
  /** The raw value of the cache cookie, which carries its own signature. */
  readRaw(header: string, name: CookieName): string | null
  /** The marks of a known device, which carry their own signatures too. */
  readMarks(header: string): string[]
  /** The way in with which this browser signed up; null when it keeps none. */
  readSignUp(header: string): string | null
  /** The line that keeps it: encrypted, so that the answers for a new and for a taken address are alike. */
  signUp(accountId: string): string
  issue(issued: IssuedSession): string[]
  /** The line that keeps a mark of a known device as long as browsers allow. */
  mark(mark: string): string
  /** The encoded cookie value, as `set-auth-token` answers it. */
  encode(token: string): string
  write(name: CookieName, value: string, maxAge: number | null): string
  /** The same, signed: what `read` takes. */
  writeSigned(name: CookieName, value: string, maxAge: number | null): string
  /** The lines that remove a session; a known device stays known. */
  clear(): string[]
  /** The lines that remove the marks of a header. */
  clearMarks(header: string): string[]
}

export function createCookies(
  config: Config,
  { cookie: signer, signUp: sealer }: Pick<Keys, 'cookie' | 'signUp'>,
): Cookies {
  const isSecure = config.BASE_URL.protocol === 'https:'
  const prefix = isSecure ? (config.COOKIE_HOST_PREFIX ? '__Host-' : '__Secure-') : ''
  const attributes = `; Path=/; HttpOnly${isSecure ? '; Secure' : ''}; SameSite=Lax`
  const bare = (name: CookieName) => `${config.COOKIE_PREFIX}.${name}`
  const { signed, verify, isOutdated, isNowhereNew } = signedValues<CookieName>(signer, config.COOKIE_PREFIX)
  const write = (name: CookieName, value: string, maxAge: number | null) =>
    `${prefix}${bare(name)}=${value}${maxAge === null ? '' : `; Max-Age=${Math.min(maxAge, maxLife)}`}${attributes}`
  const clear = (name: CookieName) => write(name, '', 0)
  const values = (header: string, name: CookieName) => valuesOf(header, `${prefix}${bare(name)}`)

  const read = (header: string, name: CookieName) => onlyOne(values(header, name), (text) => verify(name, text))

  return {
    read,
    readSigned: (text) => verify('session_token', text),
    isOutdated: (token, header, bearer) =>
      isNowhereNew('session_token', [bearer, ...values(header, 'session_token')], token),
    readRaw: (header, name) => values(header, name)[0] ?? null,
    readMarks: (header) => values(header, 'known_device'),
    readSignUp: (header) => onlyOne(values(header, 'sign_up'), (text) => unseal(sealer, text)),
    signUp: (accountId) => write('sign_up', sealer.seal(accountId, 'sign-up').toString('base64url'), signUpLife),
    issue: ({ token, maxAge, mark: known }) => [
      write('session_token', signed('session_token', token), maxAge),
      maxAge === null ? write('dont_remember', signed('dont_remember', 'true'), null) : clear('dont_remember'),
      ...(config.COOKIE_CACHE ? [clear('session_data')] : []),
      ...(known ? [write('known_device', known, maxLife)] : []),
    ],
    mark: (text) => write('known_device', text, maxLife),
    encode: (token) => signed('session_token', token),
    write,
    writeSigned: (name, value, maxAge) => write(name, signed(name, value), maxAge),
    ...adminCookie({ life: config.IMPERSONATION_SESSION_DURATION, values, read, isOutdated, signed, write }),
    ...stateCookies({ start: `${prefix}${config.COOKIE_PREFIX}.state.`, values, signed, verify, write }),
    clear: () => [clear('session_token'), clear('session_data'), clear('dont_remember')],
    clearMarks: (header) => (values(header, 'known_device').length > 0 ? [clear('known_device')] : []),
  }
}

/** What the valid ones of several values say; null when they say different things. */
function onlyOne(texts: readonly string[], verify: (text: string) => string | null): string | null {
  const valid = new Set(texts.map(verify).filter((value) => value !== null))
  const [value = null] = valid.size === 1 ? valid : []
  return value
}

/** All values of a name: a cookie set by another subdomain may stand before or after the real one. */
function valuesOf(header: string, name: string): string[] {
  const values: string[] = []
  for (const pair of header.split(';')) {
    const text = pair.trim()
    if (text.startsWith(name) && text[name.length] === '=')
      values.push(text.slice(name.length + 1).replace(/^"(.*)"$/, '$1'))
  }
  return values.filter(Boolean)
}

function unseal(sealer: Sealer, text: string): string | null {
  try {
    return sealer.open(Buffer.from(text, 'base64url'), 'sign-up')
  } catch {
    return null
  }
}
