import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createTestService, type TestService } from './service.ts'
import { type Listening, listenTo, rawRequest } from './wire.ts'

let service: TestService
let wire: Listening
beforeAll(async () => {
  service = await createTestService()
  wire = await listenTo(service.app, service.deps.config)
})
const sockets: Socket[] = []
const timers: NodeJS.Timeout[] = []
afterEach(() => {
  for (const timer of timers.splice(0)) clearInterval(timer)
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(async () => {
  await wire.close()
  await service.stop()
})

async function connectFrom(localAddress: string): Promise<Socket> {
  const socket = connectSocket({ port: wire.port, host: '127.0.0.1', localAddress }).on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

const isServed = async () => (await wire.exchange(rawRequest('GET /api/auth/get-session'))).body === 'null'

/** Sends a start and then a piece every second, as long as it is let; tells when it was cut. */
async function drip({ start, piece }: Drip, onClosed: () => void): Promise<void> {
  const socket = await connectFrom('127.0.0.1')
  socket.once('close', onClosed).resume().write(start)
  timers.push(setInterval(() => socket.writable && socket.write(piece), 1000))
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

it('cuts five hundred dripping connections by its limits, and serves newcomers meanwhile', {
  timeout: 28_000,
}, async () => {
  let open = 500
  const onClosed = () => {
    open -= 1
  }
  await Promise.all(Array.from({ length: open }, (_, index) => drip(drips[index % drips.length]!, onClosed)))
  expect(await Promise.all(Array.from({ length: 20 }, isServed))).toEqual(Array(20).fill(true))
  expect(open).toBe(500)
  const { server } = wire
  expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 15_000])
  // A fifth, so that nobody waits long to see them work.
  Object.assign(server, { headersTimeout: 2000, requestTimeout: 3000 })
  while (open > 0) {
    expect(await isServed()).toBe(true)
    await sleep(200)
  }
})

it.skipIf(process.platform !== 'linux')('lets one address hold 1,024 connections, and others in besides', async () => {
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
