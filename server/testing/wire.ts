import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { listen } from '../process/listen.ts'
import type { TestService } from './service.ts'

/** What came back over a socket, as it was sent. */
export interface RawReply {
  readonly status: number
  /** Lower-case name → values, each header line of its own. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
}

export interface Listening {
  readonly server: Server
  readonly port: number
  readonly origin: string
  /** Sends bytes as they are and reads until the service closes. Status 0: closed without an answer. */
  exchange(request: string | Buffer): Promise<RawReply>
  /** An open connection, for what is sent in pieces. */
  connect(): Promise<Socket>
  stop(): Promise<void>
}

/** A service behind a real socket of this process, on any free port unless one is given. */
export async function listenTo({ app, deps }: TestService, wanted = 0): Promise<Listening> {
  const server = await listen({ ...deps.config, HOST: '127.0.0.1', PORT: wanted }, (request, env) =>
    app.fetch(request, env),
  )
  const { port } = server.address() as AddressInfo
  return {
    server,
    port,
    origin: `http://127.0.0.1:${port}`,
    exchange: (request) => exchange(port, request),
    connect: () => open(port),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  return socket
}

async function exchange(port: number, request: string | Buffer): Promise<RawReply> {
  const socket = await open(port)
  const reply = readReply(socket)
  socket.write(request)
  return reply
}

/** Everything until the other side closes; a reset counts as closed. */
export async function readReply(socket: Socket): Promise<RawReply> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined)
  await new Promise((resolve) => socket.once('close', resolve))
  return parseReply(Buffer.concat(chunks).toString())
}

function parseReply(text: string): RawReply {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end === -1 ? undefined : end).split('\r\n')
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), line.slice(line.indexOf(':') + 1).trim()])
  }
  const body = end === -1 ? '' : text.slice(end + 4)
  const isChunked = headers.get('transfer-encoding')?.[0] === 'chunked'
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: isChunked ? joinChunks(body) : body }
}

/** Answers are short and ASCII: a chunk's size in bytes is its length as text. */
function joinChunks(text: string): string {
  const start = text.indexOf('\r\n') + 2
  const size = Number.parseInt(text, 16) || 0
  return size === 0 ? '' : text.slice(start, start + size) + joinChunks(text.slice(start + size + 2))
}

/** A request as text, closed by the service after its answer. */
export const rawRequest = (line: string, headers: Readonly<Record<string, string>> = {}, body = ''): string =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries({ Host: 'localhost:4100', Connection: 'close', ...lengthOf(body), ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n')

const lengthOf = (body: string): Record<string, string> =>
  body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
