import { constants } from 'node:crypto'
import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { inChildSpan, type SpanDescription, traceHeaders } from '../tracing/spans.ts'
import { createProtectedLookup, type DestinationOptions } from './destination.ts'

/** Milliseconds for one answer, and for all requests of one sign-in. */
export interface CallTimes {
  readonly answer: number
  readonly flow: number
}

export const callTimes: CallTimes = { answer: 5000, flow: 10_000 }
/** Bytes. A provider's answer has a few kilobytes. */
const maxSize = 262_144
/** Of an answer of which only the status counts, and how many milliseconds it may take after its headers. */
const maxDiscarded = 65_536
const maxPieces = 256
const discardTime = 1000
/** Interim answers (1xx), and TLS sessions. A flood of either would keep the process from all other work. */
const maxOfEach = 20

interface OutboundRequest {
  readonly method?: string
  readonly headers?: Headers | Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams | null
  readonly signal?: AbortSignal | undefined
}

/**
 * Requests a provider's address with a deadline and a size limit. Never follows redirects. The response is read
 * completely.
 */
export type OutboundCall = (address: string, asked?: OutboundRequest) => Promise<Response>

export interface OutboundOptions extends DestinationOptions {
  readonly now: () => number
  readonly answerTime?: number
}

/** Whose request it is: a network's or a user's. Null for what all callers share, which contains no caller's input. */
type OutboundCaller = string | null

export type OutboundCallFor = (caller: OutboundCaller) => OutboundCall

export function createOutbound({
  now,
  answerTime = callTimes.answer,
  ...destinations
}: OutboundOptions): OutboundCallFor {
  const circuits = new Map<string, Circuit>()
  const lookupOf = createProtectedLookup(destinations)
  return (caller) =>
    async (address, asked = {}) => {
      const url = new URL(address)
      const circuit = circuits.get(url.origin) ?? createCircuit(now)
      circuits.set(url.origin, circuit)
      if (circuit.isOpen()) throw new Error(`${url.origin} failed too often and is not called for a while`)
      const lookup = lookupOf(url)
      // Null until something is sent: a header that no request can contain says nothing about the host.
      let outcome: CallOutcome | null = null
      const onProgress = (soFar: CallOutcome) => {
        outcome = soFar
      }
      try {
        const response = await answerOf(url, asked, { lookup, answerTime, onProgress })
        if (response.status < 500) outcome = 'answered'
        return response
      } finally {
        if (outcome) circuit.settle(caller, outcome)
      }
    }
}

/**
 * Requests an address with a deadline, and returns the status of the answer, with the milliseconds until it began.
 * Follows no redirect. The body is thrown away, however long it is or takes.
 */
export async function statusOf(
  url: URL,
  { signal: given, ...asked }: OutboundRequest,
  { lookup, answerTime }: Pick<ConnectionOptions, 'lookup' | 'answerTime'>,
): Promise<{ readonly status: number; readonly milliseconds: number }> {
  const { signal, end } = within(answerTime, given)
  const startedAt = performance.now()
  try {
    const reply = await replyOf(url, asked, { lookup, signal, onProgress: () => undefined, tellsTrace: true })
    const milliseconds = Math.round(performance.now() - startedAt)
    await discard(reply)
    return { status: reply.statusCode ?? 0, milliseconds }
  } finally {
    end()
  }
}

/**
 * A short answer is read, so that its sender does not see a broken connection. Pieces are counted too: 64 kB in pieces of
 * a byte take a quarter of a second of our time.
 */
const discard = (reply: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    let [size, pieces] = [0, 0]
    const end = () => {
      clearTimeout(timer)
      reply.destroy()
      resolve()
    }
    // Also for an answer that was closed before anybody listened.
    const timer = setTimeout(end, discardTime)
    const take = (piece: Buffer) => {
      size += piece.byteLength
      pieces += 1
      if (size > maxDiscarded || pieces > maxPieces) end()
    }
    // How the answer ends does not matter: the receiver has done its part.
    reply.on('data', take).on('error', end).on('close', end)
  })

/**
 * A signal that aborts with another, or after so many milliseconds. `end` has to be called. Not AbortSignal.any: a
 * garbage collection can silence a timeout that only it refers to.
 */
function within(
  time: number,
  given: AbortSignal | undefined,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController()
  const late = () => controller.abort(new DOMException('The answer took too long', 'TimeoutError'))
  const follow = () => controller.abort(given?.reason)
  const timer = setTimeout(late, time)
  given?.addEventListener('abort', follow, { once: true })
  if (given?.aborted) follow()
  const end = () => {
    clearTimeout(timer)
    given?.removeEventListener('abort', follow)
  }
  return { signal: controller.signal, end }
}

interface ConnectionOptions extends Pick<RequestOptions, 'lookup'> {
  readonly answerTime: number
  /** Is told how the call counts if it ends here. */
  readonly onProgress: (soFar: CallOutcome) => void
  /** Lets the receiver continue our trace. Providers learn nothing of it. */
  readonly tellsTrace?: boolean
}

async function answerOf(
  url: URL,
  { signal: given, ...asked }: OutboundRequest,
  way: ConnectionOptions,
): Promise<Response> {
  const { signal, end } = within(way.answerTime, given)
  try {
    const reply = await replyOf(url, asked, { ...way, signal })
    return responseOf(reply, await readWhole(reply))
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    end()
  }
}

async function replyOf(url: URL, asked: OutboundRequest, way: SendingOptions): Promise<IncomingMessage> {
  // Request refuses addresses that contain a password, and sets the type of the body.
  const request = new Request(url, asked as RequestInit)
  const body = Buffer.from(await request.arrayBuffer())
  try {
    return await inChildSpan(
      () => describeCall(url, request.method),
      async (span) => {
        const reply = await send(request, body, way)
        span?.setAttribute('http.response.status_code', reply.statusCode ?? 0)
        return reply
      },
    )
  } catch (error) {
    throw way.signal.aborted ? way.signal.reason : error
  }
}

/** No path and no query: both may contain secrets. */
const describeCall = ({ hostname, port, protocol }: URL, method: string): SpanDescription => ({
  name: method,
  kind: 'CLIENT',
  attributes: {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  },
})

type SendingOptions = Omit<ConnectionOptions, 'answerTime'> & { readonly signal: AbortSignal }

// A new connection for each call: a kept one might go to an address that was resolved for another call.
const plain = { request: http.request, agent: new http.Agent({ autoSelectFamily: true }), connected: 'connect' }
const secure = {
  request: https.request,
  // A server could ask for one renegotiation after the other.
  agent: new https.Agent({ autoSelectFamily: true, secureOptions: constants.SSL_OP_NO_RENEGOTIATION }),
  connected: 'secureConnect',
}

const send = (
  { url, method, headers }: Request,
  body: Buffer,
  { lookup, signal, onProgress, tellsTrace }: SendingOptions,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { request, agent, connected } = url.startsWith('https:') ? secure : plain
    const ownHeaders = tellsTrace ? { ...usualHeaders, ...traceHeaders() } : usualHeaders
    const options = { method, headers: { ...ownHeaders, ...Object.fromEntries(headers) }, agent, lookup, signal }
    const sent = request(url, options)
    onProgress('unreachable')
    const refuseMany = (what: string) => {
      let count = 0
      return () => {
        count += 1
        if (count <= maxOfEach) return
        // Rejected at once: what is already read may contain the answer itself.
        reject(Object.assign(new Error(`Too many ${what}`), { code: 'EPROTO' }))
        sent.destroy()
      }
    }
    sent.on('socket', (socket) =>
      socket.once(connected, () => onProgress('failed')).on('session', refuseMany('TLS sessions')),
    )
    sent.on('information', refuseMany('interim answers'))
    // An answer in another protocol (101) closes the connection without an error.
    const closed = () =>
      reject(Object.assign(new Error('The connection was closed without an answer'), { code: 'ECONNCLOSED' }))
    sent.on('response', resolve).on('error', reject).on('close', closed).end(body)
  })

/** Compressed answers would not be unpacked, so none are asked for. */
const usualHeaders = { 'user-agent': 'postern', accept: '*/*', 'accept-encoding': 'identity' }

/** A body that is too long is not read to its end. */
async function readWhole(reply: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    if (size > maxSize) throw new Error(`The answer is longer than ${maxSize} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function responseOf(
  { statusCode: status = 0, headersDistinct }: IncomingMessage,
  text: Uint8Array<ArrayBuffer>,
): Response {
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  // Another protocol (101), or an incomplete answer.
  if (status < 200) throw new RangeError(`The answer has the status ${status}`)
  const isBodiless = status === 204 || status === 205 || status === 304
  return new Response(isBodiless ? null : text, { status, headers })
}

/** The outcome of a call: a status below 500; no connection; or a 5xx, a broken answer or a timeout. */
export type CallOutcome = 'answered' | 'unreachable' | 'failed'

/** A circuit breaker for one host: while it is open, users are refused at once and no sockets pile up. */
export interface Circuit {
  isOpen(): boolean
  settle(caller: OutboundCaller, outcome: CallOutcome): void
}

/** Milliseconds: the window in which failures count together, and how long an open circuit rests. */
const window = 60_000
const restTime = 30_000
/** Failures that open the circuit, and how many open it again after a rest until an answer arrives. */
const maxFailures = 10
const maxProbes = 2
/** Limits the memory. Beyond it only the failure rate counts. */
const maxCallers = 1000

/**
 * A failure to connect, or to answer what all callers share, is the host's own. Any other failure may be caused by what
 * one caller sent, such as a code that makes the host fail, so it counts once per caller and no single caller can
 * disable a host for all. The circuit stays closed while more calls succeed than fail.
 */
export function createCircuit(now: () => number): Circuit {
  let counts = countsSince(now())
  let restsUntil = 0
  let isProbed = false
  const isOpen = () => now() < restsUntil
  return {
    isOpen,
    settle(caller, outcome) {
      // The call began before the circuit opened.
      if (isOpen()) return
      const isOver = now() - counts.since >= window || (isProbed && outcome === 'answered')
      if (isOver) counts = countsSince(now())
      if (outcome === 'answered') isProbed = false
      count(counts, caller, outcome)
      if (failuresOf(counts) < (isProbed ? maxProbes : maxFailures) || failuresOf(counts) <= counts.answered) return
      restsUntil = now() + restTime
      isProbed = true
      counts = countsSince(now())
    },
  }
}

interface Counts {
  readonly since: number
  readonly failedCallers: Set<string>
  answered: number
  /** Failures of the host itself. */
  own: number
}

const countsSince = (since: number): Counts => ({ since, failedCallers: new Set(), answered: 0, own: 0 })

const failuresOf = ({ own, failedCallers }: Counts): number => own + failedCallers.size

function count(counts: Counts, caller: OutboundCaller, outcome: CallOutcome): void {
  if (outcome === 'answered') counts.answered += 1
  else if (outcome === 'unreachable' || caller === null) counts.own += 1
  else if (counts.failedCallers.size < maxCallers) counts.failedCallers.add(caller)
}
