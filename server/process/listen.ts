import { type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import { codeOf } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import { networkOf } from '../limits/ip-address.ts'

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

/** What Node's parser refuses before our code sees it. Any other error means that it was no HTTP: 400. */
const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** The answer that is being written to the socket, if one is; Node keeps it there. */
type AnsweringSocket = Duplex & { _httpMessage?: { headersSent: boolean } | null }

/** Answers in our format what Node's parser refused, if the client still listens, and closes the connection. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: AnsweringSocket): void {
  // Nobody listens, or another answer is half sent: a second head would be read as its body.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const message = STATUS_CODES[status] ?? ''
  const body = JSON.stringify({ code: codeOf(message), message })
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Milliseconds. */
interface SocketLimits {
  /** Between two checks of all sockets. */
  readonly look: number
  /** How long a client may take to receive what was sent: enough for half a megabyte over a slow line. */
  readonly taking: number
}

const usual: SocketLimits = { look: 2000, taking: 60_000 }

/** Open sockets that one network may hold. A trusted proxy, which speaks for many networks, has no such limit. */
const socketsPerNetwork = 1024

/** The state of a socket at the last check. */
interface Seen {
  readonly socket: Socket
  /** Since when bytes up to `target` wait to be received; 0: none wait. */
  since: number
  target: number
  /** We ended the connection, and the client has received that. */
  isOver: boolean
}

/**
 * Keeps a server's sockets within bounds: so many a network; a client that does not receive its answer, or does not close
 * after we did, is cut off. Node itself waits for ever for both.
 */
export function watchSockets(
  server: NetServer,
  { TRUSTED_PROXIES }: Pick<Config, 'TRUSTED_PROXIES'>,
  limits = usual,
): void {
  const open = new Set<Seen>()
  const networks = new NetworkCount(socketsPerNetwork)
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const isCounted = !TRUSTED_PROXIES.some((matches) => matches(address))
    if (isCounted && !networks.enter(address)) {
      socket.destroy()
      return
    }
    const seen: Seen = { socket, since: 0, target: 0, isOver: false }
    open.add(seen)
    socket.once('close', () => {
      open.delete(seen)
      if (isCounted) networks.leave(address)
    })
  })
  const timer = setInterval(() => {
    for (const seen of open) if (isStuck(seen, limits.taking)) seen.socket.destroy()
  }, limits.look).unref()
  server.once('close', () => clearInterval(timer))
}

/** Checks a socket, and remembers its state for the next check. */
function isStuck(seen: Seen, taking: number): boolean {
  const { socket, since, target, isOver } = seen
  const taken = socket.bytesWritten - socket.writableLength
  if (since > 0 && taken < target) return performance.now() - since > taking
  seen.since = socket.writableLength > 0 ? performance.now() : 0
  seen.target = socket.bytesWritten
  seen.isOver = socket.writableFinished
  return isOver
}

/** Counts by network: whoever has one IPv6 address has 2^64 of them. */
export class NetworkCount {
  readonly #max: number
  readonly #open = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one more, if there is room; tells whether there was. */
  enter(address: string): boolean {
    const network = networkOf(address)
    const count = this.#open.get(network) ?? 0
    if (count >= this.#max) return false
    this.#open.set(network, count + 1)
    return true
  }

  leave(address: string): void {
    const network = networkOf(address)
    const left = (this.#open.get(network) ?? 1) - 1
    if (left > 0) this.#open.set(network, left)
    else this.#open.delete(network)
  }
}
