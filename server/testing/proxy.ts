import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import type { Database } from '../db/connect.ts'
import { freePort } from './ports.ts'

/** What the way to the database does to a new connection, or to all that are open. */
export type Fault =
  | 'none'
  /** Nobody listens. */
  | 'refuse'
  /** Takes the first message, then says goodbye before it is answered. */
  | 'end-at-startup'
  /** Takes everything and never answers. */
  | 'silent'
  | 'reset'
  /** Three seconds on the way, in each direction. */
  | 'slow'
  /** The database's side says goodbye, ours stays open. */
  | 'half-close'
  /** The server is shut down five rows into its first answer. */
  | 'shutdown'

export interface Proxy {
  /** The database as it is reached through here. */
  readonly database: Database
  fault: Fault
  /** Connections that were taken. */
  accepted: number
  /** Does to every open connection what `fault` says. */
  strike(): void
  close(): Promise<void>
}

/** A way to the database that can break as networks do. */
export async function openProxy(database: Database): Promise<Proxy> {
  const pairs = new Set<Pair>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    proxy.accepted += 1
    accept(client, upstreamOf(database), proxy.fault, pairs)
  })
  server.listen(await freePort(), '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let current: Fault = 'none'
  const proxy: Proxy = {
    database: through(database, port),
    get fault() {
      return current
    },
    set fault(next) {
      if (next === 'refuse' && server.listening) server.close()
      if (next !== 'refuse' && !server.listening) server.listen(port, '127.0.0.1')
      current = next
    },
    accepted: 0,
    strike: () => {
      for (const { client, upstream } of pairs) if (upstream) strikes[current]({ client, upstream })
    },
    close: async () => {
      for (const { client, upstream } of pairs) for (const end of [client, upstream]) end?.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

interface Pair {
  readonly client: Socket
  readonly upstream?: Socket
}

const quiet = (socket: Socket): Socket => socket.on('error', () => undefined)

function accept(client: Socket, target: NetConnectOpts, fault: Fault, pairs: Set<Pair>): void {
  quiet(client)
  if (fault === 'reset') return void client.resetAndDestroy()
  if (fault === 'end-at-startup') return void client.once('data', () => client.end())
  if (fault === 'silent' || fault === 'half-close') {
    const pair = { client: client.resume() }
    pairs.add(pair)
    client.once('close', () => pairs.delete(pair))
    if (fault === 'half-close') client.end()
    return
  }
  const upstream = quiet(connect(target))
  const pair = { client, upstream }
  pairs.add(pair)
  client.once('close', () => {
    pairs.delete(pair)
    upstream.destroy()
  })
  upstream.once('close', () => client.end())
  const delay = fault === 'slow' ? 3000 : 0
  pass(client, upstream, delay)
  if (fault === 'shutdown') passFiveRows(upstream, client)
  else pass(upstream, client, delay)
}

const body = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
const length = Buffer.alloc(4)
length.writeInt32BE(body.length + 4)
const adminShutdown = Buffer.concat([Buffer.from('E'), length, body])

/** Passes whole messages (type, length, body) until the fifth row, then what a server says that is shut down. */
function passFiveRows(upstream: Socket, client: Socket): void {
  let pending = Buffer.alloc(0)
  let rows = 0
  upstream.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (let size = sizeOf(pending); rows < 5 && size <= pending.length; size = sizeOf(pending)) {
      if (pending[0] === 'D'.charCodeAt(0)) rows += 1
      client.write(pending.subarray(0, size))
      pending = pending.subarray(size)
    }
    if (rows === 5) client.end(adminShutdown)
  })
}

/** Of the message that begins here: type, length, body. */
export const sizeOf = (message: Buffer): number =>
  message.length < 5 ? Number.POSITIVE_INFINITY : 1 + message.readInt32BE(1)

function pass(from: Socket, to: Socket, delay: number): void {
  if (delay === 0) from.pipe(to, { end: false })
  else from.on('data', (chunk) => setTimeout(() => to.write(chunk), delay))
}

const strikes: Record<Fault, (pair: Required<Pair>) => void> = {
  none: () => undefined,
  refuse: ({ client }) => client.resetAndDestroy(),
  reset: ({ client }) => client.resetAndDestroy(),
  'end-at-startup': ({ client, upstream }) => upstream.unpipe(client) && client.end(),
  'half-close': ({ client, upstream }) => upstream.unpipe(client) && client.end(),
  shutdown: ({ client }) => client.end(adminShutdown),
  silent: ({ client, upstream }) => {
    upstream.unpipe(client)
    client.unpipe(upstream).resume()
  },
  slow: ({ client, upstream }) => {
    pass(client.unpipe(upstream), upstream, 3000)
    pass(upstream.unpipe(client), client, 3000)
  },
}

/** Where a database is. */
export function upstreamOf(database: Database): NetConnectOpts {
  if (typeof database !== 'string')
    return database.host.startsWith('/')
      ? { path: `${database.host}/.s.PGSQL.${database.port}` }
      : { host: database.host, port: database.port }
  const { hostname, port, searchParams } = new URL(database)
  const folder = searchParams.get('host')
  return folder ? { path: `${folder}/.s.PGSQL.${port || 5432}` } : { host: hostname, port: Number(port || 5432) }
}

/** The same database, reached at a port of this machine. */
export function through(database: Database, port: number): Database {
  if (typeof database !== 'string') return { ...database, host: '127.0.0.1', port }
  const url = new URL(database)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
