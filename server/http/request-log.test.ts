import { describe, expect, it } from 'vitest'
import { createApp, createWaitingApp } from '../app.ts'
import { type TestService } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'
import { createVisitor } from '../testing/visitor.ts'

const service = useTestService({ LOG_LEVEL: 'debug' })

const json = { 'content-type': 'application/json', 'content-length': '6' }
const hostile = 'x"\\\r\n{"level":60,"msg":"forged"}\u001b[2J\u009b31m\u2028'

/** The lines of one request, without what differs each time. */
async function linesOf(ask: () => Promise<{ readonly headers: Headers }>) {
  const { headers } = await ask()
  const requestId = headers.get('x-request-id')
  return service.logged
    .filter((line) => line.requestId === requestId && line.msg !== 'security event')
    .map(({ time: _time, ms, requestId: _id, ...line }) => ({ ...line, ms: typeof ms }))
}

it('tells of each request who asked, from where, for which call, and what came of it', async () => {
  const ann = await service.person()
  const { id: userId } = (await ann.get('/get-session')).body.user
  const usual = { level: 30, msg: 'request', ms: 'number' }
  const there = service.copyOf(ann, '2001:db8:1:2:3:4:5:6')
  expect(await linesOf(() => there.get('/list-sessions?x=1'))).toEqual([
    { ...usual, method: 'GET', route: '/list-sessions', status: 200, network: '2001:db8:1:2::', userId },
  ])
  const bob = service.visitor('203.0.113.9')
  expect(await linesOf(() => bob.post('/sign-in/email', { email: ann.email, password: 'wrong horse' }))).toEqual([
    { ...usual, method: 'POST', route: '/sign-in/email', status: 401, network: '203.0.113.9' },
  ])
  expect(await linesOf(() => bob.get('/ok'))).toMatchObject([{ level: 20, msg: 'probe', network: '203.0.113.9' }])
})

it('holds nothing that a request says about itself: all of it has one line, of names that we know', async () => {
  const ann = await service.person({ name: hostile })
  const sent = encodeURIComponent(hostile)
  const headers = {
    'x-forwarded-for': '203.0.113.7, bogus',
    'user-agent': 'canary-agent',
    referer: 'http://localhost:4100/canary',
  }
  const asks = [
    () => ann.get(`/get-session?canary=${sent}`, headers),
    () => ann.get(`/canary${sent}`, headers),
    () => ann.get(`/reset-password/${sent}?callbackURL=/canary`, headers),
    () => ann.post('/update-user', { name: `canary${hostile}` }, headers),
    () => ann.post('/sign-in/email', { email: `canary${hostile}@example.com`, password: hostile }, headers),
    () => ann.post('/organization/create', { name: `canary${hostile}`, slug: hostile, logo: hostile }, headers),
    () => ann.post('/sign-out', {}, { ...headers, origin: 'https://canary.test' }),
    () => ann.send('/update-user', { method: 'POST', body: 'canary', headers: { ...headers, ...json } }),
  ]
  service.logged.length = 0
  for (const ask of asks) expect(await linesOf(ask)).toHaveLength(1)
  const known = new Set(['level', 'time', 'msg', 'requestId', 'method', 'route', 'status', 'ms', 'network', 'userId'])
  const ofEvents = new Set([...known, 'event', 'reason', 'fields'])
  const [refusedOrigins, lines] = [true, false].map((is) => service.logged.filter((line) => 'origin' in line === is))
  expect(refusedOrigins).toMatchObject([{ origin: 'https://canary.test' }])
  for (const line of lines!)
    expect(Object.keys(line).filter((name) => !(line.msg === 'security event' ? ofEvents : known).has(name))).toEqual(
      [],
    )
  expect(JSON.stringify(lines)).not.toMatch(/canary|forged|\\u001b|\\r/)
})

describe('an origin that is not trusted', () => {
  const said = 'a page of this origin cannot call: it is neither that of BASE_URL nor in TRUSTED_ORIGINS'
  const warnings = ({ logged }: TestService) =>
    logged.filter(({ msg }) => msg === said).map(({ level, origin }) => [level, origin])

  it('is named once, whatever the page asked, and the trusted ones are not', async () => {
    const here = await service.sibling({ TRUSTED_ORIGINS: 'https://app.test' })
    const visitor = here.visitor()
    const ask = (origin: string, more = {}) => visitor.get('/get-session', { origin, ...more })
    await ask('http://localhost:5173')
    for (const origin of ['http://127.0.0.1:5173', 'capacitor://localhost', 'null', 'https://app.test'])
      await visitor.send('/get-session', { method: 'OPTIONS', headers: { origin } })
    for (const origin of ['http://localhost:5173', 'http://localhost:4100', 'http://[::1]:5173'])
      await visitor.post('/sign-out', {}, { origin })
    // A provider's form, which a browser sends, and what no browser sends.
    await ask('https://provider.test', { 'sec-fetch-mode': 'navigate' })
    for (const origin of ['https://x.test/canary', 'https://x"{.test', `https://${'x'.repeat(300)}.test`])
      await ask(origin)
    const named = [
      'http://localhost:5173',
      'http://127.0.0.1:5173',
      'capacitor://localhost',
      'null',
      'http://[::1]:5173',
    ]
    expect(warnings(here)).toEqual(named.map((origin) => [40, origin]))
  })

  it('is one of twenty at most, so that nobody fills the log', async () => {
    const here = await service.sibling({ TRUSTED_ORIGINS: 'https://app.test' })
    for (let n = 0; n < 30; n += 1) await here.visitor().get('/ok', { origin: `https://x${n}.test` })
    expect(warnings(here)).toHaveLength(20)
  })
})

it('says of each 503 why', async () => {
  const waiting = createVisitor(createWaitingApp(service.deps, { phase: 'starting' }), service.deps.config)
  const draining = createVisitor(createApp(service.deps, { phase: 'draining' }), service.deps.config)
  const refused = { level: 40, msg: 'request refused', status: 503 }
  const notStarted = { message: '"the service is starting: the database is not up or not migrated yet"' }
  expect(await linesOf(() => waiting.get('/get-session'))).toMatchObject([{ ...refused, err: notStarted }])
  expect(await linesOf(() => waiting.get('/ready'))).toMatchObject([{ err: { message: '"the service is starting"' } }])
  expect(await linesOf(() => draining.get('/ready'))).toMatchObject([{ err: { message: '"the service is draining"' } }])
})
