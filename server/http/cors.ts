import type { Context } from 'hono'
import type { Logger } from 'pino'
import { labelHeader } from '../../shared/text-rules.ts'
import type { Config } from '../config.ts'
import type { HonoEnv } from './request-state.ts'
import type { Respond } from './respond.ts'
import type { TrustedOrigins } from './trusted-origins.ts'

/** What of the edge answers other origins. */
interface CorsEdge {
  readonly config: Config
  readonly trust: TrustedOrigins
  readonly respond: Respond
}

/** A browser's question whether a page may call us. Only trusted pages get an answer. */
export const isPreflight = (c: Context<HonoEnv>, { trust }: CorsEdge): boolean =>
  c.req.method === 'OPTIONS' && trust.isTrustedOrigin(c.req.header('origin') ?? '')

export function answerPreflight(c: Context<HonoEnv>, edge: CorsEdge): Response {
  const response = edge.respond(c, { status: 204, body: null })
  response.headers.set('Access-Control-Allow-Methods', 'GET, POST')
  response.headers.set('Access-Control-Allow-Headers', allowedHeaders(edge))
  response.headers.set('Access-Control-Max-Age', '600')
  return response
}

const allowedHeaders = ({ config }: CorsEdge): string =>
  ['content-type', 'authorization', labelHeader, ...config.CORS_HEADERS].join(', ')

/** A page with any origin can ask, so no more than these are named, and nothing that no browser sends. */
const maxNamed = 20
const plainOrigin = /^(?:null|[a-z][a-z0-9+.-]{0,30}:\/\/[a-z0-9_.:[\]-]{1,260})$/i

/**
 * Names each refused origin in the log once: the browser tells its page nothing, and the request itself may look well.
 * A form that a provider's page sends is no call of a script, so it needs no trust.
 */
export function createOriginWarning(log: Logger): (c: Context<HonoEnv>, origin: string) => void {
  const named = new Set<string>()
  return ({ req }, origin) => {
    if (named.size === maxNamed || named.has(origin) || !plainOrigin.test(origin)) return
    if (req.header('sec-fetch-mode') === 'navigate') return
    named.add(origin)
    log.warn({ origin }, 'a page of this origin cannot call: it is neither that of BASE_URL nor in TRUSTED_ORIGINS')
  }
}
