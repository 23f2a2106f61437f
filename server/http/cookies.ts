import type { Config } from '../config.ts'
import type { Keys, Signer } from '../crypto/keys.ts'
import type { Sealer } from '../crypto/sealer.ts'
import { rememberVerified } from '../crypto/verified-texts.ts'
import type { IssuedSession, KeptAdminSession } from '../request/client.ts'
import { cookieSecurityOf } from './cookie-security.ts'
import { soleValue, splitSigned, valuesOf } from './cookie-values.ts'
import { type ImportedCookie, importedCookie } from './imported-cookie.ts'
import { type KeptCookieName, type KeptSessions, keptSessions } from './kept-sessions.ts'

/** Longest life a browser grants a cookie (RFC 6265bis): 400 days, in seconds. */
const maxLife = 34_560_000
/** Seconds for which the sign-up cookie can prove a mailed link that is asked for again. */
const signUpLife = 7 * 86_400
/**
 * Seconds for which a caller's last write decides where their lists are read: after ten, every replica that is read has
 * it.
 */
const positionLife = 30

/** The name by which better-auth's client reads it, in every page and without a prefix. Its life is better-auth's. */
const lastMethodName = 'better-auth.last_used_login_method'
const lastMethodLife = 30 * 86_400
const lastMethodLine = (method: string, attributes: string): string =>
  `${lastMethodName}=${method}; Max-Age=${lastMethodLife}${attributes}`

type CookieName =
  | 'session_token'
  | 'session_data'
  | 'dont_remember'
  | 'known_device'
  | 'device_claim'
  | 'sign_up'
  | PositionCookieName
  | AdminCookieName
  | KeptCookieName
  | StateCookieName

/** The service's cookies: reads the validly signed ones and writes Set-Cookie lines. */
export interface Cookies extends StateCookies, AdminCookie, PositionCookie, KeptSessions, ImportedCookie {
  /** The value of a signed cookie. Null when there is none, or when two valid ones differ. */
  read(header: string, name: CookieName): string | null
  /** The token in a validly signed bearer value, which may be percent-encoded. Null otherwise. */
  readSigned(text: string): string | null
  /** Whether an older secret signed the token, in the header or the bearer value, and the newest signed it nowhere. */
  isOutdated(token: string, header: string, bearer: string): boolean
  /** The raw value of the cache cookie, which has its own signature. */
  readRaw(header: string, name: CookieName): string | null
  /** The marks of known devices, which have their own signatures. */
  readMarks(header: string): string[]
  /** The account that this browser signed up with. Null when it keeps none. */
  readSignUp(header: string): string | null
  /** The cookie line that keeps it. Encrypted, so that the answers for a new and for a taken address look alike. */
  signUp(accountId: string): string
  /** The lines that give a session to a browser, and the encoded token, as sent in `set-auth-token`. */
  issue(issued: IssuedSession): { readonly lines: readonly string[]; readonly authToken: string }
  /** The line that tells the page by which method somebody signed in last. Null when that is off. */
  lastMethod(method: string): string | null
  /** The line that keeps a known device's mark for as long as browsers allow. */
  mark(mark: string): string
  write(name: CookieName, value: string, maxAge: number | null): string
  /** The same with a signature, for `read`. */
  writeSigned(name: CookieName, value: string, maxAge: number | null): string
  /** The line that removes the cached session. None when no client may keep one. */
  clearCachedSession(): readonly string[]
  /** The lines that remove the session. A known device stays known. */
  clear(): string[]
  /** The lines that remove the device marks of a Cookie header. */
  clearMarks(header: string): string[]
}

/** About 2 MB. */
const rememberedTokens = 5000

type CookieKeys = Pick<Keys, 'cookie' | 'signUp' | 'position'>

export function createCookies(config: Config, { cookie: signer, signUp: sealer, position }: CookieKeys): Cookies {
  const { prefix, attributes, redirectAttributes, readableAttributes } = cookieSecurityOf(config)
  const bare = (name: CookieName) => `${config.COOKIE_PREFIX}.${name}`
  const { signed, verify, isOutdated, isNowhereNew } = signedValues<CookieName>(signer, config.COOKIE_PREFIX)
  const write = (name: CookieName, value: string, maxAge: number | null) =>
    `${prefix}${bare(name)}=${value}${maxAge === null ? '' : `; Max-Age=${Math.min(maxAge, maxLife)}`}${isForRedirects(name) ? redirectAttributes : attributes}`
  const writeSigned: Cookies['writeSigned'] = (name, value, maxAge) => write(name, signed(name, value), maxAge)
  const clear = (name: CookieName) => write(name, '', 0)
  const clearCachedSession = () => (config.COOKIE_CACHE ? [clear('session_data')] : [])
  const values = (header: string, name: CookieName) => valuesOf(header, `${prefix}${bare(name)}`)

  const readToken = rememberVerified(rememberedTokens, (text) => verify('session_token', text))
  const read = (header: string, name: CookieName) =>
    soleValue(values(header, name), name === 'session_token' ? readToken : (text) => verify(name, text))

  return {
    read,
    readSigned: readToken,
    isOutdated: (token, header, bearer) =>
      isNowhereNew('session_token', [bearer, ...values(header, 'session_token')], token),
    readRaw: (header, name) => values(header, name)[0] ?? null,
    readMarks: (header) => values(header, 'known_device'),
    ...signUpCookie(sealer, { values, write }),
    ...positionCookie(position, { values, write }),
    issue: issuer({ signed, write, clear, clearCachedSession }),
    lastMethod: (method) => (config.LAST_LOGIN_METHOD ? lastMethodLine(method, readableAttributes) : null),
    mark: (text) => write('known_device', text, maxLife),
    write,
    writeSigned,
    ...adminCookie({ life: config.IMPERSONATION_SESSION_DURATION, values, read, isOutdated, signed, write }),
    ...keptSessions(config, { start: `${prefix}${config.COOKIE_PREFIX}.`, read, writeSigned, clear }),
    ...importedCookie(config, `${prefix}${config.COOKIE_PREFIX}.`),
    ...stateCookies({ start: `${prefix}${config.COOKIE_PREFIX}.state.`, values, signed, verify, write }),
    clearCachedSession,
    clear: () => [clear('session_token'), clear('session_data'), clear('dont_remember')],
    clearMarks: (header) => (values(header, 'known_device').length > 0 ? [clear('known_device')] : []),
  }
}

interface IssuerContext {
  readonly signed: (name: CookieName, value: string) => string
  readonly write: Cookies['write']
  readonly clear: (name: CookieName) => string
  readonly clearCachedSession: Cookies['clearCachedSession']
}

const issuer =
  ({ signed, write, clear, clearCachedSession }: IssuerContext): Cookies['issue'] =>
  ({ token, maxAge, mark }) => {
    const authToken = signed('session_token', token)
    const lines = [
      write('session_token', authToken, maxAge),
      maxAge === null ? write('dont_remember', signed('dont_remember', 'true'), null) : clear('dont_remember'),
      ...clearCachedSession(),
      ...(mark ? [write('known_device', mark, maxLife)] : []),
    ]
    return { lines, authToken }
  }

interface SignUpCookieContext {
  readonly values: (header: string, name: 'sign_up') => readonly string[]
  readonly write: (name: 'sign_up', value: string, maxAge: number) => string
}

const signUpCookie = (
  sealer: Sealer,
  { values, write }: SignUpCookieContext,
): Pick<Cookies, 'readSignUp' | 'signUp'> => ({
  readSignUp: (header) => soleValue(values(header, 'sign_up'), (text) => unseal(sealer, text, 'sign-up')),
  signUp: (accountId) => write('sign_up', sealer.seal(accountId, 'sign-up').toString('base64url'), signUpLife),
})

/** Whether it has to arrive when a provider leads the browser back. */
const isForRedirects = (name: CookieName): boolean => name === 'device_claim' || name.startsWith('state.')

/**
 * Keeps where the primary database was after the caller's last write. Encrypted, since it tells how much is written.
 */
interface PositionCookie {
  /** Null without one, undefined for what is not ours. */
  readonly readPosition: (header: string) => string | null | undefined
  readonly position: (text: string) => string
}

type PositionCookieName = 'position'

interface PositionCookieContext {
  readonly values: (header: string, name: PositionCookieName) => readonly string[]
  readonly write: (name: PositionCookieName, value: string, maxAge: number) => string
}

const positionCookie = (sealer: Sealer, { values, write }: PositionCookieContext): PositionCookie => ({
  readPosition(header) {
    const [text] = values(header, 'position')
    return text === undefined ? null : (unseal(sealer, text, 'position') ?? undefined)
  },
  position: (text) => write('position', sealer.seal(text, 'position').toString('base64url'), positionLife),
})

function unseal(sealer: Sealer, text: string, id: string): string | null {
  try {
    return sealer.open(Buffer.from(text, 'base64url'), id)
  } catch {
    return null
  }
}

/**
 * Keeps an administrator's own session in their browser while they impersonate a user. It is accepted only to return to
 * that session, and to end it with a sign-out.
 */
interface AdminCookie {
  readonly keepAdmin: (kept: KeptAdminSession) => string
  readonly readAdmin: (header: string) => KeptAdminSession | null
  /** The line that keeps it for `remaining` seconds, signed again. Empty unless an older secret signed it. */
  readonly renewAdmin: (header: string, remaining: number) => string[]
  /** The lines that remove it when the header has it. */
  readonly clearAdmin: (header: string) => string[]
}

const name = 'admin_session'
type AdminCookieName = typeof name

interface AdminCookieContext {
  /** Seconds. */
  readonly life: number
  readonly values: (header: string, name: AdminCookieName) => readonly string[]
  readonly read: (header: string, name: AdminCookieName) => string | null
  readonly isOutdated: (name: AdminCookieName, text: string) => boolean
  readonly signed: (name: AdminCookieName, value: string) => string
  readonly write: (name: AdminCookieName, value: string, maxAge: number) => string
}

const adminCookie = ({ life, values, read, isOutdated, signed, write }: AdminCookieContext): AdminCookie => ({
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

/** Signs and verifies the values of our cookies. `name`: the cookie's, without any prefix. */
interface SignedValues<Name extends string> {
  readonly signed: (name: Name, value: string) => string
  /** The value, when any secret signed it for this cookie. Null otherwise. */
  readonly verify: (name: Name, text: string) => string | null
  /** Whether an older secret signed it and the newest did not. */
  readonly isOutdated: (name: Name, text: string) => boolean
  /** Whether some of the texts hold this value, and the newest secret signed none of those. */
  readonly isNowhereNew: (name: Name, texts: readonly string[], value: string) => boolean
}

/** The MAC covers the name with the configured prefix, so that a value is not accepted for another cookie. */
function signedValues<Name extends string>(signer: Signer, prefix: string): SignedValues<Name> {
  const textOf = (name: Name, value: string) => `cookie:${prefix}.${name}:${value}`
  const verify = (name: Name, text: string) => {
    const read = splitSigned(text)
    return read && signer.verifies(textOf(name, read.value), read.mac) ? read.value : null
  }
  const isOutdated = (name: Name, text: string) => {
    const read = splitSigned(text)
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

/**
 * Binds a flow at a provider to the browser that began it. Each flow has its own cookie, so several can run at once.
 */
interface StateCookies {
  /** The lines for a new state. Beyond the maximum, the oldest are dropped. */
  readonly bindState: (header: string, state: string) => string[]
  /** Whether a state began in this browser. */
  readonly hasState: (header: string, state: string) => boolean
  readonly clearState: (state: string) => string
}

type StateCookieName = `state.${string}`

interface StateCookieContext {
  /** Prefix of all state cookies' names, including the security prefix. */
  readonly start: string
  readonly values: (header: string, name: StateCookieName) => readonly string[]
  readonly signed: (name: StateCookieName, value: string) => string
  readonly verify: (name: StateCookieName, text: string) => string | null
  readonly write: (name: StateCookieName, value: string, maxAge: number | null) => string
}

/** Lifetime of a state in seconds, and how many one browser may have open, so that its headers stay short. */
const stateLife = 600
const maxStates = 8

const stateCookies = ({ start, values, signed, verify, write }: StateCookieContext): StateCookies => ({
  bindState(header, state) {
    const oldest = [...new Set(tagsIn(header, start))].slice(0, 1 - maxStates)
    const name = nameOf(state)
    return [...oldest.map((tag) => write(`state.${tag}`, '', 0)), write(name, signed(name, state), stateLife)]
  },
  hasState: (header, state) => values(header, nameOf(state)).some((text) => verify(nameOf(state), text) === state),
  clearState: (state) => write(nameOf(state), '', 0),
})

/** One name per state. Characters that a cookie name cannot hold are dropped, since callers may make up a state. */
const nameOf = (state: string): StateCookieName => `state.${state.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 8)}`

/** In the order of the browser: the oldest first. */
const tagsIn = (header: string, start: string): string[] =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(start) ? [pair.slice(start.length, pair.indexOf('='))] : []))
    .filter((tag) => /^[A-Za-z0-9]{1,8}$/.test(tag))
