import type { Dispatcher, EnvHttpProxyAgent as ProxyAgent } from 'undici'
import dial from 'undici/lib/api/api-connect.js'
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { NetworkError } from '../errors.ts'
import { clientErrorOf } from './client-error.ts'

const check = 'Check HTTPS_PROXY, or exclude this host with NO_PROXY'

/** Sends through the configured proxy. Throws NetworkError when the tunnel cannot be opened. */
export const createProxyAgent = (options: ProxyAgent.Options): Dispatcher =>
  new EnvHttpProxyAgent({ ...options, clientFactory: proxyClient })

// undici treats a connection closed by the proxy as transient and would reconnect forever.
function proxyClient(url: URL, options: object): Dispatcher {
  const pool = new Pool(url.origin, options)
  const connect = async (request: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const tunnel: Dispatcher.ConnectData = await dial.call(pool, request).catch((fault: unknown) => {
      throw unreached(url.origin, fault)
    })
    if (tunnel.statusCode === 200) return tunnel
    tunnel.socket.on('error', () => {}).destroy()
    throw tunnelError(url.origin, tunnel.statusCode)
  }
  return Object.assign(pool, { connect })
}

function unreached(proxy: string, cause: unknown): NetworkError {
  const { message, isPassing } = clientErrorOf(proxy, cause, 'CONNECT')
  return new NetworkError(`The proxy connection failed. ${message}`, check, { cause, isPassing })
}

function tunnelError(proxy: string, status: number): NetworkError {
  const hint = status === 407 ? 'It requires a sign-in: HTTPS_PROXY=http://user:password@host:port' : check
  return new NetworkError(`The proxy ${proxy} refuses to connect (status ${status})`, hint, { isPassing: status > 500 })
}
