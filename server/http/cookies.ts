import type { Config } from '../config.ts'
import { type Keys, readMac, type Signer } from '../crypto/keys.ts'
import type { Sealer } from '../crypto/sealer.ts'
import type { IssuedSession, KeptSession } from '../request/client.ts'

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

/** Keeps an administrator's own session in their browser while they act as somebody else, good for that alone. */
interface AdminCookie {
  readonly keepAdmin: (kept: KeptSession) => string
  readonly readAdmin: (header: string) => KeptSession | null
  /** The line that keeps it for so many seconds, signed anew; none unless an older secret signed it. */
  readonly renewAdmin: (header: string, remaining: number) => string[]
  /** The lines that remove it where a header has it. */
  readonly clearAdmin: (header: string) => string[]
}

const name = 'admin_session'
type AdminCookieName = typeof name

/** How our cookies are read and written. */
interface Means {
  /** Seconds. */
  readonly life: number
  readonly values: (header: string, name: AdminCookieName) => readonly string[]
  readonly read: (header: string, name: AdminCookieName) => string | null
  readonly isOutdated: (name: AdminCookieName, text: string) => boolean
  readonly signed: (name: AdminCookieName, value: string) => string
  readonly write: (name: AdminCookieName, value: string, maxAge: number) => string
}

const adminCookie = ({ life, values, read, isOutdated, signed, write }: Means): AdminCookie => ({
  keepAdmin: ({ token, impersonationId }) => write(name, signed(name, `${token}.${impersonationId}`), life),
  readAdmin(header) {
    const [token, impersonationId] = read(header, name)?.split('.') ?? []
    return token && impersonationId ? { token, impersonationId } : null
  },
  renewAdmin(header, remaining) {
    const value = values(header, name).some((text) => isOutdated(name, text)) ? read(header, name) : null
    return value === null ? [] : [write(name, signed(name, value), Math.min(life, remaining))]
  },
  clearAdmin: (header) => (values(header, name).length > 0 ? [write(name, '', 0)] : []),
})

/** How the values of our cookies are signed and read. `name`: of the cookie, without any prefix. */
interface SignedValues<Name extends string> {
  readonly signed: (name: Name, value: string) => string
  /** The value, when any secret signed it for this cookie; else null. */
  readonly verify: (name: Name, text: string) => string | null
  /** Whether an older secret signed it, and not the newest. */
  readonly isOutdated: (name: Name, text: string) => boolean
  /** Whether texts say this value, and the newest secret signed none of those that do. */
  readonly isNowhereNew: (name: Name, texts: readonly string[], value: string) => boolean
}

const macLength = 44

/** The MAC covers the name with the prefix of the settings, so that no value is taken for another cookie's. */
function signedValues<Name extends string>(signer: Signer, prefix: string): SignedValues<Name> {
  const textOf = (name: Name, value: string) => `cookie:${prefix}.${name}:${value}`
  const verify = (name: Name, text: string) => {
    const read = split(text)
    return read && signer.verifies(textOf(name, read.value), read.mac) ? read.value : null
  }
  const isOutdated = (name: Name, text: string) => {
    const read = split(text)
    return read !== null && signer.isOutdated(textOf(name, read.value), read.mac)
  }
  return {
    signed: (name, value) => encodeURIComponent(`${value}.${signer.sign(textOf(name, value)).toString('base64')}`),
    verify,
    isOutdated,
    isNowhereNew(name, texts, value) {
      if (!signer.isRotating) return false
      const same = texts.filter((text) => verify(name, text) === value)
      return same.length > 0 && same.every((text) => isOutdated(name, text))
    },
  }
}

function split(text: string): { readonly value: string; readonly mac: Buffer } | null {
  const decoded = decode(text)
  const dot = decoded.lastIndexOf('.')
  const mac = decoded.slice(dot + 1)
  return dot < 1 || mac.length !== macLength ? null : { value: decoded.slice(0, dot), mac: readMac(mac, 'base64') }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Binds what was begun with a provider to the browser that began it: a cookie for each, so that several go on at once. */
interface StateCookies {
  /** The lines for a new state. Of very many, older ones are given up. */
  readonly bindState: (header: string, state: string) => string[]
  /** Whether a state was begun in this browser. */
  readonly hasState: (header: string, state: string) => boolean
  readonly clearState: (state: string) => string
}

type StateCookieName = `state.${string}`

/** How our cookies are read and written. */
interface StateMeans {
  /** What the names of all state cookies begin with, security prefix included. */
  readonly start: string
  readonly values: (header: string, name: StateCookieName) => readonly string[]
  readonly signed: (name: StateCookieName, value: string) => string
  readonly verify: (name: StateCookieName, text: string) => string | null
  readonly write: (name: StateCookieName, value: string, maxAge: number | null) => string
}

/** Seconds that a state lives; and how many one browser may have open, so that its headers stay short. */
const stateLife = 600
const maxStates = 8

const stateCookies = ({ start, values, signed, verify, write }: StateMeans): StateCookies => ({
  bindState(header, state) {
    const others = [...new Set(tagsIn(header, start))].slice(maxStates - 1)
    const name = nameOf(state)
    return [...others.map((tag) => write(`state.${tag}`, '', 0)), write(name, signed(name, state), stateLife)]
  },
  hasState: (header, state) => values(header, nameOf(state)).some((text) => verify(nameOf(state), text) === state),
  clearState: (state) => write(nameOf(state), '', 0),
})

/** A name for each state; of what a caller made up only what a name may hold. */
const nameOf = (state: string): StateCookieName => `state.${state.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 8)}`

const tagsIn = (header: string, start: string): string[] =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(start) ? [pair.slice(start.length, pair.indexOf('='))] : []))
    .filter((tag) => /^[A-Za-z0-9]{1,8}$/.test(tag))
