import type { Impersonation } from '../../accounts/accounts.ts'
import { parseJson } from '../json.ts'

/** A cookie with the attributes of RFC 6265 section 5.3, and the time its Set-Cookie header arrived. */
export interface StoredCookie {
  readonly key: string
  readonly value: string
  readonly domain: string
  readonly path: string
  readonly hostOnly: boolean
  readonly secure?: boolean
  readonly httpOnly?: boolean
  readonly sameSite?: string
  readonly extensions?: readonly string[]
  /** ISO time, or `Infinity` for a session cookie. */
  readonly expires: string
  readonly creation: string
  /** Milliseconds since 1970. */
  readonly writtenAt: number
}

/** Remembers a removed cookie, so that an older answer cannot bring it back. */
export interface Removal {
  readonly key: string
  readonly domain: string
  readonly path: string
  readonly writtenAt: number
}

/** The whole content of a jar's file. */
export interface JarContent {
  readonly format: 1
  readonly origin: string
  readonly account: string
  readonly token?: string | undefined
  readonly impersonation?: Impersonation | undefined
  readonly cookies: readonly StoredCookie[]
  readonly removed: readonly Removal[]
}

const jarFormat = 1

export const emptyJar = (origin: string, account: string): JarContent => ({
  format: jarFormat,
  origin,
  account,
  cookies: [],
  removed: [],
})

/** The cookies that a request at this time would carry: neither expired nor empty. */
export const liveCookies = (content: JarContent, now: number): readonly StoredCookie[] =>
  content.cookies.filter(({ value, expires }) => value !== '' && !(Date.parse(expires) <= now))

/** Whether the jar holds a token or a live session cookie. */
export const isSignedIn = (content: JarContent, now: number): boolean =>
  content.token !== undefined || liveCookies(content, now).some(({ key }) => isSessionCookie(key))

/** Matches the session cookie under any prefix that the service is configured with. */
export const isSessionCookie = (key: string): boolean => /(?:^|[.-])session_token$/.test(key)

/** The cookie by which the service recognizes this machine after a sign-out. It signs nobody in. */
export const isDeviceCookie = (key: string): boolean => /(?:^|[.-])known_device$/.test(key)

/** A text that is no jar: `newer` when a later version wrote it, otherwise `corrupt`. */
export class JarFormatError extends Error {
  readonly kind: 'newer' | 'corrupt'

  constructor(kind: 'newer' | 'corrupt', message: string) {
    super(message)
    this.kind = kind
  }
}

/** Parses a jar's text. Throws JarFormatError. */
export function parseJar(text: string): JarContent {
  const value = parsed(text)
  const { format } = Object(value)
  if (Number.isSafeInteger(format) && format > jarFormat) throw new JarFormatError('newer', `format ${format}`)
  if (!isContent(value)) throw new JarFormatError('corrupt', 'it does not have the shape of a jar')
  return value
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw new JarFormatError('corrupt', 'it is not JSON')
  }
}

const isContent = (value: unknown): value is JarContent => hasShape(value, contentShape)

type Is = (value: unknown) => boolean

const hasShape = (value: unknown, shape: Readonly<Record<string, Is>>): boolean =>
  Object.entries(shape).every(([field, is]) => is(Object(value)[field]))

const maybe =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value)
const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is)
const isText: Is = (value) => typeof value === 'string'
const isFlag: Is = (value) => typeof value === 'boolean'
const isTime: Is = (value) => isText(value) && Number.isFinite(Date.parse(String(value)))
const matches =
  (pattern: RegExp): Is =>
  (value) =>
    isText(value) && pattern.test(String(value))

/** A token of RFC 9110: other characters could split a header. */
export const isCookieName: Is = matches(/^[!#$%&'*+\-.^_`|~\w]+$/)
/** Printable ASCII without `;`, as browsers accept it. RFC 6265 section 4.1.1 allows less. */
export const isCookieValue: Is = matches(/^[\x20-\x3a\x3c-\x7e]*$/)
/** A credential allowed in an Authorization header, slightly wider than RFC 6750 section 2.1. */
export const isToken: Is = matches(/^[\x21-\x7e]{1,8192}$/)

const removalShape = { key: isCookieName, domain: isText, path: isText, writtenAt: Number.isFinite }

const cookieShape = {
  ...removalShape,
  value: isCookieValue,
  hostOnly: isFlag,
  secure: maybe(isFlag),
  httpOnly: maybe(isFlag),
  sameSite: maybe(isText),
  extensions: maybe(listOf(isText)),
  expires: (value: unknown) => value === 'Infinity' || isTime(value),
  creation: isTime,
}

const impersonationShape = { email: isText, token: isToken, expiresAt: isTime }

const contentShape = {
  format: (value: unknown) => value === jarFormat,
  origin: isText,
  account: isText,
  token: maybe(isToken),
  impersonation: maybe((value) => hasShape(value, impersonationShape)),
  cookies: listOf((value) => hasShape(value, cookieShape)),
  removed: listOf((value) => hasShape(value, removalShape)),
}
