import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { buildConnector, Dispatcher, Agent as UndiciAgent } from 'undici'
import { isLoopback } from '../../../shared/loopback.ts'
import { AddressError, AnswerError, AnswerTooLargeError } from '../errors.ts'
import { Agent, request as ask, buildConnector as connectorWith } from './undici-direct.ts'

/** A proxy, and the environment variable that names it. */
export interface ProxyVariable {
  readonly name: string
  readonly url: string
}

export interface ProxySettings {
  /** Proxy for https requests (HTTPS_PROXY). Defaults to `http`. */
  readonly https?: ProxyVariable | undefined
  readonly http?: ProxyVariable | undefined
  /** Hosts contacted without a proxy, comma-separated (NO_PROXY). */
  readonly no?: string | undefined
}

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  /** Lower-case names, without set-cookie, which only the jar reads. */
  readonly headers: Readonly<Record<string, string>>
  readonly setCookies: readonly string[]
  /** Reads the body. Call it once. */
  readonly text: () => Promise<string>
}

export interface HttpClient {
  send(request: HttpRequest): Promise<HttpResponse>
  close(): Promise<void>
}

const maxAnswerSize = 5 * 1_048_576
const maxHeaderSize = 65_536

/** Sends single requests without following redirects, through a proxy if one is set. */
export function createHttpClient(base: URL, connectTimeout: number, proxy: ProxySettings): HttpClient {
  let dispatching: Promise<Dispatcher> | undefined
  let open = 0
  const makeDispatcher = async (): Promise<Dispatcher> => {
    const options = { maxHeaderSize }
    // Plain http, to this machine or to a host that was allowed, never goes through a proxy.
    const isDirect = isLoopback(base.hostname) || base.protocol === 'http:' || !(proxy.https || proxy.http)
    if (isDirect) return new Agent({ ...options, connect: connectorOf(connectTimeout) })
    return proxyAgent(proxy, { ...options, connect: connectingWithin(connectTimeout) })
  }
  const close = async () => {
    const ready = await dispatching?.catch(() => undefined)
    dispatching = undefined
    await ready?.destroy()
  }
  return {
    send: async ({ url, method, headers, body, signal }) => {
      dispatching ??= makeDispatcher()
      const dispatcher = await dispatching
      const target = { origin: url.origin, path: url.pathname + url.search, method: method as Dispatcher.HttpMethod }
      open++
      try {
        return incomingOf(await unlessAborted(ask.call(dispatcher, { ...target, headers, body, signal }), signal))
      } finally {
        open--
        // A pending connection attempt would keep the process alive until it ends.
        if (signal.aborted && open === 0) await close()
      }
    },
    close,
  }
}

/**
 * Node tries a host's addresses one after the other and by default gives each but the last a quarter of a second. On a
 * busy machine, or far from the service, that skips working addresses. A dead address costs one second here.
 */
const connectingWithin = (timeout: number) => ({ timeout, autoSelectFamilyAttemptTimeout: 1000 })

/**
 * `localhost` is this machine, whatever a resolver says (RFC 6761 section 6.3), and IPv4 comes first, where a local
 * service listens. Node's own way compiles its test for IPv6 addresses and calls the resolver, which takes longer than
 * the rest of the connection.
 */
function connectorOf(timeout: number): buildConnector.connector {
  const connect = connectorWith(connectingWithin(timeout))
  return (options, callback) => {
    if (options.hostname !== 'localhost' || options.protocol !== 'http:') return connect(options, callback)
    connect({ ...options, hostname: '127.0.0.1' }, (...first) => {
      if (codeOf(first[0]) !== 'ECONNREFUSED') return callback(...first)
      connect({ ...options, hostname: '::1' }, (...second) => callback(...(second[0] ? first : second)))
    })
  }
}

const codeOf = (error: Error | null): string | undefined => (error as NodeJS.ErrnoException | null)?.code

/** undici reacts to an abort only once it is connected. */
const unlessAborted = <T>(answer: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })

type ProxyOptions = UndiciAgent.Options & { readonly connect: ReturnType<typeof connectingWithin> }

async function proxyAgent(proxy: ProxySettings, options: ProxyOptions) {
  const { createProxyAgent } = await import('./proxy-agent.ts')
  const chosen = proxy.https ?? proxy.http
  const [wrong] = wrongProxies({ https: chosen })
  // A wrong one is no obstacle to hosts that NO_PROXY excludes.
  const url = wrong === undefined ? (chosen?.url ?? '') : 'http://proxy.invalid'
  const refuse = () => {
    if (wrong !== undefined) throw new AddressError(wrong, `${proxyHint}, or exclude this host with NO_PROXY`)
  }
  // Empty texts, because undici reads the environment for undefined values.
  const settings = { ...options, httpProxy: '', httpsProxy: url, noProxy: proxy.no ?? '', proxyTls: options.connect }
  return createProxyAgent(settings, chosen?.name ?? '', refuse)
}

export const proxyHint = 'Give http://HOST:PORT or https://HOST:PORT'

/** A sentence for each variable whose value is not the URL of a proxy that can be used. */
export const wrongProxies = ({ https, http }: ProxySettings): readonly string[] =>
  [https, http]
    .filter((variable) => variable !== undefined)
    .filter(({ url }) => !isProxyUrl(url))
    .map(({ name }) => `${name} is not the URL of an http proxy`)

/** `proxy.example.com:8080` parses as a URL too, of the protocol `proxy.example.com:`. */
function isProxyUrl(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text)
    // undici decodes them.
    decodeURIComponent(username + password)
    return /^https?:$/.test(protocol)
  } catch {
    return false
  }
}

function incomingOf({ statusCode, headers, body }: Dispatcher.ResponseData): HttpResponse {
  const { 'set-cookie': setCookie, ...rest } = headers
  const encoding = rest['content-encoding']
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, [value].flat().join(', ')])),
    setCookies: [setCookie ?? []].flat(),
    text: () => readBodyText(body, encoding === undefined ? undefined : [encoding].flat().join(), maxAnswerSize),
  }
}

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** Reads the text of a body. Throws as soon as it exceeds `limit` bytes after decompression. */
async function readBodyText(body: Readable, encoding: string | undefined, limit: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      size += chunk.length
      if (size > limit) throw tooLarge(limit)
      chunks.push(chunk)
    }
  }
  try {
    await (encoding ? pipeline(body, decoderOf(encoding), collect) : pipeline(body, collect))
  } catch (error) {
    // The pipeline may report the broken stream instead of the size limit that broke it.
    throw size > limit ? tooLarge(limit) : error
  } finally {
    body.on('error', () => {}).destroy()
  }
  return Buffer.concat(chunks).toString('utf8')
}

const tooLarge = (limit: number): AnswerTooLargeError =>
  new AnswerTooLargeError(
    `The answer is larger than ${limit / 1_048_576} MB, the size limit`,
    'Request smaller pages: --limit for a list, -f limit=50 for an API call',
  )

function decoderOf(encoding: string) {
  const name = encoding.trim().toLowerCase()
  if (Object.hasOwn(decoders, name)) return decoders[name as keyof typeof decoders]()
  throw new AnswerError('The answer uses a compression that was not requested', 'Check what runs at the URL')
}
