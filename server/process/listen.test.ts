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
  const service = await createTestService()
  let ran = 0
  const answer = async ({ method }: Request) => {
    ran += 1
    // A refused body is answered at once.
    if (method === 'GET') await setImmediate()
    return new Response('done')
  }
  const server = await listen({ ...service.deps.config, HOST: '127.0.0.1', PORT: 0 }, answer)
  const send = async (count: number, request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'): Promise<string> => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
    const closed = once(client, 'close')
    let said = ''
    client.setEncoding('latin1').on('data', (text: string) => {
      said += text
      if (said.split('done').length > count) client.end()
    })
    client.write(request.repeat(count))
    await closed
    return said
  }
  try {
    for (const request of [undefined, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}']) {
      expect((await send(50, request)).match(/200 OK/g)).toHaveLength(50)
      ran = 0
      await send(2000, request)
      expect(ran).toBeLessThan(150)
    }
  } finally {
    await drain(server, 0)
    await service.stop()
  }
})
