import type { Context } from 'hono'
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
