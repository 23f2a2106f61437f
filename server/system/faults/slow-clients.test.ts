import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { drain, NetworkCount, watchSockets } from '../../process/listen.ts'
import { slack } from '../../testing/slack.ts'
import { useTestService, useWire } from '../../testing/use-service.ts'
import { listenTo, rawRequest } from '../../testing/wire.ts'

// Five hundred connections, and the seconds after which they are cut.
vi.setConfig({ testTimeout: 120_000 * slack })

const service = useTestService()
const wire = useWire(service)
const sockets: Socket[] = []
const timers: NodeJS.Timeout[] = []
afterEach(() => {
  for (const timer of timers.splice(0)) clearInterval(timer)
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function connectFrom(localAddress: string, more: { allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const where = { port: wire.port, host: '127.0.0.1', localAddress }
  const socket = connectSocket({ ...where, ...more }).on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

const isServed = async () => (await wire.exchange(rawRequest('GET /api/auth/get-session'))).body === 'null'

/** Connections as the service sees them. */
const countOpen = () => new Promise<number>((resolve) => wire.server.getConnections((_error, count) => resolve(count)))

/** Sends a start and then a piece every second, as long as it is let. A deaf one reads nothing and never says goodbye. */
async function drip({ start, piece }: Drip, isDeaf: boolean): Promise<void> {
  const socket = await connectFrom('127.0.0.1', { allowHalfOpen: isDeaf })
  if (!isDeaf) socket.resume()
  socket.write(start)
  // A client that has stopped sending stays silent.
  if (piece !== '') timers.push(setInterval(() => socket.writable && socket.write(piece), 1000))
}

interface Drip {
  readonly start: string
  readonly piece: string
}

const post = 'POST /api/auth/sign-out HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const drips: Drip[] = [
  { start: '', piece: '' },
  { start: '', piece: '\r\n' },
  { start: 'GET /api/auth/ok HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', piece: 'x' },
  { start: `${post}Content-Length: 60000\r\n\r\n{`, piece: ' ' },
  { start: `${post}Transfer-Encoding: chunked\r\n\r\n`, piece: '1\r\n \r\n' },
]

/** Limits that no machine meets, however slowly it opens a thousand connections. Milliseconds. */
const patient = { headersTimeout: 200_000, requestTimeout: 200_000 }

it('cuts five hundred dripping connections by its limits, and serves newcomers meanwhile', async () => {
  const { server } = wire
  expect(server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 2000,
  })
  Object.assign(server, patient)
  const all = Array.from({ length: 500 }, (_, index) => drip(drips[index % drips.length]!, index % 2 === 0))
  await Promise.all(all)
  expect(await Promise.all(Array.from({ length: 20 }, isServed))).toEqual(Array(20).fill(true))
  expect(await countOpen()).toBeGreaterThanOrEqual(500)
  // A fifth, so that nobody waits long to see them work. Newcomers have to be within them, too.
  Object.assign(server, { headersTimeout: 2000 * slack, requestTimeout: 3000 * slack })
  while ((await countOpen()) > 0) {
    expect(await isServed()).toBe(true)
    await sleep(200)
  }
  Object.assign(server, patient)
})

describe('a client that reads nothing and never closes', () => {
  const deaf = () => connectFrom('127.0.0.1', { allowHalfOpen: true })

  it('is cut after an answer to what cannot be read', async () => {
    const socket = await deaf()
    socket.write('no HTTP at all\r\n\r\n')
    await once(socket, 'readable')
    await expect.poll(countOpen).toBe(0)
  })

  it('is cut after the last answer that it asked for', async () => {
    const socket = await deaf()
    socket.write(rawRequest('GET /api/auth/ok'))
    await once(socket, 'readable')
    await expect.poll(countOpen).toBe(0)
  })

  it('is cut when the service leaves', async () => {
    const leaving = await listenTo(service)
    const socket = connectSocket({ port: leaving.port, host: '127.0.0.1', allowHalfOpen: true })
    sockets.push(socket.on('error', () => undefined))
    await once(socket, 'connect')
    Object.assign(leaving.server, { headersTimeout: 1, requestTimeout: 1 })
    socket.write('GET /api/auth/ok HTTP/1.1\r\n')
    // Node has said that it took too long, and does not count it among its connections any more.
    await once(socket, 'readable')
    await drain(leaving.server, 100)
    const count = await new Promise((resolve) => leaving.server.getConnections((_error, open) => resolve(open)))
    expect(count).toBe(0)
  })

  it('is cut when it does not take an answer', async () => {
    const server = createServer((_request, response) => response.end('x'.repeat(50_000_000)))
    watchSockets(server, service.deps.config, { look: 50, taking: 200 })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connectSocket({ port, host: '127.0.0.1' }).on('error', () => undefined)
    sockets.push(socket.pause())
    socket.write(rawRequest('GET /'))
    const [served] = (await once(server, 'connection')) as [Socket]
    await once(served, 'close')
    expect(served.writableFinished).toBe(false)
    server.close()
  })
})

it('counts connections by network: an IPv4 address, or a /64 of IPv6', () => {
  const networks = new NetworkCount(2)
  expect(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'].map((one) => networks.enter(one))).toEqual([
    true,
    true,
    false,
    true,
  ])
  expect(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map((one) => networks.enter(one))).toEqual([
    true,
    true,
    false,
    true,
  ])
  networks.leave('2001:db8::2')
  expect([networks.enter('2001:db8::4'), networks.enter('2001:db8::5')]).toEqual([true, false])
  expect([networks.enter('::ffff:192.0.2.1'), networks.enter('::ffff:192.0.2.2')]).toEqual([false, true])
})

it.skipIf(process.platform !== 'linux')('lets one address hold 1,024 connections, and others in besides', async () => {
  Object.assign(wire.server, patient)
  const greedy = await Promise.all(Array.from({ length: 1024 }, () => connectFrom('127.0.0.2')))
  expect(await isServed()).toBe(true)
  const more = await connectFrom('127.0.0.2')
  await once(more, 'close')
  expect(greedy.every(({ destroyed }) => !destroyed)).toBe(true)
  expect(await isServed()).toBe(true)
  greedy[0]!.destroy()
  await expect
    .poll(async () => {
      const again = await connectFrom('127.0.0.2')
      again.write(rawRequest('GET /api/auth/ok'))
      const [first] = (await Promise.race([once(again, 'data'), once(again, 'close')])) as [unknown]
      return Buffer.isBuffer(first)
    })
    .toBe(true)
})
