import dns from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import net from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../../../server/testing/ports.ts'
import { patience } from '../../testing/patience.ts'
import { createHttpClient } from './http-client.ts'

/** The loopback addresses of this machine, which may lack IPv6. */
const own = ['127.0.0.1', '::1'].filter((one) =>
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === one)),
)

const open: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(open.splice(0).map((close) => close()))
})

/** Answers with the address it listens on and the host name of the request. */
async function listen(address: string, port: number): Promise<void> {
  const server = createServer(({ headers }, response) => response.end(`${address} as ${headers.host}`))
  await once(server.listen(port, address), 'listening')
  open.push(() => once(server.close(), 'close'))
}

async function ask(port: number, host = 'localhost'): Promise<string> {
  const url = new URL(`http://${host}:${port}/`)
  const client = createHttpClient(url, patience, {})
  open.push(() => client.close())
  const signal = AbortSignal.timeout(patience)
  return (await client.send({ method: 'GET', url, headers: {}, body: null, signal })).text()
}

test.each(own)('localhost is whoever listens on %s alone, called by that name', async (address) => {
  const port = await freePort()
  await listen(address, port)
  const lookup = vi.spyOn(dns, 'lookup')
  expect(await ask(port)).toBe(`${address} as localhost:${port}`)
  expect(lookup).not.toHaveBeenCalled()
})

test.skipIf(own.length < 2)('where both listen at a port, 127.0.0.1 answers', async () => {
  const port = await freePort()
  for (const address of own) await listen(address, port)
  expect(await ask(port)).toBe(`127.0.0.1 as localhost:${port}`)
})

test('each address of a name has a second', async () => {
  const port = await freePort()
  await listen('127.0.0.1', port)
  const lookup = (_: string, __: object, found: (error: null, all: object[]) => void) =>
    found(null, [{ address: '127.0.0.1', family: 4 }])
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup)
  const connecting = vi.spyOn(net, 'connect')
  expect(await ask(port, 'id.example.com')).toBe(`127.0.0.1 as id.example.com:${port}`)
  expect(connecting.mock.calls).toEqual([[expect.objectContaining({ autoSelectFamilyAttemptTimeout: 1000 })]])
})

test('where nobody listens, that is what is told', async () => {
  await expect(ask(await freePort())).rejects.toMatchObject({ code: 'ECONNREFUSED', address: '127.0.0.1' })
})
