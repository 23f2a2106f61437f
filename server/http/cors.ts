import type { Context } from 'hono'
import type { Edge } from './edge.ts'
import type { Env } from './exchange.ts'

/** Only plain characters: one spelling per call, so that no encoding slips past limits or walls (contract 1.1). */
const canonicalPath = /^(\/[A-Za-z0-9._~-]+)+$/

/** Whether a request can be a call at all: one of the two methods, and the one spelling of a path. */
export const isCanonical = (c: Context<Env>): boolean =>
  (c.req.method === 'GET' || c.req.method === 'POST') && canonicalPath.test(rawPath(c.req.url))

/** A browser asks beforehand whether a page may call us; only trusted pages get an answer (contract 1.11). */
export const isPreflight = (c: Context<Env>, { trust }: Edge): boolean =>
  c.req.method === 'OPTIONS' && trust.isTrustedOrigin(c.req.header('origin') ?? '')

export function answerPreflight(c: Context<Env>, edge: Edge): Response {
  const response = edge.respond(c, { status: 204, body: null })
  response.headers.set('Access-Control-Allow-Methods', 'GET, POST')
  response.headers.set('Access-Control-Allow-Headers', 'content-type, authorization')
  response.headers.set('Access-Control-Max-Age', '600')
  return response
}

/** The path as it was sent: from behind the authority to the query. */
function rawPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return url.slice(start, end === -1 ? undefined : end)
}
