import { writeFileSync } from 'node:fs'
import { createServer as createProxy } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { testCertificate, testKey } from '../../../server/testing/certificate.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { listen } from '../../testing/fake-server.ts'
import { patience } from '../../testing/patience.ts'
import { makeFixture, spawnFixture } from '../../testing/spawn-fixture.ts'
import { createTransport } from './transport.ts'

const get = { method: 'GET', path: '/x' }
const jarCookies = ['__Host-a=1; Path=/; Secure; HttpOnly', '__Secure-postern.session_token=s; Path=/; Secure']

let asker: string
let folder: string
let service: Server
let port: number
let asked: number
beforeAll(async () => {
  asker = await makeFixture('asker.fixture.ts')
})
beforeEach(async () => {
  folder = temporaryFolder('tls')
  writeFileSync(join(folder, 'ca.pem'), testCertificate)
  asked = 0
  service = createServer({ cert: testCertificate, key: testKey }, (_, response) => {
    asked++
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': jarCookies }).end('{}')
  })
  port = await listen(service)
})
afterEach(() => void service.close())

// Runs in a process of its own, since Node reads NODE_EXTRA_CA_CERTS at start.
const ask = async (url: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const asking = spawnFixture(asker, [url, join(folder, 'jars', `${new URL(url).hostname}.json`), ...args], env)
  await asking.ended
  return asking.lines.join('\n')
}
const trust = () => ({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })

/** A real CONNECT proxy that routes every host to the service. */
const startProxy = async () => {
  const targets: string[] = []
  const others: string[] = []
  const proxy = createProxy((request, response) => {
    others.push(request.url ?? '')
    response.end('{}')
  })
  proxy.on('connect', (request, socket) => {
    targets.push(request.url ?? '')
    const tunnel = connect((service.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      tunnel.pipe(socket).pipe(tunnel)
    })
    tunnel.on('error', () => socket.destroy())
    socket.on('error', () => tunnel.destroy())
  })
  const url = `http://127.0.0.1:${await listen(proxy)}`
  return { url, targets, others, close: () => proxy.close() }
}

test('a certificate that nobody vouches for ends it, with one try and what to do', async () => {
  const options = { baseUrl: `https://localhost:${port}`, timeout: patience, retries: 2, userAgent: 'x' }
  const transport = createTransport({ ...options, retryDelay: 10 })
  let tries = 0
  service.on('connection', () => tries++)
  await expect(transport.send(get)).rejects.toMatchObject({
    name: 'NetworkError',
    message: expect.stringContaining('is not trusted'),
    hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
  expect([tries, asked]).toEqual([1, 0])
  await transport.close()
})

test('https to something that speaks clear text ends with one try', async () => {
  const plain = createProxy()
  let connections = 0
  plain.on('connection', () => connections++)
  const baseUrl = `https://localhost:${await listen(plain)}`
  const transport = createTransport({ baseUrl, timeout: patience, retries: 2, retryDelay: 10, userAgent: 'x' })
  await expect(transport.send(get)).rejects.toMatchObject({
    name: 'NetworkError',
    message: expect.stringContaining('does not speak https'),
  })
  expect(connections).toBe(1)
  await transport.close()
  plain.close()
})

test('a private authority is trusted where Node was told of it, and its Secure cookies are kept', async () => {
  const shown = await ask(`https://localhost:${port}`, [], trust())
  expect(shown).toBe('200 __Host-a=1; __Secure-postern.session_token=s')
})

test('a proxy tunnels to the named host, and is left out for hosts of NO_PROXY', async () => {
  const proxy = await startProxy()
  const url = `https://accounts.example.com:${port}`
  // The caller passes the proxy settings, so NO_PROXY in the environment must have no effect.
  const env = { ...trust(), NO_PROXY: '*', no_proxy: '*' }
  expect(await ask(url, [proxy.url], env)).toMatch(/^200 /)
  expect(proxy.targets).toEqual([`accounts.example.com:${port}`])
  await ask(url, [proxy.url, 'other.example, .example.com'], trust())
  expect([proxy.targets.length, proxy.others]).toEqual([1, []])
  proxy.close()
})

test('what goes to this machine passes no proxy, nor does one of the environment count', async () => {
  const proxy = await startProxy()
  const env = {
    ...trust(),
    HTTPS_PROXY: proxy.url,
    HTTP_PROXY: proxy.url,
    https_proxy: proxy.url,
    http_proxy: proxy.url,
  }
  expect(await ask(`https://localhost:${port}`, [proxy.url], trust())).toMatch(/^200 /)
  expect(await ask(`https://127.0.0.1:${port}`, [], env)).toMatch(/^200 /)
  expect([proxy.targets, proxy.others]).toEqual([[], []])
  proxy.close()
})
