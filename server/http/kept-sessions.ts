import type { Config } from '../config.ts'
import { digestOf } from '../crypto/token.ts'
import type { IssuedSession } from '../request/client.ts'
import { mostDeviceSessions } from '../settings/schema.ts'

/**
 * Keeps the sessions of several accounts in one browser, so that it can change between them: a cookie for each account,
 * beside the cookie of the active session. Its name says nothing about the token, since names of cookies get into logs.
 */
export interface KeptSessions {
  /** The tokens in all validly signed cookies, also in those of a time when the setting allowed more. */
  readonly readHeld: (header: string) => readonly string[]
  /** The same, at most as many as the setting allows. */
  readonly readKept: (header: string) => readonly string[]
  /** Whether a session of this user fits into the browser beside the active one. */
  readonly hasRoomFor: (header: string, userId: string) => boolean
  /**
   * The lines that keep a session which begins or is renewed. It takes the place of its account's earlier one, and of
   * the active one when the browser is full.
   */
  readonly keep: (header: string, issued: IssuedSession) => string[]
  /** The lines that remove the cookie of a token. */
  readonly forget: (header: string, token: string) => string[]
  readonly forgetAll: (header: string) => string[]
}

const start = 'session_token_multi-'
export type KeptCookieName = `${typeof start}${string}`

interface KeptSessionsContext {
  /** What precedes our names. */
  readonly start: string
  /** The value that all validly signed cookies of a name agree on. */
  readonly read: (header: string, name: KeptCookieName | 'session_token') => string | null
  readonly writeSigned: (name: KeptCookieName, value: string, maxAge: number | null) => string
  readonly clear: (name: KeptCookieName) => string
}

/** With MULTI_SESSION=0 nothing is kept. */
export function keptSessions(
  { MULTI_SESSION: max }: Pick<Config, 'MULTI_SESSION'>,
  { read, writeSigned, clear, ...cookies }: KeptSessionsContext,
): KeptSessions {
  const names = namesIn(`${cookies.start}${start}`)
  const heldIn = (header: string) =>
    names(header)
      .flatMap((name) => tokenOf(name, read(header, name)))
      .slice(0, mostDeviceSessions)
  const keptIn = (header: string) => heldIn(header).slice(0, max)
  const isOwnOrFits = (kept: readonly Kept[], name: KeptCookieName) =>
    kept.length < max || kept.some((one) => one.name === name)
  return {
    readHeld: (header) => heldIn(header).map(({ token }) => token),
    readKept: (header) => keptIn(header).map(({ token }) => token),
    hasRoomFor: (header, userId) => isOwnOrFits(keptIn(header), nameFor(userId)),
    keep(header, { userId, token, maxAge }) {
      if (max === 0 || !userId) return []
      const [kept, name] = [keptIn(header), nameFor(userId)]
      const line = writeSigned(name, token, maxAge)
      if (isOwnOrFits(kept, name)) return [line]
      const active = read(header, 'session_token')
      const replaced = kept.find((one) => one.token === active)
      return replaced ? [clear(replaced.name), line] : []
    },
    forget: (header, token) => heldIn(header).flatMap((one) => (one.token === token ? [clear(one.name)] : [])),
    forgetAll: (header) => names(header).map(clear),
  }
}

interface Kept {
  readonly name: KeptCookieName
  readonly token: string
}

const tokenOf = (name: KeptCookieName, token: string | null): readonly Kept[] =>
  token === null ? [] : [{ name, token }]

/** The user in the name, and so under the signature: nobody's cookie passes for that of another account. */
const nameFor = (userId: string): KeptCookieName => `${start}${digestOf(userId).toString('hex').slice(0, 16)}`

/** Our names in a header, each once, in the order of the browser: the oldest first. */
const namesIn =
  (prefix: string) =>
  (header: string): readonly KeptCookieName[] => {
    if (!header.includes(prefix)) return []
    const tags = header.split(';').flatMap((pair) => {
      const name = pair.slice(0, pair.indexOf('=')).trim()
      return name.startsWith(prefix) ? [name.slice(prefix.length)] : []
    })
    return [...new Set(tags.filter((tag) => /^[a-f0-9]{16}$/.test(tag)))].map((tag): KeptCookieName => `${start}${tag}`)
  }
