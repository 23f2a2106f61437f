import type * as Undici from 'undici'
import type { Dispatcher } from 'undici'
import { AddressError } from './errors.ts'
import { isLoopback } from './transport-address.ts'
import { readText } from './transport-body.ts'

export interface ProxySettings {
  /** URL for https requests (HTTPS_PROXY), else `http` is used. */
  readonly https?: string | undefined
  readonly http?: string | undefined
  /** Hosts asked directly, comma-separated (NO_PROXY). */
  readonly no?: string | undefined
}

export interface Outgoing {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

export interface Incoming {
  readonly status: number
  /** Lower-case names; without set-cookie, which only the jar sees. */
  readonly headers: Readonly<Record<string, string>>
  readonly setCookies: readonly string[]
  /** Reads the body; to be called once. */
  readonly text: () => Promise<string>
}

export interface Exchange {
  send(request: Outgoing): Promise<Incoming>
  close(): Promise<void>
}

const largestAnswer = 5 * 1_048_576
const largestHeaders = 65_536

/** Sends requests one by one, no redirects, through a proxy where one is set. Loads undici at the first request. */
export function createExchange(base: URL, connectTimeout: number, proxy: ProxySettings): Exchange {
  let loaded: Promise<{ undici: typeof Undici; dispatcher: Dispatcher }> | undefined
  const load = async () => {
    const undici = await import('undici')
    return { undici, dispatcher: dispatcherOf(undici, base, { connectTimeout, proxy }) }
  }
  return {
    send: async ({ url, ...request }) => {
      loaded ??= load()
      const { undici, dispatcher } = await loaded
      const answer = await undici.request(url, {
        ...request,
        method: request.method as Dispatcher.HttpMethod,
        dispatcher,
      })
      return incomingOf(answer)
    },
    close: async () => {
      const ready = await loaded?.catch(() => undefined)
      await ready?.dispatcher.destroy()
    },
  }
}

function dispatcherOf(
  undici: typeof Undici,
  base: URL,
  { connectTimeout, proxy }: { connectTimeout: number; proxy: ProxySettings },
): Dispatcher {
  const options = { connect: { timeout: connectTimeout }, maxHeaderSize: largestHeaders }
  // What goes to this machine, in clear text too, never passes another one.
  if (isLoopback(base.hostname) || !(proxy.https || proxy.http)) return new undici.Agent(options)
  try {
    // Empty texts, not undefined: else undici reads the environment by itself.
    const chosen = { httpProxy: proxy.http ?? '', httpsProxy: proxy.https ?? '', noProxy: proxy.no ?? '' }
    return new undici.EnvHttpProxyAgent({ ...options, ...chosen, proxyTls: { timeout: connectTimeout } })
  } catch (error) {
    throw new AddressError('The proxy setting is not a URL', 'Check HTTPS_PROXY and HTTP_PROXY', error)
  }
}

function incomingOf({ statusCode, headers, body }: Dispatcher.ResponseData): Incoming {
  const { 'set-cookie': setCookie, ...rest } = headers
  const encoding = rest['content-encoding']
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, [value].flat().join(', ')])),
    setCookies: [setCookie ?? []].flat(),
    text: () => readText(body, encoding === undefined ? undefined : [encoding].flat().join(), largestAnswer),
  }
}
