import { isDeviceCookie, isSessionCookie, type JarContent, type Removal, type StoredCookie } from './content.ts'

/** The cookies of one answer, and the state of its request. */
export interface AnswerCookies {
  readonly cookies: readonly StoredCookie[]
  /** Names and values in the request's Cookie header. Absent when unknown. */
  readonly sent?: ReadonlyMap<string, string>
  readonly receivedAt: number
  /** Time of the merge. Anything written later than this dates from before the clock was set back. */
  readonly now: number
}

type CookieKey = Pick<StoredCookie, 'key' | 'domain' | 'path'>

const maxCookies = 1_000
const maxRemovals = 100
const removalLife = 3_600_000

/** Merges an answer's cookies into the jar. Returns the same object when nothing changes. */
export function mergeAnswer(content: JarContent, answer: AnswerCookies): JarContent {
  const gone = staleSessionCookie(content, answer)
  const isGone = ({ key }: CookieKey) => gone !== undefined && belongsTo(gone, key)
  return answer.cookies.reduce(
    (jar, cookie) => (isGone(cookie) || isOutdated(jar, cookie, answer) ? jar : put(jar, cookie)),
    content,
  )
}

/** The jar without tokens and cookies, except the known-device cookie. All removals are recorded. */
export function clearedJar(content: JarContent, now: number): JarContent {
  const cookies = content.cookies.filter(({ key }) => isDeviceCookie(key))
  const hasToken = content.token !== undefined || content.impersonation !== undefined
  if (cookies.length === content.cookies.length && !hasToken) return content
  const gone = content.cookies.filter((cookie) => !cookies.includes(cookie))
  const removed = [...content.removed, ...gone.map((cookie) => removalOf(cookie, now))]
  return { ...content, token: undefined, impersonation: undefined, cookies, removed: remembered(removed, now) }
}

// The name of the session cookie when another process signed out, or in again, during this request. The answer concerns
// the old session: storing it would restore that session or end the new one.
function staleSessionCookie(content: JarContent, { cookies, sent }: AnswerCookies): string | undefined {
  const [key, value] = [...(sent ?? [])].find(([name]) => isSessionCookie(name)) ?? []
  const isHeld = content.cookies.some((cookie) => cookie.key === key && cookie.value === value)
  const isNew = cookies.some((cookie) => cookie.key === key && cookie.value !== '' && cookie.value !== value)
  return isHeld || isNew ? undefined : key
}

// The session cookie and the other cookies with its prefix are set and removed together.
const belongsTo = (sessionKey: string, key: string): boolean =>
  key === sessionKey || (sessionKey.includes('.') && key.startsWith(sessionKey.replace(/[^.]*$/, '')))

// A cookie that is returned unchanged, or removed, concerns the value in the request: it counts only while the jar
// still holds that value. A new value counts unless a later value or removal exists.
function isOutdated(content: JarContent, cookie: StoredCookie, { sent, receivedAt, now }: AnswerCookies): boolean {
  const held = content.cookies.find((other) => isSameKey(other, cookie))
  const carried = sent?.get(cookie.key)
  const isAboutSent = carried !== undefined && (cookie.value === '' || cookie.value === carried)
  if (isAboutSent) return held?.value !== carried
  const last = held ?? content.removed.find((other) => isSameKey(other, cookie))
  return last !== undefined && last.writtenAt > receivedAt && last.writtenAt <= now
}

function put(content: JarContent, cookie: StoredCookie): JarContent {
  const old = content.cookies.find((other) => isSameKey(other, cookie))
  if (cookie.value === '') return old ? without(content, old, cookie.writtenAt) : content
  if (old && isSameCookie(old, cookie)) return content
  const kept = content.cookies.filter((other) => other !== old)
  const fresh = old ? { ...cookie, creation: old.creation } : cookie
  return {
    ...content,
    cookies: [...kept, fresh].slice(-maxCookies),
    removed: content.removed.filter((other) => !isSameKey(other, cookie)),
  }
}

const without = (content: JarContent, old: StoredCookie, now: number): JarContent => ({
  ...content,
  cookies: content.cookies.filter((cookie) => cookie !== old),
  removed: remembered([...content.removed, removalOf(old, now)], now),
})

const removalOf = ({ key, domain, path }: StoredCookie, writtenAt: number): Removal => ({
  key,
  domain,
  path,
  writtenAt,
})

const remembered = (removed: readonly Removal[], now: number): readonly Removal[] =>
  removed.filter(({ writtenAt }) => now - writtenAt < removalLife).slice(-maxRemovals)

const isSameKey = (a: CookieKey, b: CookieKey): boolean => a.key === b.key && a.domain === b.domain && a.path === b.path

const isSameCookie = (a: StoredCookie, b: StoredCookie): boolean => withoutTimes(a) === withoutTimes(b)
const withoutTimes = (cookie: StoredCookie): string => {
  const timeless: StoredCookie = { ...cookie, creation: '', writtenAt: 0 }
  return JSON.stringify(Object.entries(timeless).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
