import fc from 'fast-check'
import { Cookie, CookieJar } from 'tough-cookie'
import { expect, test } from 'vitest'
import { fuzzRuns } from '../../../server/testing/rounds.ts'
import type { StoredCookie } from './content.ts'
import { readSetCookies, writeCookieHeader } from './cookies.ts'

const paths = ['/', '/api', '/api/', '/api/auth', '/api/auth/ok', '/apiary']
const hosts = [
  'id.example.com',
  'a.id.example.com',
  'my-id.example.com',
  'localhost',
  '127.0.0.1',
  '[::1]',
  'acme.github.io',
]
const urlAt = (host: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('http', 'https'), host, fc.constantFrom(...paths))
    .map(([scheme, name, path]) => `${scheme}://${name}${path}`)

const attributes = [
  '; Secure',
  '; HttpOnly',
  '; SameSite=Strict',
  ...['example.com', 'id.example.com', '.id.example.com', 'github.io', '0.0.1', 'localhost'].map(
    (domain) => `; Domain=${domain}`,
  ),
  ...paths.map((path) => `; Path=${path}`),
]
const line = fc
  .tuple(fc.constantFrom('a', 'b', '__Host-c', '__Secure-d'), fc.subarray(attributes, { maxLength: 3 }))
  .map(([name, some]) => `${name}=1${some.join('')}`)

/** The header that tough-cookie sends for the same cookies. */
async function headerOf(target: string, cookies: readonly StoredCookie[]): Promise<string> {
  const jar = new CookieJar(undefined, { prefixSecurity: 'strict', allowSecureOnLocal: false })
  for (const { writtenAt: _, ...stored } of cookies) {
    const cookie = Cookie.fromJSON(stored)
    if (cookie) await jar.store.putCookie(cookie)
  }
  return jar.getCookieString(target)
}

/** Of cookies with equal name, domain and path, a jar keeps the last. */
const keptOf = (cookies: readonly StoredCookie[]): readonly StoredCookie[] => [
  ...new Map(cookies.map((cookie) => [`${cookie.key} ${cookie.domain} ${cookie.path}`, cookie])).values(),
]

interface Exchange {
  readonly answers: readonly { readonly url: string; readonly line: string; readonly at: number }[]
  readonly target: string
}

/** Set-Cookie headers of several answers from related hosts, followed by a request. */
const exchange = fc.constantFrom(...hosts).chain((own) => {
  const near = urlAt(fc.oneof({ weight: 4, arbitrary: fc.constant(own) }, fc.constantFrom(...hosts)))
  const answer = fc.record({ url: near, line, at: fc.integer({ min: 1e12, max: 1e12 + 3 }) })
  return fc.record({ answers: fc.array(answer, { maxLength: 8 }), target: near })
})

test('a request carries the cookies that tough-cookie would send, in its order', async () => {
  const seen = { sent: 0, withheld: 0 }
  const sends = async ({ answers, target }: Exchange) => {
    const read = await Promise.all(answers.map(({ url, line, at }) => readSetCookies(url, [line], at)))
    const cookies = keptOf(read.flatMap((answer) => answer.cookies))
    const header = writeCookieHeader(target, cookies)
    expect(header).toBe(await headerOf(target, cookies))
    const { length } = header.split('; ').filter(Boolean)
    seen.sent += length
    seen.withheld += cookies.length - length
  }
  await fc.assert(fc.asyncProperty(exchange, sends), { numRuns: 50 * fuzzRuns })
  expect(Math.min(seen.sent, seen.withheld)).toBeGreaterThan(10)
})

test.each([
  ['', 'https://id.example.com', 'a=1'],
  ['', 'https://a.id.example.com', ''],
  ['; Domain=id.example.com', 'https://a.id.example.com', 'a=1'],
  ['; Domain=id.example.com', 'https://my-id.example.com', ''],
])('a cookie of id.example.com with %j sends %s %j', async (attribute, target, expected) => {
  const { cookies } = await readSetCookies('https://id.example.com', [`a=1${attribute}`], 1e12)
  expect([cookies.length, writeCookieHeader(target, cookies)]).toEqual([1, expected])
})

test('a cookie that ends at once is a removal, whatever its value', async () => {
  const lines = ['a=1; Max-Age=0', 'b=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT']
  const { cookies } = await readSetCookies('https://id.example.com', lines, 1e12)
  expect(cookies.map(({ key, value }) => [key, value])).toEqual([
    ['a', ''],
    ['b', ''],
  ])
})
