import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTestService } from '../testing/service.ts'
import { rawRequest } from '../testing/wire.ts'
import { drain, listen } from './listen.ts'

it('a request that arrives after its connection was answered with 408 is not run', async () => {
  const service = await createTestService()
  const ran: string[] = []
  const note = (request: Request) => {
    ran.push(new URL(request.url).pathname)
    return new Response('done')
  }
  const server = await listen({ ...service.deps.config, HOST: '127.0.0.1', PORT: 0 }, note)
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<[client: Socket, served: Socket]> => {
    const served = once(server, 'connection')
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    return [client, ((await served) as [Socket])[0]]
  }
  try {
    const [late, served] = await open()
    let said = ''
    late.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    // As Node does for a request that is not there in time.
    const timeout = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', timeout, served)
    await expect.poll(() => said).toContain('408 Request Timeout')
    const received = once(served, 'end')
    late.end(rawRequest('GET /late'))
    served.resume()
    await received
    const [other] = await open()
    other.end(rawRequest('GET /other'))
    await expect.poll(() => ran).toContain('/other')
    expect(ran).toEqual(['/other'])
    other.destroy()
  } finally {
    await drain(server, 0)
    await service.stop()
  }
})

it('a connection that floods us with requests before it reads an answer is closed', async () => {
  let ran = 0
  const { port, stop } = await serve(async () => {
    ran += 1
    await setImmediate()
    return new Response('done')
  })
  try {
    expect((await flood(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 50)).match(/200 OK/g)).toHaveLength(50)
    ran = 0
    await flood(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 2000)
    expect(ran).toBeLessThan(150)
  } finally {
    await stop()
  }
})

it('one whose requests have bodies, and are answered at once, is closed as well', async () => {
  let ran = 0
  const { port, stop } = await serve(async (request) => {
    ran += 1
    return new Response(`done ${await request.text()}`)
  })
  const one = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'
  try {
    expect((await flood(port, one, 50)).match(/200 OK/g)).toHaveLength(50)
    ran = 0
    await flood(port, one, 900)
    expect(ran).toBeLessThan(150)
  } finally {
    await stop()
  }
})

const ignored = async () => new Response('done')
const echoed = async (request: Request) => new Response(`done ${(await request.text()).length}`)

it.each([
  ['that is read', echoed],
  ['that nobody reads', ignored],
])('a connection with a body %s, in thousands of pieces, is closed', async (_what, answer) => {
  const { port, stop } = await serve(answer)
  const inPieces = (count: number) =>
    `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`
  try {
    expect((await flood(port, inPieces(1000), 3)).match(/200 OK/g)).toHaveLength(3)
    expect((await flood(port, inPieces(5000), 3)).match(/200 OK/g)?.length ?? 0).toBeLessThan(2)
  } finally {
    await stop()
  }
})

/** A server at a port of its own. */
async function serve(answer: (request: Request) => Promise<Response>) {
  const service = await createTestService()
  const server = await listen({ ...service.deps.config, HOST: '127.0.0.1', PORT: 0 }, answer)
  const stop = async () => {
    await drain(server, 0)
    await service.stop()
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

/** Sends a request so many times in one go. Returns all that was answered until the connection closed. */
async function flood(port: number, request: string, count: number): Promise<string> {
  const client = connect(port, '127.0.0.1').on('error', () => undefined)
  let said = ''
  client.setEncoding('latin1').on('data', (text: string) => {
    said += text
    if (said.split('done').length > count) client.end()
  })
  client.write(request.repeat(count))
  await new Promise((resolve) => client.on('close', resolve))
  return said
}
