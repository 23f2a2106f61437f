import { describe, expect, it } from 'vitest'
import { type TestService, testPassword } from '../testing/service.ts'
import { testSecret } from '../testing/settings.ts'
import { useMade, useTestService, useWire } from '../testing/use-service.ts'
import type { Reply } from '../testing/visitor.ts'
import { rawRequest } from '../testing/wire.ts'

const service = useTestService({ TRUSTED_ORIGINS: 'https://app.test,https://*.wild.test,myapp://' })
const secure = useMade(() => service.sibling({ BASE_URL: 'https://id.example.com', COOKIE_CACHE: 'on' }))

/** One of each kind of answer that there is. */
const kinds: Record<string, (given: TestService) => Promise<Reply>> = {
  JSON: (given) => given.visitor().get('/ok'),
  'a null': (given) => given.visitor().get('/get-session'),
  'a session': async (given) => (await given.person()).get('/get-session'),
  'a sign-up': (given) =>
    given.visitor().post('/sign-up/email', {
      email: `new-${crypto.randomUUID()}@example.com`,
      name: 'New',
      password: testPassword,
    }),
  'a sign-out': async (given) => (await given.person()).post('/sign-out'),
  'a document': (given) => given.visitor().get('/openapi.json'),
  'a page': (given) => given.visitor().get('/error?error=no_code'),
  '400': (given) => given.visitor().post('/sign-in/email', {}),
  '401 without a body': (given) => given.visitor().get('/list-sessions'),
  '401': (given) => given.visitor().post('/sign-in/email', { email: 'a@example.com', password: testPassword }),
  '403': (given) => given.visitor().post('/sign-out', {}, { origin: 'https://evil.test' }),
  '404': (given) => given.visitor().get('/nothing'),
  '404 by method': (given) => given.visitor().send('/ok', { method: 'PUT' }),
  '413': (given) => given.visitor().post('/sign-out', 'x'.repeat(70_000)),
  '415': (given) => given.visitor().post('/sign-out', {}, { 'content-type': 'text/plain' }),
  '429': (given) =>
    beside(given, { RATE_LIMIT: 'on' }, async (limited) => {
      const visitor = limited.visitor()
      for (let round = 0; round < 100; round += 1) await visitor.get('/jwks')
      return visitor.get('/jwks')
    }),
  '500': async (given) => {
    const ann = await given.person()
    await given.deps.sql`alter table sessions rename to away`
    const reply = await ann.get('/list-sessions')
    await given.deps.sql`alter table away rename to sessions`
    return reply
  },
  '500 of what is else kept by caches': (given) =>
    beside(given, {}, async (other) => {
      await other.deps.sql`alter table signing_keys rename to away`
      const reply = await other.visitor().get('/jwks')
      await other.deps.sql`alter table away rename to signing_keys`
      return reply
    }),
  '503': (given) =>
    beside(given, {}, (leaving) => {
      leaving.state.phase = 'draining'
      return leaving.visitor().get('/ready')
    }),
}

/** A service of its own for one answer, so that nothing is left behind. */
async function beside(given: TestService, settings: object, act: (other: TestService) => Promise<Reply>) {
  const other = await given.sibling({ DATABASE_POOL: '1', BASE_URL: given.deps.config.BASE_URL.origin, ...settings })
  try {
    return await act(other)
  } finally {
    await other.stop()
  }
}

const pageKinds = ['a page']
const always = {
  'cache-control': 'no-store',
  vary: 'Cookie, Origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const pick = (headers: Headers, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, headers.get(name)]))

describe.each(Object.keys(kinds))('%s', (kind) => {
  it('carries every header that protects it, and none that tells what runs here', async () => {
    const { status, headers } = await kinds[kind]!(service)
    expect(Number.isNaN(Number(kind.slice(0, 3))) || status === Number(kind.slice(0, 3))).toBe(true)
    expect(pick(headers, Object.keys(always))).toEqual(always)
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/)
    expect(headers.get('strict-transport-security')).toBeNull()
    expect(pick(headers, ['server', 'x-powered-by', 'etag', 'access-control-allow-origin'])).toEqual({
      server: null,
      'x-powered-by': null,
      etag: null,
      'access-control-allow-origin': null,
    })
  })

  it('may load, run and be framed by nothing', async () => {
    const { headers } = await kinds[kind]!(service)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy.split('; ')).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'"]))
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:|script-src/)
    expect(policy.includes('style-src')).toBe(pageKinds.includes(kind))
  })

  it('is bound to TLS where the service is', async () => {
    const { headers } = await kinds[kind]!(secure)
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8,}$/)
    expect(pick(headers, Object.keys(always))).toEqual(always)
  })

  it('can be read by a trusted page, with its credentials, and by no other', async () => {
    const reply = await kinds[kind]!(from(service, 'https://app.test'))
    expect(reply.headers.get('access-control-allow-origin')).toBe(kind === '403' ? null : 'https://app.test')
    const foreign = await kinds[kind]!(from(service, 'https://evil.test'))
    expect(pick(foreign.headers, ['access-control-allow-origin', 'access-control-allow-credentials'])).toEqual({
      'access-control-allow-origin': null,
      'access-control-allow-credentials': null,
    })
  })
})

/** The same service, asked by pages of an origin. */
function from(given: TestService, origin: string): TestService {
  const visitor: TestService['visitor'] = (address) => {
    const made = given.visitor(address)
    return {
      ...made,
      get: (path, headers) => made.get(path, { origin, ...headers }),
      post: (path, body, headers) => made.post(path, body, { origin, ...headers }),
      send: (path, init) => made.send(path, { ...init, headers: { origin, ...(init.headers as object) } }),
    }
  }
  return {
    ...given,
    visitor,
    person: async (fields) => {
      const made = await given.person(fields)
      return {
        ...made,
        get: (path, headers) => made.get(path, { origin, ...headers }),
        post: (path, body, headers) => made.post(path, body, { origin, ...headers }),
      }
    },
    sibling: async (settings) => from(await given.sibling(settings), origin),
  }
}

describe('a page of another origin', () => {
  const asked = (origin: string | undefined, method = 'POST') =>
    service.visitor().send('/sign-in/email', {
      method: 'OPTIONS',
      headers: {
        ...(origin === undefined ? {} : { origin }),
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type',
      },
    })

  it.each(['http://localhost:4100', 'https://app.test', 'https://a.wild.test', 'https://a.b.wild.test', 'myapp://'])(
    '%s may ask',
    async (origin) => {
      const { status, text, headers } = await asked(origin)
      expect([status, text]).toEqual([204, ''])
      expect(pick(headers, [...corsHeaders, 'vary', 'content-type'])).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'content-type, authorization, x-postern-label, traceparent, tracestate',
        'access-control-max-age': '600',
        vary: 'Cookie, Origin',
        'content-type': null,
      })
      const answered = await service.visitor().get('/ok', { origin })
      expect(answered.headers.get('access-control-expose-headers')).toBe(
        'set-auth-token, set-auth-jwt, x-retry-after, retry-after, x-request-id, x-limit, link',
      )
    },
  )

  it('may send the headers that are set', async () => {
    const given = await service.sibling({ CORS_HEADERS: 'X-Client-Version', DATABASE_POOL: '1' })
    const { headers } = await given
      .visitor()
      .send('/ok', { method: 'OPTIONS', headers: { origin: 'https://app.test' } })
    expect(headers.get('access-control-allow-headers')).toBe(
      'content-type, authorization, x-postern-label, x-client-version',
    )
  })

  it('asks beside any flood, for a browser tells nobody why it is refused', async () => {
    const limited = (await service.sibling({ RATE_LIMIT: 'on' })).visitor()
    const ask = (origin: string) => limited.send('/sign-in/email', { method: 'OPTIONS', headers: { origin } })
    const statuses = new Set<number>()
    for (let round = 0; round < 101; round += 1) statuses.add((await ask('https://app.test')).status)
    for (let round = 0; round < 101; round += 1) statuses.add((await ask('https://evil.test')).status)
    statuses.add((await ask('https://app.test')).status)
    expect([...statuses]).toEqual([204, 404, 429])
    expect((await ask('https://app.test')).status).toBe(204)
  })

  it.each([
    undefined,
    'null',
    '*',
    '',
    'https://evil.test',
    'http://app.test',
    'https://app.test.evil.test',
    'https://app.test@evil.test',
    'https://app.test:8443',
    'https://wild.test',
    'https://evilwild.test',
    'http://localhost:4101',
    'http://127.0.0.1:4100',
    'https://app.test, https://evil.test',
    'myapps://',
  ])('%s may not', async (origin) => {
    const { status, headers } = await asked(origin)
    expect(status).toBe(404)
    expect(Object.values(pick(headers, corsHeaders))).toEqual(corsHeaders.map(() => null))
  })
})

const corsHeaders = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
]

describe('cookies', () => {
  it.each([
    ['http://localhost:4100', {}, 'postern'],
    ['https://id.example.com', {}, '__Secure-postern'],
    ['https://id.example.com', { COOKIE_HOST_PREFIX: 'on' }, '__Host-postern'],
    ['https://id.example.com', { COOKIE_PREFIX: 'shop' }, '__Secure-shop'],
    ['https://id.example.com', { COOKIE_DOMAIN: 'example.com' }, '__Secure-postern'],
    ['https://id.example.com', { COOKIE_DOMAIN: 'id.example.com', COOKIE_SAME_SITE: 'none' }, '__Secure-postern'],
    ['https://id.example.com', { COOKIE_HOST_PREFIX: 'on', COOKIE_SAME_SITE: 'none' }, '__Host-postern'],
    ['http://localhost:4100', { COOKIE_SAME_SITE: 'strict' }, 'postern'],
  ])('of %s with %j are called %s, in all that is set and cleared', async (BASE_URL, settings, prefix) => {
    const given = await service.sibling({ BASE_URL, COOKIE_CACHE: 'on', DATABASE_POOL: '1', ...settings })
    const ann = await given.person()
    const credentials = { email: ann.email, password: testPassword }
    const replies = [
      await ann.post('/sign-in/email', { ...credentials, rememberMe: false }),
      await ann.post('/sign-in/email', credentials),
      await ann.get('/get-session'),
      await ann.post('/update-user', { name: 'B' }),
      await ann.post('/sign-out'),
    ]
    const lines = replies.flatMap(({ setCookies }) => setCookies)
    expect(lines.length).toBeGreaterThan(8)
    // The attributes of each line are looked at in every answer of the suite (set-cookie.ts).
    expect(new Set(lines.map((line) => line.slice(0, line.indexOf('.'))))).toEqual(new Set([prefix]))
    const maxAges = lines.flatMap((line) => /Max-Age=(\d+)/.exec(line)?.[1] ?? [])
    expect(Math.max(...maxAges.map(Number))).toBeLessThanOrEqual(34_560_000)
  })

  it.each([
    ['lax', 'Lax'],
    ['strict', 'Lax'],
    ['none', 'None'],
  ])('with COOKIE_SAME_SITE=%s of a way to a provider are %s', async (COOKIE_SAME_SITE, expected) => {
    const github = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: testSecret }
    const BASE_URL = 'https://id.example.com'
    const given = await service.sibling({ BASE_URL, COOKIE_SAME_SITE, DATABASE_POOL: '1', ...github })
    const { status, setCookies } = await given.visitor().post('/sign-in/social', { provider: 'github' })
    expect([status, setCookies]).toEqual([200, [expect.stringMatching(new RegExp(`; SameSite=${expected}$`))]])
  })

  it('that are valid and differ are no session: a sub-domain cannot put its own in front', async () => {
    const given = await service.sibling({ BASE_URL: 'https://id.example.com', COOKIE_DOMAIN: 'example.com' })
    const [ann, eve] = [await given.person(), await given.person()]
    const name = '__Secure-postern.session_token'
    const pairs = [ann, eve].map(({ cookies }) => `${name}=${cookies.get(name)}`)
    for (const cookie of [pairs.join('; '), pairs.toReversed().join('; ')])
      expect((await given.visitor().get('/get-session', { cookie })).text).toBe('null')
    const twice = await given.visitor().get('/get-session', { cookie: `${pairs[0]}; ${pairs[0]}; ${name}=nonsense` })
    expect(twice.body.user.email).toBe(ann.email)
  })

  it('of another prefix are not taken for ours', async () => {
    const ann = await secure.person()
    const plain = [...ann.cookies].map(([name, value]) => `${name.replace('__Secure-', '')}=${value}`).join('; ')
    expect((await secure.visitor().get('/get-session', { cookie: plain })).text).toBe('null')
  })
})

describe('over a socket', () => {
  const wire = useWire(service)

  it('sends each cookie in a line of its own, and no banner', async () => {
    const body = JSON.stringify({
      email: `wire-${crypto.randomUUID()}@example.com`,
      name: 'Wire',
      password: testPassword,
    })
    const { status, headers } = await wire.exchange(
      rawRequest('POST /api/auth/sign-up/email', { 'Content-Type': 'application/json' }, body),
    )
    expect([status, headers.get('set-cookie')?.length]).toEqual([200, 2])
    expect([headers.get('server'), headers.get('x-powered-by'), headers.get('x-request-id')?.length]).toEqual([
      undefined,
      undefined,
      1,
    ])
  })

  it('gives every request a number of its own', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => wire.exchange(rawRequest('GET /api/auth/ok'))))
    expect(new Set(replies.map(({ headers }) => headers.get('x-request-id')?.[0])).size).toBe(50)
  })
})

it('a redirect leaves a window to the page that opened it', async () => {
  const { status, headers } = await service.visitor().get('/verify-email?token=x&callbackURL=/done')
  expect([status, headers.get('cross-origin-opener-policy')]).toEqual([302, 'unsafe-none'])
})
