import { existsSync, readFileSync, statSync } from 'node:fs'
import type { RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import type { Jar } from '../../accounts/accounts.ts'
import { type FakeServer, startFakeServer } from '../../testing/fake-server.ts'
import { patience } from '../../testing/patience.ts'
import { AddressError, AnswerError, LocalStateError, NetworkError } from '../errors.ts'
import { openJar } from '../jar/jar.ts'
import { withLock } from '../lock.ts'
import type { RequestRecord, TransportOptions } from './request.ts'
import { createTransport, type Transport } from './transport.ts'

const session = 'postern.session_token'
const get = { method: 'GET', path: '/get-session' }
const post = { method: 'POST', path: '/sign-out' }

let folder: string
const open: { close(): Promise<unknown> }[] = []
beforeEach(() => {
  folder = temporaryFolder('transport')
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const serve = async (answer: RequestListener): Promise<FakeServer> => {
  const service = await startFakeServer(answer)
  open.push(service)
  return service
}
const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const ok: RequestListener = (_, response) => void json(response, 200, { ok: true })

const transportTo = (service: { url: string }, options: Partial<TransportOptions> = {}): Transport => {
  const quick = { timeout: patience, retries: 2, retryDelay: 10, userAgent: 'postern/test' }
  const transport = createTransport({ baseUrl: `${service.url}/api/auth`, ...quick, ...options })
  open.push(transport)
  return transport
}
const jarFor = (service: { url: string }, options = {}): Promise<Jar> =>
  openJar(join(folder, 'jars', 'jar.json'), service.url, 'me@example.com', options)
const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
const countingFrom = (...answers: RequestListener[]): RequestListener => {
  let count = 0
  return (request, response) => (answers[count++] ?? ok)(request, response)
}

test('a request goes below the base path and comes back as JSON', async () => {
  const service = await serve((_, response) => void json(response, 201, { a: [1] }, { 'x-request-id': 'r1' }))
  const answer = await transportTo(service).send({ ...get, query: { a: 'b c', d: '&=' } })
  expect(answer).toMatchObject({ status: 201, body: { a: [1] } })
  expect(answer.headers['x-request-id']).toBe('r1')
  const [{ url, headers, method }] = service.requests as [FakeServer['requests'][number]]
  expect([method, url]).toEqual(['GET', '/api/auth/get-session?a=b%20c&d=%26%3D'])
  expect(headers).toMatchObject({ accept: 'application/json', 'user-agent': 'postern/test' })
  expect(headers).not.toHaveProperty('origin')
})

test('a write carries the origin and a JSON body, if only an empty one', async () => {
  const bodies: string[] = []
  const service = await serve((request, response) => {
    request.on('data', (chunk) => bodies.push(String(chunk))).on('end', () => ok(request, response))
  })
  const transport = transportTo(service)
  await transport.send({ ...post, headers: { 'x-more': '1' } })
  await transport.send({ ...post, body: { a: 1 } })
  expect(bodies).toEqual(['{}', '{"a":1}'])
  const { headers } = service.requests[0]!
  expect(headers).toMatchObject({ origin: service.url, 'content-type': 'application/json', 'x-more': '1' })
})

test.each([
  'http://example.com/api/auth',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'http://localhost:evil@example.com',
  'http://10.0.0.1',
  'http://[::2]',
  'ftp://localhost',
  'https://user@example.com',
  'https://:password@example.com',
  'https://example.com/?a=1',
  'https://example.com/#a',
  'example.com',
])('%s is refused before a byte is sent', (baseUrl) => {
  const make = () => createTransport({ baseUrl, timeout: 1, retries: 0, userAgent: 'x' })
  expect(make).toThrow(AddressError)
})

test('a password in the address is refused without being repeated', () => {
  const make = () =>
    createTransport({ baseUrl: 'https://me:hunter2@example.com', timeout: 1, retries: 0, userAgent: 'x' })
  expect(make).toThrow(/^https:\/\/example\.com must not have a user/)
})

test.each(['http://localhost:1', 'http://127.0.0.1:1', 'http://127.9.8.7:1', 'http://[::1]:1', 'https://example.com'])(
  '%s may be asked',
  (baseUrl) => {
    expect(() => createTransport({ baseUrl, timeout: 1, retries: 0, userAgent: 'x' })).not.toThrow()
  },
)

test.each(['/../admin', '/a/%2e%2e/b', '/a?x=1', '/a#b', '/a\\..\\b', 'a', '//evil.example/x/..', '/a\tb', '/a b'])(
  'the path %s is refused, not rewritten',
  async (path) => {
    const service = await serve(ok)
    expect(await thrownBy(transportTo(service).send({ method: 'GET', path }))).toBeInstanceOf(AddressError)
    expect(service.requests).toEqual([])
  },
)

test('requests share connections', async () => {
  const service = await serve(ok)
  const transport = transportTo(service)
  for (let time = 0; time < 10; time++) await transport.send(post)
  // A second connection may open while the first is being released.
  expect(new Set(service.requests.map(({ socket }) => socket)).size).toBeLessThan(3)
})

test('a redirect is not followed, and nothing reaches where it leads', async () => {
  const other = await serve(ok)
  const redirect: RequestListener = (_, response) =>
    void response.writeHead(302, { location: `${other.url}/steal` }).end()
  const service = await serve(redirect)
  const jar = await jarFor(service)
  await jar.store(service.url, [`${session}=secret; Path=/`])
  const error = await thrownBy(transportTo(service, { jar }).send(get))
  expect(error).toMatchObject({ name: 'AnswerError', exitCode: 11 })
  expect(service.requests[0]?.headers.cookie).toBe(`${session}=secret`)
  expect(other.requests).toEqual([])
})

test.each(
  [300, 301, 302, 303, 307, 308].flatMap((status) =>
    ['another port', 'another host', 'no scheme', 'itself'].map((to) => [status, to] as const),
  ),
)('a %i to %s takes neither cookie, nor token, nor body along', async (status, to) => {
  const other = await serve(ok)
  const { port } = new URL(other.url)
  const targets: Record<string, string> = {
    'another port': `${other.url}/steal`,
    'another host': `http://127.0.0.1:${port}/steal`,
    'no scheme': `//127.0.0.1:${port}/steal`,
    itself: '/steal',
  }
  const hostile = 'evil=1; Domain=localhost; Path=/; Secure'
  const service = await serve(
    (_, response) => void response.writeHead(status, { location: targets[to], 'set-cookie': hostile }).end(),
  )
  const jar = await jarFor(service)
  await jar.store(service.url, [`${session}=secret; Path=/`])
  for (const request of [get, { ...post, body: { password: 'secret' } }]) {
    for (const credentials of [{ jar }, { jar, token: 'secret' }])
      expect(await thrownBy(transportTo(service, credentials).send(request))).toMatchObject({ exitCode: 11 })
  }
  expect(other.requests).toEqual([])
  expect(service.requests.map(({ url }) => url)).not.toContain('/steal')
  expect(service.requests).toHaveLength(4)
  expect(await jar.cookieHeader(service.url)).toBe(`${session}=secret`)
})

test('what a jar keeps goes to its own origin only, cookies and token', async () => {
  const service = await serve(ok)
  const [own, other] = [service.url, service.url.replace('localhost', '127.0.0.1')]
  const jar = await jarFor(service)
  await jar.store(own, [`${session}=secret; Path=/`])
  await transportTo({ url: other }, { jar }).send(get)
  await jar.setToken('secret')
  await transportTo({ url: other }, { jar }).send(get)
  await transportTo(service, { jar }).send(get)
  expect(service.requests.map(({ headers }) => [headers.cookie, headers.authorization])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, 'Bearer secret'],
  ])
})

test('cookies of an answer are in the jar’s file and in the next request', async () => {
  const service = await serve(
    (_, response) =>
      void json(response, 200, null, { 'set-cookie': [`${session}=s1; Path=/; Max-Age=600; HttpOnly`, 'b=2; Path=/'] }),
  )
  const jar = await jarFor(service)
  const transport = transportTo(service, { jar })
  expect((await transport.send(post)).headers).not.toHaveProperty('set-cookie')
  expect(readFileSync(jar.file, 'utf8')).toContain('"s1"')
  await transport.send(get)
  expect(service.requests[1]?.headers.cookie).toBe(`${session}=s1; b=2`)
})

test('the file is written only when a cookie changed', async () => {
  const service = await serve((_, response) => void json(response, 200, null, { 'set-cookie': 'a=1; Path=/' }))
  const jar = await jarFor(service)
  const transport = transportTo(service, { jar })
  await transport.send(get)
  const { ino } = statSync(jar.file)
  await transport.send(get)
  expect(statSync(jar.file).ino).toBe(ino)
})

test('a cookie for another domain is neither kept nor sent', async () => {
  const service = await serve(
    (_, response) =>
      void json(response, 200, null, {
        'set-cookie': ['a=1; Domain=example.com', 'b=1; Domain=com; Path=/', 'c=1; Secure; Path=/'],
      }),
  )
  const jar = await jarFor(service)
  const records: RequestRecord[] = []
  const transport = transportTo(service, { jar, log: (record) => records.push(record) })
  await transport.send(get)
  await transport.send(get)
  expect(service.requests[1]?.headers.cookie).toBeUndefined()
  expect(existsSync(jar.file)).toBe(false)
  expect(records[0]?.refusedCookies).toEqual(['a', 'b', 'c'])
})

test('no request is on its way while the jar is locked, and a lock keeps no request', async () => {
  const locks: boolean[] = []
  const service = await serve((request, response) => {
    locks.push(existsSync(join(folder, 'jars', 'jar.json.lock')))
    json(response, 200, null, { 'set-cookie': `${request.url?.slice(-2)}=1; Path=/` })
  })
  const jar = await jarFor(service)
  const transport = transportTo(service, { jar })
  await transport.send({ method: 'GET', path: '/aa' })
  await transport.send({ method: 'GET', path: '/bb' })
  expect(locks).toEqual([false, false])
  const many = Array.from({ length: 20 }, (_, at) => transport.send({ method: 'GET', path: `/x${at + 10}` }))
  await Promise.all(many)
  expect((await jar.cookieHeader(service.url)).split('; ')).toHaveLength(22)
})

test('an answer whose cookies cannot be kept is an error of the local state', async () => {
  const service = await serve((_, response) => void json(response, 200, null, { 'set-cookie': 'a=1; Path=/' }))
  const jar = await jarFor(service, { lock: { wait: 30 } })
  await jar.setToken(undefined)
  await jar.store(service.url, ['z=1; Path=/'])
  const transport = transportTo(service, { jar })
  const errors = await withLock(jar.file, {}, () =>
    Promise.all([get, post].map((one) => thrownBy(transport.send(one)))),
  )
  expect(errors).toEqual([expect.any(LocalStateError), expect.any(LocalStateError)])
  expect(errors).toMatchObject([
    { status: 200, message: expect.stringMatching(/^\/.*jar\.json\.lock is held by process/) },
    { message: expect.stringMatching(/^The service did it, but its cookies are not kept\. \/.* is held by process/) },
  ])
})

test('a token is sent alone; what its answer sets is not kept', async () => {
  const service = await serve((_, response) => void json(response, 200, null, { 'set-cookie': 'evil=1; Path=/' }))
  const jar = await jarFor(service)
  await jar.store(service.url, [`${session}=s; Path=/`])
  await jar.setToken('from-jar')
  await transportTo(service, { jar, token: 'from-env' }).send({ ...get, headers: { authorization: 'none' } })
  await transportTo(service, { jar }).send(get)
  await transportTo(service, { jar }).send({ ...get, withoutToken: true })
  const sent = service.requests.map(({ headers }) => [headers.authorization, headers.cookie])
  expect(sent).toEqual([
    ['Bearer from-env', undefined],
    ['Bearer from-jar', undefined],
    [undefined, `${session}=s`],
  ])
  expect(readFileSync(jar.file, 'utf8')).toContain('evil')
  expect(service.requests).toHaveLength(3)
})

test('after 401 the jar is read again, and the request repeated once if that changed what is sent', async () => {
  const service = await serve((request, response) => {
    const isFresh = request.headers.cookie === `${session}=fresh`
    json(response, isFresh ? 200 : 401, null, isFresh ? {} : { 'set-cookie': `${session}=; Max-Age=0; Path=/` })
  })
  const jar = await jarFor(service)
  await jar.store(service.url, [`${session}=old; Path=/`])
  const transport = transportTo(service, { jar })
  await (await jarFor(service)).store(service.url, [`${session}=fresh; Path=/`], `${session}=old`)
  expect(await transport.send(post)).toMatchObject({ status: 200 })
  expect(service.requests).toHaveLength(2)
  expect((await jarFor(service)).isSignedIn()).toBe(true)
})

test('after 401 so is a token that another process has replaced, but nothing that was sent as nobody', async () => {
  const service = await serve((request, response) =>
    json(response, request.headers.authorization === 'Bearer fresh' ? 200 : 401, {}),
  )
  const [jar, nobody] = [await jarFor(service), await jarFor(service)]
  await jar.setToken('old')
  await (await jarFor(service)).setToken('fresh')
  expect(await transportTo(service, { jar }).send(post)).toMatchObject({ status: 200 })
  expect(await transportTo(service, { jar: nobody }).send(post)).toMatchObject({ status: 401 })
  expect(service.requests).toHaveLength(3)
})

test('a service that refuses each session, and sets another, is asked twice and no more', async () => {
  const service = await serve((_, response) => {
    json(response, 401, null, { 'set-cookie': `${session}=s${service.requests.length}; Path=/` })
  })
  const jar = await jarFor(service)
  await jar.store(service.url, [`${session}=s0; Path=/`])
  expect(await transportTo(service, { jar }).send(post)).toMatchObject({ status: 401 })
  expect(service.requests).toHaveLength(2)
})

test('the session of an answer that cannot be read is kept: nobody else could end it', async () => {
  const headers = { 'set-cookie': `${session}=s; Path=/`, 'content-encoding': 'gzip' }
  const service = await serve((_, response) => void response.writeHead(200, headers).end('not gzip'))
  const jar = await jarFor(service)
  expect(await thrownBy(transportTo(service, { jar }).send(post))).toBeInstanceOf(AnswerError)
  expect((await jarFor(service)).isSignedIn()).toBe(true)
})

test('after 401 nothing is repeated for an unchanged jar, no jar, or nobody', async () => {
  const service = await serve((_, response) => void json(response, 401, null))
  const jar = await jarFor(service)
  for (const given of [{}, { jar }, { token: 't' }]) {
    expect(await transportTo(service, given).send(post)).toMatchObject({ status: 401 })
  }
  await jar.store(service.url, [`${session}=s; Path=/`])
  expect(await transportTo(service, { jar }).send(post)).toMatchObject({ status: 401 })
  expect(service.requests).toHaveLength(4)
})

test('after 401 nothing is repeated as nobody, though the machine is known still', async () => {
  const device = 'postern.known_device'
  const service = await serve((_, response) => json(response, 401, null, { 'set-cookie': `${session}=; Max-Age=0` }))
  const jar = await jarFor(service)
  await jar.store(service.url, [`${session}=s; Path=/`, `${device}=d; Path=/`])
  const transport = transportTo(service, { jar })
  await (await jarFor(service)).clear()
  expect(await transport.send(post)).toMatchObject({ status: 401 })
  expect(service.requests).toHaveLength(1)
  expect(await (await jarFor(service)).cookieHeader(service.url)).toBe(`${device}=d`)
})

test('a stop ends the request, and the wait before a repetition, with its own reason', async () => {
  const service = await serve(
    countingFrom(
      () => {},
      (_, response) => void json(response, 429, null, { 'retry-after': '10' }),
    ),
  )
  for (const point of [1, 2]) {
    const stop = new AbortController()
    const sending = transportTo(service, { signal: stop.signal }).send(post)
    while (service.requests.length < point) await new Promise((done) => setTimeout(done, 5))
    await new Promise((done) => setTimeout(done, 20))
    const reason = new Error('interrupted')
    stop.abort(reason)
    expect(await thrownBy(sending)).toBe(reason)
  }
})

test('the record of a request names secrets and tells none', async () => {
  const service = await serve(
    (_, response) =>
      void json(
        response,
        200,
        { token: 'TOP' },
        { 'set-auth-token': 'TOP', 'set-cookie': 'a=TOP; Path=/', 'x-request-id': 'r1' },
      ),
  )
  const records: RequestRecord[] = []
  const jar = await jarFor(service)
  await jar.store(service.url, [`${session}=TOP; Path=/`])
  const log = (record: RequestRecord) => records.push(record)
  await transportTo(service, { jar, log }).send({
    ...post,
    query: { token: 'TOP', limit: '5' },
    body: { password: 'TOP' },
  })
  await transportTo(service, { token: 'TOP', log }).send(get)
  expect(JSON.stringify(records)).not.toContain('TOP')
  expect(records[0]).toMatchObject({
    method: 'POST',
    url: `${service.url}/api/auth/sign-out?token=[hidden]&limit=5`,
    status: 200,
    attempt: 1,
    bodyKeys: ['password'],
    requestHeaders: { cookie: '[hidden]', 'content-type': 'application/json' },
    headers: { 'x-request-id': 'r1', 'set-auth-token': '[hidden]' },
  })
})

test.each([
  ['a page', 'text/html', '<h1>hi</h1>', AnswerError],
  ['text that is not JSON', 'application/json', '{"a":', AnswerError],
  ['JSON that is nested too deep', 'application/json', `${'['.repeat(60)}${']'.repeat(60)}`, AnswerError],
  ['a type that is none', 'a\u00e9; x', '{}', AnswerError],
])('%s is not the service’s answer', async (_, type, text, kind) => {
  const service = await serve((_request, response) => void response.writeHead(200, { 'content-type': type }).end(text))
  const error = await thrownBy(transportTo(service).send(get))
  expect(error).toBeInstanceOf(kind)
  expect(error).toMatchObject({ exitCode: 11, hint: expect.stringContaining('URL') })
  expect(service.requests).toHaveLength(1)
})

test('JSON needs no content type, a refusal without a word is null, hostile keys fall off', async () => {
  const service = await serve(
    countingFrom(
      (_, response) => void response.end('{"a":1,"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}'),
      (_, response) => void response.writeHead(404).end(),
      (_, response) => void response.writeHead(200, { 'content-type': 'application/problem+json' }).end('[]'),
      (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('{"plain":true}'),
    ),
  )
  const bodies: unknown[] = []
  while (bodies.length < 4) bodies.push((await transportTo(service).send(get)).body)
  expect(bodies).toEqual([{ a: 1 }, null, [], { plain: true }])
  expect(({} as { x?: number }).x).toBeUndefined()
})

test('nobody at the address is a network error with what to do', async () => {
  const service = await startFakeServer(ok)
  await service.close()
  const records: RequestRecord[] = []
  const error = await thrownBy(transportTo(service, { log: (record) => records.push(record) }).send(post))
  expect(records).toMatchObject([{ attempt: 1, status: null, error: 'ECONNREFUSED' }])
  expect(error).toBeInstanceOf(NetworkError)
  expect(error).toMatchObject({
    exitCode: 10,
    message: `Nothing listens at ${service.url}`,
    hint: expect.stringContaining('postern serve'),
  })
})
