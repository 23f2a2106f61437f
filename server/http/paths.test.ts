import { describe, expect, it } from 'vitest'
import { createApp } from '../app.ts'
import { dump } from '../testing/calls.ts'
import { linkTo, userOf } from '../testing/mailed.ts'
import { useMade, useTestService, useWire } from '../testing/use-service.ts'
import { createVisitor } from '../testing/visitor.ts'
import { rawRequest } from '../testing/wire.ts'

const service = useTestService({ RATE_LIMIT: 'on' })
const wire = useWire(service)
const unlimited = useWire(useMade(() => service.sibling({ RATE_LIMIT: 'off' })))

const body = JSON.stringify({ email: 'nobody@example.com', password: 'correct horse battery' })
const signIn = (target: string) =>
  wire.exchange(rawRequest(`POST ${target}`, { 'Content-Type': 'application/json' }, body))

const sameCall = [
  '/api/auth/sign-in/email',
  '/api/auth/sign-in/email?x=1',
  '/api/auth/sign-in/email?x=/../y',
  '/api/auth/sign-in/email?',
  'http://localhost:4100/api/auth/sign-in/email',
  'http://elsewhere.test/api/auth/sign-in/email',
]

/** The parser of URLs reads most of these as the canonical path. */
const withDotSegments = [
  '/anything/../api/auth/sign-in/email',
  '/../api/auth/sign-in/email',
  '/./api/auth/sign-in/email',
  '/api/auth/./sign-in/email',
  '/api/auth/x/../sign-in/email',
  '/api/auth/x/y/../../sign-in/email',
  '/api/auth/sign-in/%2e/email',
  '/api/auth/sign-in/%2E/email',
  '/api/auth/x/%2e%2e/sign-in/email',
  '/api/auth/sign-in/x/%2E%2e/email',
  '/api/auth/sign-in/x/.%2e/email',
  '/api/auth/sign-in/x/%2e./email',
  '/api/auth/sign-in/x/..;/email',
  '/api/auth/sign-in/x/..;a=b/email',
  '/api/auth/sign-in/x/%252e%252e/email',
  '/api/auth/sign-in/x/../email?y=1',
  '/api/auth/sign-in/email/.?y=1',
  'http://localhost:4100/x/../api/auth/sign-in/email',
  'http://localhost:4100/x/%2e%2e/api/auth/sign-in/email',
  'http://localhost:4100/./api/auth/sign-in/email',
  'http://localhost:4100/../api/auth/sign-in/email',
]

const otherwise = [
  ...withDotSegments,
  '/api/auth/sign-in/email#x',
  '/api/auth/sign-in/email/',
  '/api/auth/sign-in/email//',
  '/api/auth/sign-in//email',
  '/api/auth//sign-in/email',
  '/api//auth/sign-in/email',
  '//api/auth/sign-in/email',
  '///api/auth/sign-in/email',
  '/api/auth/sign-in/email/.',
  '/api/auth/sign-in/email/x/..',
  '/api/auth/sign-in/email/%2e',
  '/api/auth/Sign-in/email',
  '/api/auth/sign-in/Email',
  '/API/auth/sign-in/email',
  '/api/auth/SIGN-IN/EMAIL',
  '/api/auth/sign-in%2femail',
  '/api/auth/sign-in%2Femail',
  '/api/auth%2fsign-in/email',
  '/api%2Fauth/sign-in/email',
  '/%2fapi/auth/sign-in/email',
  '/api/auth/sign-in%252femail',
  '/api/auth/sign-in%5cemail',
  '/api/auth/sign-in/email%5c',
  '/api/auth/sign-in/email%2f',
  '/api/auth/sign-in/email%00',
  '/api/auth/sign-in%00/email',
  '/api/auth/sign-in/%00email',
  '/api/auth/sign-in/email%20',
  '/api/auth/sign-in/%20email',
  '/api/auth/sign-in/email%09',
  '/api/auth/sign-in/email%0a',
  '/api/auth/sign-in/email%0d%0a',
  '/api/auth/sign%2din/email',
  '/api/auth/sign%2Din/email',
  '/api/auth/%73ign-in/email',
  '/api/auth/sign-in/%65mail',
  '/%61pi/auth/sign-in/email',
  '/api/auth/sign-in/emai%6C',
  '/api/auth/sign-in/email;x',
  '/api/auth/sign-in;x=1/email',
  '/api/auth/sign-in/email;',
  '/api/auth/sign-in/email,',
  '/api/auth/sign-in/email+',
  '/api/auth/sign-in/email.',
  '/api/auth/sign-in/email.json',
  '/api/auth/sign-in/email~',
  '/api/auth/sign-in/email%3f',
  '/api/auth/sign-in/email%23',
  '/api/auth/sign-in/email%',
  '/api/auth/sign-in/email%zz',
  '/api/auth/sign-in/email%c0%af',
  '/api/auth/sign-in%c0%afemail',
  '/api/auth/sign-in%ef%bc%8femail',
  '/api/auth/sign-in/email%e2%80%8b',
  '/api/auth/sign-in/em%ef%bd%81il',
  '/api/auth/sign-in/email@',
  '/api/auth/sign-in/email:4100',
  '/api/auth/sign-in/*',
  '/api/auth/*',
  '/x/api/auth/sign-in/email',
  '/x/y/api/auth/sign-in/email',
  '/api/auth/api/auth/sign-in/email',
  '/api/authsign-in/email',
  '/api/authx/sign-in/email',
  '/api/auth.x/sign-in/email',
  '/sign-in/email',
  '/auth/sign-in/email',
  '/api/sign-in/email',
]

describe('sixty and more spellings of one call', () => {
  it('are not found, or count in the one bucket', async () => {
    for (const target of otherwise) {
      const { status, body: text } = await signIn(target)
      expect([target, status, text]).toEqual([target, 404, ''])
    }
    expect(await service.deps.sql`select count(*)::int as used from rate_limits`).toEqual([{ used: 0 }])
    for (const target of sameCall) expect([401, 429]).toContain((await signIn(target)).status)
    // Twice by network, and twice by account: the four counters of this one call, whatever its spelling.
    expect(await service.deps.sql`select count(*)::int as used from rate_limits`).toEqual([{ used: 4 }])
  })

  it.each([
    '/api/auth\\sign-in/email',
    '/api/auth/x\\..\\sign-in/email',
    'http://localhost:4100\\..\\api/auth/sign-in/email',
    '/api/auth/sign-in\\email',
    '\\api/auth/sign-in/email',
    'x',
    '*',
  ])('refuses %s, which is no path at all', async (target) => {
    const { status } = await signIn(target)
    expect([400, 404]).toContain(status)
    expect(await service.deps.sql`select count(*)::int as used from rate_limits`).toEqual([{ used: 4 }])
  })
})

describe('what is no call', () => {
  const refused = async (line: string, headers = {}) => {
    const { status, headers: answered, body: text } = await unlimited.exchange(rawRequest(line, headers))
    return [status, text, answered.get('content-type')]
  }

  it.each([
    'HEAD /api/auth/ok',
    'HEAD /api/auth/get-session',
    'OPTIONS /api/auth/ok',
    'OPTIONS /api/auth/sign-in/email',
    'PUT /api/auth/sign-in/email',
    'PATCH /api/auth/update-user',
    'DELETE /api/auth/sign-out',
    'TRACE /api/auth/ok',
    'QUERY /api/auth/ok',
    'PROPFIND /api/auth/ok',
    'GET /api/auth/sign-in/email',
    'POST /api/auth/ok',
    'POST /api/auth/get-session',
    'GET /api/auth',
    'GET /api/auth/',
    'GET /',
    'GET /ok',
    'GET /api/auth/unknown',
    'GET /api/auth/__proto__',
    'GET /api/auth/constructor',
    'GET /api/auth/ok/ok',
    'GET /api/auth/set-password',
    'GET /favicon.ico',
  ])('answers %s with 404, no body and no type', async (line) => {
    expect(await refused(line)).toEqual([404, '', undefined])
  })

  it('takes no other method by a header that some frameworks obey', async () => {
    const { status } = await unlimited.exchange(rawRequest('GET /api/auth/ok', { 'X-HTTP-Method-Override': 'DELETE' }))
    expect(status).toBe(200)
    expect(await refused('POST /api/auth/ok', { 'X-HTTP-Method-Override': 'GET' })).toEqual([404, '', undefined])
  })
})

it('answers no call and no page behind dot segments', async () => {
  for (const path of ['ok', 'ready', 'openapi.json', 'get-session', 'error', 'page/device', 'callback/google'])
    for (const before of ['/x/../api/auth/', '/api/auth/x/%2e%2e/', '/api/./auth/'])
      expect((await unlimited.exchange(rawRequest(`GET ${before}${path}`))).status).toBe(404)
})

it('does nothing for a mailed link but what its one method does', async () => {
  const { email } = await service.person()
  await service.visitor().post('/send-verification-email', { email })
  const { href } = new URL((await linkTo(service, email, 'verify-email')).url)
  const { pathname, search } = new URL(href.replace('/page/', '/'))
  const before = await dump(service)
  for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const { status } = await unlimited.exchange(rawRequest(`${method} ${pathname}${search}`))
    expect([method, status]).toEqual([method, 404])
  }
  expect(await dump(service)).toBe(before)
  await unlimited.exchange(rawRequest(`GET ${pathname}${search}`))
  expect((await userOf(service, email)).emailVerified).toBe(true)
})

it('has no call that the config file turns off, in no spelling, and does not speak of it', async () => {
  const { deps } = service
  const extensions = { disabledPaths: ['/sign-up/email', '/organization/create'] }
  const config = { ...deps.config, RATE_LIMIT: false, extensions }
  const visitor = createVisitor(createApp({ ...deps, config }), config)
  const account = { email: 'new@example.com', name: 'New', password: 'correct horse battery' }
  for (const path of ['/sign-up/email', '/sign-up/email/', '//sign-up/email', '/sign-up/%65mail', '/Sign-up/email'])
    expect(await visitor.post(path, account)).toMatchObject({ status: 404, text: '' })
  const ann = await service.person()
  for (const [name, value] of ann.cookies) visitor.cookies.set(name, value)
  expect((await visitor.post('/organization/create', { name: 'Acme', slug: 'acme' })).status).toBe(404)
  expect((await visitor.get('/get-session')).body.user.email).toBe(ann.email)
  const { paths } = (await visitor.get('/openapi.json')).body
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/sign-in/email', '/organization/update']))
  expect(Object.keys(paths).filter((path) => extensions.disabledPaths.includes(path))).toEqual([])
})

it('answers below another base path, and only there', async () => {
  const moved = await service.sibling({ BASE_PATH: '/v2' })
  const visitor = moved.visitor()
  expect((await visitor.get('/ok')).body).toEqual({ ok: true })
  const elsewhere = await Promise.all(
    ['/api/auth/ok', '/ok', '/v22/ok', '/v2/v2/ok', '/x/v2/ok'].map((path) =>
      visitor.get(`http://localhost:4100${path}`),
    ),
  )
  expect(elsewhere.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
})

it('counts all that is no call in one bucket, odd spellings too', async () => {
  const visitor = service.visitor()
  for (let round = 0; round < 50; round += 1) {
    await visitor.get(`/nothing-${round}`)
    await visitor.send(`//nothing-${round}`, { method: 'PUT' })
  }
  const { status, headers } = await visitor.get('/once-more')
  expect(status).toBe(429)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await visitor.get('/ok')).status).toBe(200)
})
