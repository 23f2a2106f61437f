import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Config } from '../config.ts'
import { watchSockets } from './sockets.ts'
import { answerUnreadable } from './unreadable.ts'

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch']

/** Against slow clients (milliseconds) and large headers (bytes). By default Node looks for slow ones every 30 s only. */
export const serverOptions = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
}

/** Listens; fails with a sentence when the port is taken. */
export async function listen(config: Config, fetch: Fetch): Promise<Server> {
  const server = createAdaptorServer({ fetch, serverOptions }) as Server
  watchSockets(server, config)
  server.on('clientError', answerUnreadable)
  await listenAt(server, { ...config, prefix: '' })
  return server
}

interface Place {
  readonly HOST: string
  readonly PORT: number
  /** What the names of both settings begin with. */
  readonly prefix: '' | 'METRICS_'
}

export const listenAt = (server: Server, place: Place): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, place)))
    server.listen(place.PORT, place.HOST, resolve)
  })

/** The name, too, of a machine that can ask nobody for names. */
const notHere = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'])

function explain(error: NodeJS.ErrnoException, { HOST, PORT, prefix }: Place): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${PORT} on ${HOST} is taken. Stop what listens there, or set ${prefix}PORT.`)
  if (error.code === 'EACCES')
    return new Error(`Port ${PORT} is not allowed for this user. Set ${prefix}PORT to 1024 or above.`)
  if (notHere.has(error.code ?? ''))
    return new Error(
      `This machine has no address ${HOST}, or cannot look it up. Set ${prefix}HOST to one of its own, or 0.0.0.0.`,
    )
  return error
}

export function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Stops accepting, lets what is in flight finish for `timeout` milliseconds, then cuts what is left. */
export async function drain(server: Server, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), timeout)
  await closed.finally(() => clearTimeout(timer))
}
