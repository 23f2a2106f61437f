import type { Context } from 'hono'
import { Failure } from '../../shared/failure.ts'
import { answerFailure, type Edge } from './edge.ts'
import type { Env } from './exchange.ts'

/** Only plain characters: one spelling per call, so that no encoding slips past limits or walls (contract 1.1). */
const canonicalPath = /^(\/[A-Za-z0-9._~-]+)+$/

/** Answers what is no call at all: other methods, odd spellings of a path, and the preflights of trusted pages. */
export function preflight(c: Context<Env>, edge: Edge): Response | null {
  const { method } = c.req
  if (method === 'OPTIONS') return answerPreflight(c, edge)
  const isCall = (method === 'GET' || method === 'POST') && canonicalPath.test(rawPath(c.req.url))
  return isCall ? null : refuse(c, edge)
}

function answerPreflight(c: Context<Env>, edge: Edge): Response {
  const origin = c.req.header('origin')
  if (origin === undefined || !edge.trust.isTrustedOrigin(origin)) return refuse(c, edge)
  const response = edge.respond(c, { status: 204, body: null })
  response.headers.set('Access-Control-Allow-Methods', 'GET, POST')
  response.headers.set('Access-Control-Allow-Headers', 'content-type, authorization')
  response.headers.set('Access-Control-Max-Age', '600')
  return response
}

const refuse = (c: Context<Env>, edge: Edge): Response => answerFailure(c, edge, new Failure('NOT_FOUND'))

/** The path as it was sent: from behind the authority to the query. */
function rawPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return url.slice(start, end === -1 ? undefined : end)
}
