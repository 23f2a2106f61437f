import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { listen } from '../../testing/fake-server.ts'
import { patience } from '../../testing/patience.ts'
import { createTransport } from './transport.ts'

const get = { method: 'GET', path: '/x' }
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A proxy that gives this answer to every CONNECT, or none for undefined. Counts the attempts. */
const startProxy = async (answer: string | undefined) => {
  const seen = { dials: 0 }
  const server = createServer((socket) => {
    seen.dials++
    socket.on('error', () => {}).resume()
    if (answer !== undefined) socket.once('data', () => socket.end(answer))
  })
  servers.push(server)
  return { url: `http://127.0.0.1:${await listen(server)}`, seen }
}
interface Options {
  readonly timeout?: number
  readonly retries?: number
  /** NO_PROXY. */
  readonly no?: string
}
const askThrough = async (proxy: string, { no, ...options }: Options = {}): Promise<unknown> => {
  const settings = { timeout: patience, retries: 1, retryDelay: 10, userAgent: 'x', ...options }
  const transport = createTransport({
    ...settings,
    baseUrl: 'https://accounts.invalid',
    proxy: { https: { name: 'https_proxy', url: proxy }, no },
  })
  const thrown = await transport.send(get).catch((error: unknown) => error)
  await transport.close()
  return thrown
}

test('HTTP_PROXY serves https too, unless HTTPS_PROXY is set', async () => {
  const { url, seen } = await startProxy('')
  const http = { name: 'HTTP_PROXY', url }
  for (const proxy of [{ http }, { http, https: { name: 'HTTPS_PROXY', url: 'http://127.0.0.1:1' } }]) {
    const options = { timeout: patience, retries: 0, userAgent: 'x', baseUrl: 'https://accounts.invalid', proxy }
    const transport = createTransport(options)
    await expect(transport.send(get)).rejects.toThrow('The proxy connection failed')
    await transport.close()
  }
  expect(seen.dials).toBe(1)
})

test('a proxy that closes without a word is given up after the retries', async () => {
  const { url, seen } = await startProxy('')
  expect(await askThrough(url)).toMatchObject({
    name: 'NetworkError',
    exitCode: 10,
    message: expect.stringContaining(`${url} ended the connection`),
    hint: 'Check https_proxy, or exclude this host with NO_PROXY',
  })
  expect(seen.dials).toBe(2)
})

test.each([
  [407, 'https_proxy=http://user:password@host:port', 1],
  [403, 'NO_PROXY', 1],
  [502, 'NO_PROXY', 2],
])('a proxy that answers %i is named, with what to do', async (status, hint, dials) => {
  const page = '<h1>no</h1>'
  const { url, seen } = await startProxy(`HTTP/1.1 ${status} No\r\ncontent-length: ${page.length}\r\n\r\n${page}`)
  expect(await askThrough(url)).toMatchObject({
    exitCode: 10,
    message: `The proxy ${url} refuses to connect (status ${status})`,
    hint: expect.stringContaining(hint),
  })
  expect(seen.dials).toBe(dials)
})

test('a proxy that is not there is named instead of the service', async () => {
  const { url } = await startProxy('')
  await new Promise((done) => servers.pop()?.close(done))
  expect(await askThrough(url, { retries: 0 })).toMatchObject({
    exitCode: 10,
    message: expect.stringContaining(`Nothing listens at ${url}`),
  })
})

test.each(['socks5://127.0.0.1:1080', 'proxy.example.com:8080', 'http://%zz:password@127.0.0.1'])(
  'the variable that names %s is told, with what to give',
  async (url) => {
    expect(await askThrough(url)).toMatchObject({
      message: 'https_proxy is not the URL of an http proxy',
      hint: 'Give http://HOST:PORT or https://HOST:PORT, or exclude this host with NO_PROXY',
    })
  },
)

test('no proxy is needed for a host that NO_PROXY excludes, so a wrong one is no obstacle', async () => {
  expect(await askThrough('socks5://127.0.0.1:1080', { no: 'accounts.invalid', retries: 0 })).toMatchObject({
    name: 'NetworkError',
    message: expect.stringContaining('accounts.invalid') as unknown,
  })
})

test('a proxy that never answers ends with the timeout', async () => {
  const { url } = await startProxy(undefined)
  expect(await askThrough(url, { timeout: 200 })).toMatchObject({
    exitCode: 10,
    message: 'https://accounts.invalid did not answer within 0.2 s',
  })
})
