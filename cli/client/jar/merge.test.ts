import { expect, test } from 'vitest'
import { emptyJar, type JarContent, type StoredCookie } from './content.ts'
import { type AnswerCookies, clearedJar, mergeAnswer } from './merge.ts'

const session = 'postern.session_token'

const cookie = (key: string, value: string, writtenAt: number): StoredCookie => ({
  key,
  value,
  domain: 'localhost',
  path: '/',
  hostOnly: true,
  expires: 'Infinity',
  creation: '2026-01-01T00:00:00.000Z',
  writtenAt,
})

const answerAt = (at: number, cookies: Record<string, string>, sent?: Record<string, string>): AnswerCookies => ({
  cookies: Object.entries(cookies).map(([key, value]) => cookie(key, value, at)),
  receivedAt: at,
  now: at + 1_000,
  ...(sent ? { sent: new Map(Object.entries(sent)) } : {}),
})

const jarWith = (...answers: AnswerCookies[]): JarContent =>
  answers.reduce(mergeAnswer, emptyJar('http://localhost', 'me@example.com'))

const valuesIn = ({ cookies }: JarContent) => Object.fromEntries(cookies.map(({ key, value }) => [key, value]))

test('cookies of different answers add up, and the newest of one name wins', () => {
  const jar = jarWith(answerAt(1, { a: '1' }), answerAt(3, { b: '1', c: '3' }), answerAt(2, { b: '2', c: '2' }))
  expect(valuesIn(jar)).toEqual({ a: '1', b: '1', c: '3' })
})

test('the same name under another path is another cookie', () => {
  const other = { ...answerAt(2, {}), cookies: [{ ...cookie('a', '2', 2), path: '/api' }] }
  expect(jarWith(answerAt(1, { a: '1' }), other).cookies).toHaveLength(2)
})

test('an answer that changes nothing leaves the jar the same object', () => {
  const jar = jarWith(answerAt(1, { a: '1' }))
  expect(mergeAnswer(jar, answerAt(2, { a: '1' }))).toBe(jar)
  expect(mergeAnswer(jar, answerAt(2, { gone: '' }))).toBe(jar)
  expect(mergeAnswer(jar, answerAt(2, {}))).toBe(jar)
})

test('a removal wins over an older value that arrives at the file later', () => {
  const jar = jarWith(answerAt(1, { a: '1' }), answerAt(5, { a: '' }), answerAt(4, { a: '2' }))
  expect(valuesIn(jar)).toEqual({})
  expect(valuesIn(mergeAnswer(jar, answerAt(6, { a: '3' })))).toEqual({ a: '3' })
})

test('a late answer brings back nothing that was removed twice', () => {
  const twice = jarWith(
    answerAt(1, { a: '1' }),
    answerAt(5, { a: '' }),
    answerAt(6, { a: '2' }),
    answerAt(9, { a: '' }),
  )
  expect(valuesIn(mergeAnswer(twice, answerAt(8, { a: '3' })))).toEqual({})
})

test('emptying ends an impersonation, be it all that there is', () => {
  const impersonation = { email: 'bob@example.com', token: 'theirs', expiresAt: '2026-01-09T03:04:05.000Z' }
  const jar = { ...jarWith(), impersonation }
  expect(clearedJar(jar, 2).impersonation).toBeUndefined()
  expect(clearedJar({ ...jar, token: 't' }, 2)).toMatchObject({ token: undefined, impersonation: undefined })
})

test('emptying leaves by what the machine is known, under any prefix, and nothing else', () => {
  const device = '__Secure-app.known_device'
  const others = { 'postern.known_devices': 'x', 'postern.unknown_device': 'x', other: '1' }
  const jar = jarWith(answerAt(1, { [session]: 's', [device]: 'd', ...others }))
  const out = clearedJar({ ...jar, token: 't' }, 2)
  expect([valuesIn(out), out.token]).toEqual([{ [device]: 'd' }, undefined])
  expect(clearedJar(out, 3)).toBe(out)
})

test('a refresh that was on its way during a sign-out does not bring the session back', () => {
  const sent = { [session]: 's1' }
  const signedIn = jarWith(answerAt(1, { [session]: 's1' }))
  const signedOut = mergeAnswer(signedIn, answerAt(5, { [session]: '' }, sent))
  const late = answerAt(9, { [session]: 's1', 'postern.session_data': 'fresh' }, sent)
  expect(mergeAnswer(signedOut, late)).toBe(signedOut)
  expect(mergeAnswer(clearedJar(signedIn, 5), late).cookies).toEqual([])
})

test('what such an answer sets besides the session is kept', () => {
  const sent = { [session]: 's1' }
  const out = jarWith(answerAt(1, { [session]: 's1' }), answerAt(5, { [session]: '' }, sent))
  const late = answerAt(9, { [session]: 's1', 'postern.session_data': 'd', other: '1' }, sent)
  expect(valuesIn(mergeAnswer(out, late))).toEqual({ other: '1' })
})

test('so it is where the name of the session has no prefix', () => {
  const sent = { session_token: 's1' }
  const out = jarWith(answerAt(1, sent), answerAt(5, { session_token: '' }, sent))
  expect(valuesIn(mergeAnswer(out, answerAt(9, { ...sent, other: '1' }, sent)))).toEqual({ other: '1' })
})

test('an answer about the old session neither ends nor replaces a new one', () => {
  const jar = jarWith(answerAt(1, { [session]: 'old' }), answerAt(5, { [session]: 'new' }, { [session]: 'old' }))
  for (const value of ['', 'old']) {
    for (const data of ['', 'theirs']) {
      const late = answerAt(9, { [session]: value, 'postern.session_data': data }, { [session]: 'old' })
      expect(mergeAnswer(jar, late)).toBe(jar)
    }
  }
})

test('any cookie sent back or removed counts only while the jar holds what was sent', () => {
  const sent = { flag: 'old' }
  const removed = jarWith(answerAt(1, { flag: 'old' }), answerAt(5, { flag: '' }, sent))
  expect(mergeAnswer(removed, answerAt(9, { flag: 'old' }, sent))).toBe(removed)
  const replaced = jarWith(answerAt(1, { flag: 'old' }), answerAt(5, { flag: 'new' }, sent))
  expect(mergeAnswer(replaced, answerAt(9, { flag: '' }, sent))).toBe(replaced)
})

test('a sign-out removes the session that it carried, and what belongs to it', () => {
  const jar = jarWith(answerAt(1, { [session]: 's1', 'postern.session_data': 'd', other: 'kept' }))
  const out = mergeAnswer(jar, answerAt(2, { [session]: '', 'postern.session_data': '' }, { [session]: 's1' }))
  expect(valuesIn(out)).toEqual({ other: 'kept' })
})

test('a sign-in during somebody else’s sign-out stays', () => {
  const sent = { [session]: 'old' }
  const out = jarWith(answerAt(1, { [session]: 'old' }), answerAt(4, { [session]: '' }, sent))
  expect(valuesIn(mergeAnswer(out, answerAt(5, { [session]: 'new' }, sent)))).toEqual({ [session]: 'new' })
})

test('the same value after a sign-out and a new sign-in is kept', () => {
  const jar = jarWith(answerAt(1, { flag: 'true' }), answerAt(2, { flag: '' }), answerAt(3, { flag: 'true' }, {}))
  expect(valuesIn(jar)).toEqual({ flag: 'true' })
})

test('a clock that went back keeps nobody from signing in', () => {
  const jar = jarWith(answerAt(9_000_000, { [session]: 'old' }))
  expect(valuesIn(mergeAnswer(jar, answerAt(5, { [session]: 'new' })))).toEqual({ [session]: 'new' })
})

test('cookies and remembered removals are bounded: the oldest go', () => {
  const many = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`c${at}`, 'x']))
  const jar = jarWith(answerAt(1, many))
  expect(jar.cookies.map(({ key }) => key)).toEqual(Object.keys(many).slice(200))
  expect(clearedJar(jar, 2).removed.map(({ key }) => key)).toEqual(Object.keys(many).slice(-100))
  expect(clearedJar({ ...clearedJar(jar, 2), token: 't' }, 4_000_000).removed).toEqual([])
})
