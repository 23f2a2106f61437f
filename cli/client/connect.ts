import { type Contract, contract } from '../../shared/contract/index.ts'
import { readOnlyError } from '../output/cli-error.ts'
import { debugLine } from '../output/debug.ts'
import type { Host } from '../process/host.ts'
import { version } from '../process/version.ts'
import type { Setting, Settings } from '../settings/settings.ts'
import { type ApiClient, type ApiRequest, createClient, type SendRequest } from './client.ts'
import type { Jar } from './jar/jar.ts'
import type { RequestRecord } from './transport/record.ts'
import { createTransport, type Transport } from './transport/transport.ts'

/** One request and how it ended. */
export interface SeenRequest {
  readonly method: 'GET' | 'POST'
  /** Below the base path. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  /** As sent, secrets included: only allow-listed keys are ever shown. */
  readonly body: unknown
  /** Undefined: no answer came. */
  readonly status: number | undefined
  readonly milliseconds: number
  /** The service's `X-Request-Id`, for asking about it. */
  readonly requestId: string | undefined
}

/** The calls of one service, made as one account, one token or nobody. */
export interface Connection {
  /** The service's URL with its base path. */
  readonly server: string
  readonly api: ApiClient<Contract>
  readonly send: SendRequest
  /** Told about every request from now on; answers how to stop that. */
  onRequest(listener: (request: SeenRequest) => void): () => void
}

type ConnectionHost = Pick<Host, 'env' | 'stderr' | 'signal'>
type ConnectionSettings = Pick<Settings, 'address' | 'timeout' | 'retries' | 'readOnly' | 'debug'>

export function connect(who: Jar | string | undefined, settings: ConnectionSettings, host: ConnectionHost): Connection {
  const server = settings.address.value.base
  const listeners = new Set<(request: SeenRequest) => void>()
  const transport = createTransport({
    baseUrl: server,
    ...(typeof who === 'string' ? { token: who } : { jar: who }),
    timeout: settings.timeout.value,
    retries: settings.retries.value,
    signal: host.signal,
    userAgent: `postern/${version} (${process.platform})`,
    proxy: proxyOf(host),
    log: settings.debug.value ? (record: RequestRecord) => void host.stderr.write(debugLine(record)) : undefined,
  })
  const send = watched(guarded(renewing(transport.send, who), settings.readOnly), listeners)
  return {
    server,
    api: createClient(contract, send),
    send,
    onRequest(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/**
 * A session that is signed in to with a password takes the place of an adopted token. The service ends the old session
 * with the same answer, so nothing is asked for that could not be kept.
 */
const renewing =
  (send: Transport['send'], who: Jar | string | undefined): SendRequest =>
  async (request) => {
    if (request.method !== 'POST' || typeof who !== 'object') return send(request)
    const isSignIn = /^\/sign-(in|up)\//.test(request.path)
    if (isSignIn || request.path === '/change-password') await who.checkWritable()
    if (!isSignIn || who.token() === undefined) return send(request)
    const answer = await send({ ...request, withoutToken: true })
    if (answer.status < 300) await who.setToken(undefined)
    return answer
  }

const guarded =
  (send: SendRequest, { value: isReadOnly, from }: Setting<boolean>): SendRequest =>
  async (request) => {
    if (isReadOnly && request.method !== 'GET') throw readOnlyError(from)
    return send(request)
  }

const watched =
  (send: SendRequest, listeners: ReadonlySet<(request: SeenRequest) => void>): SendRequest =>
  async (request: ApiRequest) => {
    const start = performance.now()
    const tell = (status: number | undefined, requestId?: string) => {
      const { method, path, query, body } = request
      const seen = { method, path, query, body, status, milliseconds: Math.round(performance.now() - start), requestId }
      for (const listener of listeners) listener(seen)
    }
    try {
      const answer = await send(request)
      tell(answer.status, [answer.headers['x-request-id']].flat()[0])
      return answer
    } catch (error) {
      tell(undefined)
      throw error
    }
  }

const proxyOf = ({ env }: ConnectionHost) => ({
  https: env['HTTPS_PROXY'] || env['https_proxy'],
  http: env['HTTP_PROXY'] || env['http_proxy'],
  no: env['NO_PROXY'] || env['no_proxy'],
})
