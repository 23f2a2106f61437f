import { describe, expect, it } from 'vitest'
import { testPassword } from '../testing/service.ts'
import { useMade, useTestService } from '../testing/use-service.ts'
import type { Visitor } from '../testing/visitor.ts'

const own = 'http://localhost:4100'

const service = useTestService({ TRUSTED_ORIGINS: 'https://app.test,https://*.wild.test,myapp://' })
const strict = useMade(() => service.sibling({ STRICT_ORIGIN: 'on' }))

interface Given {
  readonly origin?: string | undefined
  readonly referer?: string | undefined
  readonly site?: string | undefined
  readonly cookie?: string | undefined
  readonly authorization?: string | undefined
}

const headersOf = ({ site, ...headers }: Given): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...headers, 'sec-fetch-site': site }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

/** A call that only says whether it was let through. */
const isLetThrough = async (visitor: Visitor, given: Given): Promise<boolean> => {
  const { status, body, setCookies } = await visitor.post('/sign-out', {}, headersOf(given))
  if (status !== 403) return true
  expect([body, setCookies]).toEqual([{ code: 'INVALID_ORIGIN', message: 'Invalid origin' }, []])
  return false
}

describe('a POST', () => {
  const cookie = 'x=1'
  it.each<[string, Given, boolean, boolean]>([
    ['from our own page', { origin: own, cookie }, true, true],
    ['from a trusted page', { origin: 'https://app.test', cookie, site: 'cross-site' }, true, true],
    ['from a page below a wildcard', { origin: 'https://a.wild.test', cookie }, true, true],
    ['from a trusted app', { origin: 'myapp://', cookie }, true, true],
    ['from a foreign page', { origin: 'https://evil.test', cookie }, false, false],
    ['from a foreign page that has no cookie of ours', { origin: 'https://evil.test' }, false, false],
    [
      'from a foreign page that says it is same-site',
      { origin: 'https://evil.test', site: 'same-origin' },
      false,
      false,
    ],
    ['from a sandboxed or local page', { origin: 'null', cookie }, false, false],
    ['from a sandboxed page without a cookie', { origin: 'null' }, false, false],
    ['from a neighbour port', { origin: 'http://localhost:4101', cookie }, false, false],
    ['from the same host with TLS', { origin: 'https://localhost:4100', cookie }, false, false],
    ['with an origin that is a path', { origin: '/', cookie }, false, false],
    ['with an empty origin', { origin: '', cookie }, false, false],
    ['with two origins', { origin: `${own}, https://evil.test`, cookie }, false, false],
    ['with only a trusted referer', { referer: `${own}/page?x=1`, cookie }, true, true],
    ['with only a foreign referer', { referer: 'https://evil.test/page', cookie }, false, false],
    ['with a referer that only begins like ours', { referer: `${own}.evil.test/page`, cookie }, false, false],
    ['with a referer that hides us in its path', { referer: `https://evil.test/${own}`, cookie }, false, false],
    ['with a trusted origin and a foreign referer', { origin: own, referer: 'https://evil.test/', cookie }, true, true],
    [
      'with a foreign origin and a trusted referer',
      { origin: 'https://evil.test', referer: own, cookie },
      false,
      false,
    ],
    ['with neither, but same-origin', { site: 'same-origin', cookie }, true, true],
    ['with neither, typed by a person', { site: 'none', cookie }, true, true],
    ['with neither, from a neighbour of the site', { site: 'same-site', cookie }, false, false],
    ['with neither, from another site', { site: 'cross-site', cookie }, false, false],
    ['with neither, from another site, without a cookie', { site: 'cross-site' }, false, false],
    ['with a word that Fetch Metadata does not have', { site: 'SAME-ORIGIN', cookie }, false, false],
    ['with nothing at all, as a script sends it', { cookie }, true, false],
    ['with nothing at all and no cookie', {}, true, false],
    ['with a bearer token alone', { authorization: 'Bearer x', origin: 'https://evil.test' }, true, true],
    [
      'with a bearer token and a cookie',
      { authorization: 'Bearer x', origin: 'https://evil.test', cookie },
      false,
      false,
    ],
    ['with credentials that browsers add', { authorization: 'Basic eDp5', origin: 'https://evil.test' }, false, false],
    ['with an empty authorization', { authorization: '', origin: 'https://evil.test' }, false, false],
  ])('%s', async (_name, given, passes, passesStrict) => {
    expect(await isLetThrough(service.visitor(), given)).toBe(passes)
    expect(await isLetThrough(strict.visitor(), given)).toBe(passesStrict)
  })

  it('passes by no other combination', async () => {
    const origins = [undefined, own, 'https://app.test', 'https://evil.test', 'null']
    const referers = [undefined, `${own}/page`, 'https://evil.test/page']
    const sites = [undefined, 'same-origin', 'none', 'same-site', 'cross-site']
    const authorizations = [undefined, 'Bearer x', 'Basic x']
    const all = origins.flatMap((origin) =>
      referers.flatMap((referer) =>
        sites.flatMap((site) =>
          [undefined, 'x=1'].flatMap((cookie) =>
            authorizations.map((authorization) => ({ origin, referer, site, cookie, authorization })),
          ),
        ),
      ),
    )
    const visitor = service.visitor()
    const passed = await Promise.all(all.map((given) => isLetThrough(visitor, given)))
    const trusted = [own, 'https://app.test', `${own}/page`]
    const expected = all.map(({ origin, referer, site, cookie, authorization }) => {
      if (authorization === 'Bearer x' && cookie === undefined) return true
      const source = origin ?? referer
      return source === undefined ? [undefined, 'same-origin', 'none'].includes(site) : trusted.includes(source)
    })
    expect(all).toHaveLength(450)
    expect(all.filter((_given, index) => passed[index] !== expected[index])).toEqual([])
  })
})

describe('signing somebody in from a foreign page', () => {
  const attempts: Given[] = [
    { site: 'cross-site' },
    { site: 'same-site' },
    { origin: 'null', site: 'cross-site' },
    { origin: 'https://evil.test' },
    { referer: 'https://evil.test/' },
  ]

  it('is refused without any cookie, before anything is counted, hashed or read', async () => {
    const { email } = await service.person()
    const hashed = service.deps.passwords.computed
    service.statements.forget()
    for (const given of attempts) {
      const headers = { ...headersOf(given), 'sec-fetch-mode': 'navigate' }
      for (const path of ['/sign-in/email', '/sign-up/email']) {
        const body = { email, password: testPassword, name: 'Eve' }
        const { status, setCookies, headers: answered } = await service.visitor().post(path, body, headers)
        expect([status, setCookies, answered.get('set-auth-token')]).toEqual([403, [], null])
      }
    }
    expect([service.statements.list, service.deps.passwords.computed]).toEqual([[], hashed])
  })

  it('is refused before the body is looked at', async () => {
    const { status } = await service.visitor().send('/sign-in/email', {
      method: 'POST',
      body: '{',
      headers: { origin: 'https://evil.test', 'content-type': 'text/plain', 'content-length': '1' },
    })
    expect(status).toBe(403)
  })

  it('leaves scripts alone, which send a bare Sec-Fetch-Mode', async () => {
    const { email } = await service.person()
    const { status } = await service
      .visitor()
      .post('/sign-in/email', { email, password: testPassword }, { 'sec-fetch-mode': 'cors' })
    expect(status).toBe(200)
  })
})

it('asks a GET where it comes from only if something changes there', async () => {
  const ann = await service.person()
  const { status, body } = await ann.get('/get-session', {
    origin: 'https://evil.test',
    'sec-fetch-site': 'cross-site',
  })
  expect([status, body.user.email]).toEqual([200, ann.email])
})

it('lets a client that is no browser look up a user code, also where each POST has to name its origin', async () => {
  const script = strict.visitor()
  const look = (headers: Record<string, string>) => script.get('/device?user_code=BCDF-GHJK', headers)
  expect(await look({})).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  for (const from of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.test' }])
    expect((await look(from)).status).toBe(403)
})
