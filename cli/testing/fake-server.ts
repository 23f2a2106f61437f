import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { freePort } from '../../server/testing/ports.ts'

export interface FakeServer {
  readonly url: string
  readonly port: number
  /** Every request so far, oldest first. */
  readonly requests: readonly IncomingMessage[]
  close(): Promise<void>
}

/** A real HTTP server on loopback that answers as the test says. */
export async function startFakeServer(answer: RequestListener): Promise<FakeServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  // A machine that stands still is no reason to leave: what is asked next would be lost with the connection.
  server.keepAliveTimeout = 0
  const port = await listen(server)
  const close = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  return { url: `http://localhost:${port}`, port, requests, close }
}

/** Listens on a port of loopback that nobody has after it. */
export async function listen(server: Server): Promise<number> {
  server.listen(await freePort(), '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
