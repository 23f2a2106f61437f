import type { Dispatcher, EnvHttpProxyAgent as ProxyAgent } from 'undici'
import dial from 'undici/lib/api/api-connect.js'
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { NetworkError } from '../errors.ts'
import { clientErrorOf } from './client-error.ts'

/**
 * Sends through the proxy that `variable` names. Throws NetworkError when the tunnel cannot be opened, and whatever
 * `refuse` throws before it is.
 */
export const createProxyAgent = (options: ProxyAgent.Options, variable: string, refuse: () => void): Dispatcher =>
  new EnvHttpProxyAgent({
    ...options,
    clientFactory: (url: URL, ofClient: object) => proxyClient(url, ofClient, { variable, refuse }),
  })

interface ProxyTerms {
  readonly variable: string
  readonly refuse: () => void
}

// undici treats a connection closed by the proxy as transient and would reconnect forever.
function proxyClient(url: URL, options: object, { variable, refuse }: ProxyTerms): Dispatcher {
  const pool = new Pool(url.origin, options)
  const connect = async (request: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    refuse()
    const tunnel: Dispatcher.ConnectData = await dial.call(pool, request).catch((fault: unknown) => {
      throw unreached(url.origin, variable, fault)
    })
    if (tunnel.statusCode === 200) return tunnel
    tunnel.socket.on('error', () => {}).destroy()
    throw tunnelError(url.origin, variable, tunnel.statusCode)
  }
  return Object.assign(pool, { connect })
}

const check = (variable: string) => `Check ${variable}, or exclude this host with NO_PROXY`

function unreached(proxy: string, variable: string, cause: unknown): NetworkError {
  const { message, isTransient } = clientErrorOf(proxy, cause, 'CONNECT')
  return new NetworkError(`The proxy connection failed. ${message}`, check(variable), { cause, isTransient })
}

function tunnelError(proxy: string, variable: string, status: number): NetworkError {
  const hint = status === 407 ? `It requires a sign-in: ${variable}=http://user:password@host:port` : check(variable)
  return new NetworkError(`The proxy ${proxy} refuses to connect (status ${status})`, hint, {
    isTransient: status > 500,
  })
}
