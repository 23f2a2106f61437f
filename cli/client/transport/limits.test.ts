import { getEventListeners } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { type FakeServer, listen, startFakeServer } from '../../testing/fake-server.ts'
import { patience } from '../../testing/patience.ts'
import { NetworkError } from '../errors.ts'
import type { TransportOptions } from './request.ts'
import { createTransport, type Transport } from './transport.ts'

const get = { method: 'GET', path: '/x' }
const post = { method: 'POST', path: '/x' }

const open: { close(): unknown }[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const serve = async (...answers: RequestListener[]): Promise<FakeServer> => {
  const service = await startFakeServer((request, response) => {
    const answer = answers[Math.min(service.requests.length, answers.length) - 1]
    answer?.(request, response)
  })
  open.push(service)
  return service
}
const transportTo = (baseUrl: string, options: Partial<TransportOptions> = {}): Transport => {
  const transport = createTransport({
    baseUrl,
    timeout: patience,
    retries: 2,
    retryDelay: 10,
    userAgent: 'x',
    ...options,
  })
  open.push(transport)
  return transport
}
const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

const ok: RequestListener = (_, response) => void response.end('{"ok":true}')
const drop: RequestListener = (request) => void request.socket.destroy()
const answer =
  (status: number, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"message":"no"}')

test.each<[string, typeof get, RequestListener, number]>([
  ['GET on a dropped connection', get, drop, 2],
  ['GET on 429', get, answer(429, { 'x-retry-after': '0' }), 2],
  ['POST on 429 with Retry-After', post, answer(429, { 'retry-after': '0' }), 2],
  ['POST on 429 with X-Retry-After', post, answer(429, { 'x-retry-after': '0' }), 2],
  ['POST on 429 that says no time', post, answer(429), 2],
  ['POST on 503 with Retry-After', post, answer(503, { 'retry-after': '0' }), 2],
  ['POST on 503 with X-Retry-After', post, answer(503, { 'x-retry-after': '0' }), 2],
  ['POST on 503 with a date', post, answer(503, { 'retry-after': new Date(0).toUTCString() }), 2],
])('%s is repeated until it succeeds', async (_, request, failure, failures) => {
  const service = await serve(...Array<RequestListener>(failures).fill(failure), ok)
  expect(await transportTo(service.url).send(request)).toMatchObject({ status: 200 })
  expect(service.requests).toHaveLength(failures + 1)
})

test.each<[string, typeof get, RequestListener]>([
  ['POST on a dropped connection', post, drop],
  ['DELETE on a dropped connection', { method: 'DELETE', path: '/x' }, drop],
  [
    'POST on an answer cut short',
    post,
    (_, response) => void response.writeHead(200, { 'content-length': '9' }).write('{', () => response.destroy()),
  ],
])('%s is never repeated', async (_, request, failure) => {
  const service = await serve(failure, ok)
  const error = await thrownBy(transportTo(service.url).send(request))
  expect(error).toBeInstanceOf(NetworkError)
  expect(error).toMatchObject({ hint: expect.stringContaining('may or may not have been made') })
  expect(service.requests).toHaveLength(1)
})

test.each<[string, typeof get, RequestListener, number]>([
  ['503 without Retry-After', post, answer(503), 503],
  ['503 without Retry-After, GET', get, answer(503), 503],
  ['503 with a Retry-After that says nothing', post, answer(503, { 'retry-after': 'soon' }), 503],
  ['500', get, answer(500, { 'retry-after': '0' }), 500],
  ['403', get, answer(403), 403],
  [
    '429 until a date beyond the time there is',
    post,
    answer(429, { 'retry-after': new Date(2 ** 42).toUTCString() }),
    429,
  ],
  ['429 that asks for more time than there is', post, answer(429, { 'retry-after': String(patience / 1000 + 1) }), 429],
])('%s is answered at once', async (_, request, failure, status) => {
  const service = await serve(failure, ok)
  expect(await transportTo(service.url).send(request)).toMatchObject({ status, body: { message: 'no' } })
  expect(service.requests).toHaveLength(1)
})

test('after the last repetition the failure stands', async () => {
  const limited = await serve(answer(429, { 'retry-after': '0' }))
  expect(await transportTo(limited.url).send(post)).toMatchObject({ status: 429 })
  const dropping = await serve(drop)
  expect(await thrownBy(transportTo(dropping.url).send(get))).toMatchObject({ name: 'NetworkError', exitCode: 10 })
  expect([limited.requests.length, dropping.requests.length]).toEqual([3, 3])
  const never = await serve(drop)
  await thrownBy(transportTo(never.url, { retries: 0 }).send(get))
  expect(never.requests).toHaveLength(1)
})

test('each pause is twice as long as the one before', async () => {
  const service = await serve(answer(429))
  await thrownBy(transportTo(service.url, { timeout: 500, retries: 100, retryDelay: 1 }).send(get))
  expect(service.requests.length).toBeLessThan(20)
})

test('Retry-After is waited for', async () => {
  const service = await serve(answer(429, { 'retry-after': '1' }), ok)
  const start = performance.now()
  await transportTo(service.url).send(post)
  expect(performance.now() - start).toBeGreaterThan(990)
})

test('nothing is sent after a stop', async () => {
  const service = await serve(ok)
  const reason = new Error('interrupted')
  expect(await thrownBy(transportTo(service.url, { signal: AbortSignal.abort(reason) }).send(post))).toBe(reason)
  expect(service.requests).toEqual([])
})

const endless: RequestListener = (_, response) => {
  const chunk = Buffer.alloc(65_536, 32)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}
const bomb = gzipSync(Buffer.alloc(200 * 1_048_576))

test.each<[string, RequestListener]>([
  ['an endless answer', endless],
  ['a bomb in gzip', (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)],
  ['just over 5 MB', (_, response) => void response.end(`"${'x'.repeat(5 * 1_048_576 - 1)}"`)],
])('%s is cut off at 5 MB', async (_, failure) => {
  const service = await serve(failure)
  const error = await thrownBy(transportTo(service.url).send(get))
  expect(error).toMatchObject({
    name: 'AnswerTooLargeError',
    exitCode: 11,
    message: expect.stringContaining('larger than'),
  })
  expect(service.requests).toHaveLength(1)
})

test('60 kB of headers are read', async () => {
  const long = 'x'.repeat(60_000)
  const service = await serve((_, response) => void response.writeHead(200, { 'x-long': long }).end('{}'))
  expect((await transportTo(service.url).send(get)).headers['x-long']).toBe(long)
})

test('5 MB are read', async () => {
  const service = await serve((_, response) => void response.end(`"${'x'.repeat(5 * 1_048_576 - 2)}"`))
  expect((await transportTo(service.url).send(get)).body).toHaveLength(5 * 1_048_576 - 2)
})

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer in %s is read', async (encoding, compress) => {
  const service = await serve(
    (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(compress('{"zip":true}')),
  )
  expect(await transportTo(service.url).send(get)).toMatchObject({ body: { zip: true } })
})

test.each<[string, RequestListener]>([
  ['damaged gzip', (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip')],
  [
    'an encoding nobody asked for',
    (_, response) => void response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
  ],
  [
    'headers of more than 64 kB',
    (_, response) => void response.writeHead(200, { 'x-long': 'x'.repeat(70_000) }).end('{}'),
  ],
])('%s is not the service’s answer', async (_, failure) => {
  const service = await serve(failure)
  expect(await thrownBy(transportTo(service.url).send(get))).toMatchObject({ name: 'AnswerError', exitCode: 11 })
})

/** Timers of that many milliseconds fire one by one when `ring` is called, whatever the clock says. */
function holdTimers(milliseconds: number) {
  const start = globalThis.setTimeout
  const held: (() => void)[] = []
  const hold = (ring: () => void, delay?: number) => {
    if (delay !== milliseconds) return start(ring, delay)
    held.push(ring)
    return start(() => {}, 2 ** 31 - 1)
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(hold as typeof setTimeout)
  return { ring: () => held.shift()?.() }
}

const moreTime = 'Try again with more time: --timeout 60s'

test.each<[string, typeof get, RequestListener, string]>([
  ['never answers', get, () => {}, moreTime],
  [
    'never answers a write',
    post,
    () => {},
    'The change may have been made anyway: check, then try again with more time (--timeout 60s)',
  ],
  [
    'drips',
    get,
    (_, response) => {
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    },
    moreTime,
  ],
])('a service that %s is left when the time is over', async (_, request, failure, hint) => {
  const service = await serve(failure)
  const time = holdTimers(300)
  const left = thrownBy(transportTo(service.url, { timeout: 300 }).send(request))
  await expect.poll(() => service.requests.length).toBe(1)
  time.ring()
  const error = await left
  expect(error).toMatchObject({
    name: 'NetworkError',
    message: expect.stringContaining('did not answer within 0.3 s'),
    hint,
  })
  expect(service.requests).toHaveLength(1)
})

test('a request whose time is over ends no other', async () => {
  let release = () => {}
  const late: RequestListener = (request, response) => {
    release = () => ok(request, response)
  }
  const service = await serve(() => {}, late)
  const time = holdTimers(300)
  const transport = transportTo(service.url, { timeout: 300 })
  const left = thrownBy(transport.send(get))
  await expect.poll(() => service.requests.length).toBe(1)
  const other = transport.send(get)
  await expect.poll(() => service.requests.length).toBe(2)
  time.ring()
  expect(await left).toBeInstanceOf(NetworkError)
  release()
  expect(await other).toMatchObject({ status: 200 })
})

test('a port that takes connections and says nothing is left after the time to connect', async () => {
  const silent = createTcpServer()
  const port = await listen(silent)
  open.push(silent)
  const sockets: { destroy(): void }[] = []
  silent.on('connection', (socket) => sockets.push(socket))
  const transport = transportTo(`https://localhost:${port}`, { connectTimeout: 200, retries: 0 })
  const error = await thrownBy(transport.send(get))
  expect(error).toMatchObject({ name: 'NetworkError', message: expect.stringContaining('cannot be reached') })
  for (const socket of sockets) socket.destroy()
})

test('something that does not speak HTTP is an error, not a hang', async () => {
  const odd = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.2\r\n'))
  const port = await listen(odd)
  open.push(odd)
  const error = await thrownBy(transportTo(`http://localhost:${port}`).send(post))
  expect(error).toMatchObject({ exitCode: 11, message: expect.stringContaining('cannot be read') })
})

test('nothing is kept of a request that is done by what could have stopped it', async () => {
  const service = await serve(ok)
  const { signal } = new AbortController()
  const transport = transportTo(service.url, { signal })
  for (const request of [get, get, post]) await transport.send(request)
  const kept = Object.getOwnPropertySymbols(signal).map((name) => Object(Reflect.get(signal, name)).size ?? 0)
  expect([getEventListeners(signal, 'abort'), Math.max(0, ...kept)]).toEqual([[], 0])
})
