import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { wireCodeOf } from '../../shared/failure.ts'
import { within } from '../../shared/within.ts'
import type { Config } from '../config.ts'
import { networkOf } from '../limits/ip-address.ts'
import { mostSockets } from './open-files.ts'

type Fetch = Parameters<typeof getRequestListener>[0]

/**
 * Limits for slow clients (milliseconds) and large headers (bytes). By default Node checks for slow clients only every
 * 30 s.
 */
export const serverOptions = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
}

/**
 * Listens. Throws an error that explains the cause, for example a taken port. `processes`: how many share the port, and
 * the sockets that one network may hold.
 */
export async function listen(config: Config, fetch: Fetch, processes = 1): Promise<Server> {
  const answer = getRequestListener(onlyUnanswered(fetch), {
    // The name for requests of HTTP/1.0 that have no Host, such as the health checks of load balancers.
    hostname: config.BASE_URL.hostname,
    errorHandler: answerUnusable,
  })
  const server = createServer(serverOptions, withoutFloods(answer))
  const all = mostSockets(config)
  watchSockets(server, config, { each: Math.min(Math.ceil(socketsPerNetwork / processes), Math.ceil(all / 2)), all })
  server.on('clientError', answerUnreadable)
  server.on('checkExpectation', refuseExpectation)
  await listenAt(server, { ...config, prefix: '' })
  return server
}

type RequestHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

/** Requests of one connection that may come together. Proxies and browsers send one after another. */
const maxPipelined = 100

/**
 * Closes connections with more that wait for the answers to earlier ones, or come in one turn of the event loop, answered
 * or not: hundreds fit into one read of a socket, and everybody else would wait for them.
 */
function withoutFloods(answer: RequestHandler): RequestHandler {
  const [inTurn, waiting] = [new Map<Socket, number>(), new WeakMap<Socket, number>()]
  return (incoming, outgoing) => {
    const { socket } = incoming
    if (socket.destroyed) return
    if (inTurn.size === 0) setImmediate(() => inTurn.clear())
    // The response has the socket, unless another one is being written there.
    const isWaiting = outgoing.socket === null
    if (countUp(inTurn, socket) > maxPipelined || (isWaiting && countUp(waiting, socket) > maxPipelined))
      return void socket.destroy()
    if (isWaiting) outgoing.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1))
    if (incoming.headers['transfer-encoding'] !== undefined) limitPieces(incoming, outgoing)
    void answer(incoming, outgoing)
  }
}

function countUp(counts: Map<Socket, number> | WeakMap<Socket, number>, socket: Socket): number {
  const count = (counts.get(socket) ?? 0) + 1
  counts.set(socket, count)
  return count
}

/** Of a body without a declared length: twice what is refused with words. */
const maxPieces = 2048

/** Closes a connection with more, even of a body that nobody reads: ten thousand fit into one read of a socket. */
function limitPieces(incoming: IncomingMessage, outgoing: ServerResponse): void {
  let pieces = 0
  // Begins to read: of a body that nobody began to read, Node throws away the pieces without `push`.
  incoming.read(0)
  outgoing.once('close', () => incoming.resume())
  const push = incoming.push.bind(incoming)
  incoming.push = (...piece) => {
    pieces += 1
    if (pieces > maxPieces) incoming.socket.destroy()
    return pieces <= maxPieces && push(...piece)
  }
}

/**
 * After a long stall, a request may arrive on a connection that was answered with 408 already. Its client was told that
 * nothing was received, so it must not be run.
 */
function onlyUnanswered(fetch: Fetch): Fetch {
  return (request, env) =>
    env.incoming.socket?.writableEnded ? new Response(null, { status: 408 }) : fetch(request, env)
}

interface ListenSettings {
  readonly HOST: string
  readonly PORT: number
  /** Prefix of the HOST and PORT settings' names. */
  readonly prefix: '' | 'METRICS_'
}

export const listenAt = (server: Server, place: ListenSettings): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, place)))
    server.listen(place.PORT, place.HOST, resolve)
  })

/** EAI_AGAIN: a machine without name resolution. EAFNOSUPPORT: one without IPv6. EINVAL: fe80::1 without its interface. */
const unavailableAddressCodes = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND'])

function explain(error: NodeJS.ErrnoException, { HOST, PORT, prefix }: ListenSettings): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(
      `Port ${PORT} on ${HOST} is already in use. Stop the program that listens there, or set ${prefix}PORT.`,
    )
  if (error.code === 'EACCES')
    return new Error(`Port ${PORT} is not allowed for this user. Set ${prefix}PORT to 1024 or above.`)
  if (unavailableAddressCodes.has(error.code ?? ''))
    return new Error(
      `This machine has no address ${HOST}, or cannot resolve it. Set ${prefix}HOST to one of its own, or 0.0.0.0.`,
    )
  return error
}

export function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Stops accepting connections, gives requests in flight `timeout` milliseconds to finish, then closes what is left. */
export async function drain(server: Server, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), timeout)
  await closed.finally(() => clearTimeout(timer))
}

/**
 * The same without closing idle connections at first: each client learns from its next answer that its connection
 * closes, so no request is lost on a connection that is just being closed.
 */
export async function drainGently(server: Server, patience: number, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    // Only stops accepting. The method of an HTTP server closes idle connections too.
    NetServer.prototype.close.call(server, () => resolve())
  })
  await within(patience, closed, () => undefined)
  await drain(server, timeout)
}

/** Statuses for what Node's parser refuses before our code sees it. Any other error means that it was not HTTP: 400. */
const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** Node keeps the response that is being written on the socket. */
type AnsweringSocket = Duplex & { _httpMessage?: { headersSent: boolean } | null }

/** Answers in our format when Node's parser refused a request and the client still listens. Closes the connection. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: AnsweringSocket): void {
  // Nobody listens, or a response is half sent and the client would read a second one as its body.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const body = bodyOf(status)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(refusalHeaders).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Answers what the adapter cannot read as a request, such as one with an invalid Host. */
function answerUnusable(error: unknown): Response {
  const status = error instanceof RequestError ? 400 : 500
  return new Response(bodyOf(status), { status, headers: refusalHeaders })
}

/** Any `Expect` other than 100-continue (RFC 9110, 10.1.1). */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, { ...refusalHeaders, Connection: 'close' }).end(bodyOf(417))
}

const refusalHeaders = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }

/** A refusal before any call, in the format of a call's refusal. */
function bodyOf(status: number): string {
  const message = STATUS_CODES[status] ?? ''
  return JSON.stringify({ code: wireCodeOf(message), message })
}

/** Times in milliseconds. */
interface SocketLimits {
  /** Interval between checks of all sockets. */
  readonly look: number
  /** How long a client may take to receive what was sent: enough for half a megabyte over a slow line. */
  readonly taking: number
  /** Open sockets that one network may hold. Trusted proxies, which carry many networks, have no such limit. */
  readonly each: number
  /** Open sockets of all networks and proxies together. */
  readonly all: number
}

const socketsPerNetwork = 1024
const defaultSocketLimits: SocketLimits = { look: 2000, taking: 60_000, each: socketsPerNetwork, all: Infinity }

/** The state of a socket at the last check. */
interface SocketState {
  readonly socket: Socket
  /** Since when bytes up to `target` have been waiting to be received. 0 when none wait. */
  since: number
  target: number
  /** We ended the connection and the client has received that. */
  isOver: boolean
}

/**
 * Limits a server's sockets, those of each network and all, and closes connections of clients that do not receive their
 * response or do not close after we did. Node itself waits for both without end.
 */
export function watchSockets(
  server: NetServer,
  { TRUSTED_PROXIES }: Pick<Config, 'TRUSTED_PROXIES'>,
  given: Partial<SocketLimits> = {},
): void {
  const limits = { ...defaultSocketLimits, ...given }
  const open = new Set<SocketState>()
  const networks = new NetworkCount(limits.each)
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const isCounted = !TRUSTED_PROXIES.some((matches) => matches(address))
    if (open.size >= limits.all || (isCounted && !networks.enter(address))) {
      socket.destroy()
      return
    }
    const seen: SocketState = { socket, since: 0, target: 0, isOver: false }
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

/** Whether a socket is stuck. Updates its state for the next check. */
function isStuck(seen: SocketState, taking: number): boolean {
  const { socket, since, target, isOver } = seen
  const taken = socket.bytesWritten - socket.writableLength
  if (since > 0 && taken < target) return performance.now() - since > taking
  seen.since = socket.writableLength > 0 ? performance.now() : 0
  seen.target = socket.bytesWritten
  seen.isOver = socket.writableFinished
  return isOver
}

/** Counts sockets per network, because one IPv6 network has 2^64 addresses. */
export class NetworkCount {
  readonly #max: number
  readonly #open = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one more if there is room. Returns whether there was. */
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
