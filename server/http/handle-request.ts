import type { Context } from 'hono'
import type { Logger } from 'pino'
import { Failure } from '../../shared/failure.ts'
import { networkOf } from '../limits/ip-address.ts'
import type { Client } from '../request/client.ts'
import { canonicalPath } from '../settings/canonical-path.ts'
import { admitRequest, answerFailure, type Edge, probes, settleCount } from './edge.ts'
import { keepPosition } from './freshness.ts'
import { inRequestSpan, traceIdsOf } from './request-span.ts'
import { createRequestState, type HonoEnv, unknownRoute } from './request-state.ts'

type Work = (client: Client) => Response | Promise<Response>

/**
 * Wraps every request: assigns an id, counts it, requires the canonical spelling of its path, turns every failure into
 * a response and writes one log line. A plain function, because a chain of middleware would cost more than all of this.
 */
export async function handleRequest(c: Context<HonoEnv>, edge: Edge, route: string, work: Work): Promise<Response> {
  const state = createRequestState(edge.observer)
  c.set('state', state)
  const response = await inRequestSpan(c, edge, route, () => answer(c, edge, route, work))
  settleCount(edge, state, response.status)
  logRequest(c, edge.requestLog, response.status)
  edge.observer?.request(state.route, response.status, performance.now() - state.startedAt)
  return response
}

async function answer(c: Context<HonoEnv>, edge: Edge, route: string, work: Work): Promise<Response> {
  let response: Response
  try {
    response = await work(await admitKnownCall(c, edge, route))
  } catch (error) {
    response = await answerFailure(c, edge, error)
  }
  if (edge.replica) await keepPosition(c, edge, response)
  return response
}

async function admitKnownCall(c: Context<HonoEnv>, edge: Edge, route: string): Promise<Client> {
  const isKnown = route !== unknownRoute && isCanonical(c)
  const client = await admitRequest(c, edge, isKnown ? route : unknownRoute)
  if (!isKnown && route !== unknownRoute) throw new Failure('NOT_FOUND')
  return client
}

/**
 * Whether a request can be a call at all: GET or POST, and the canonical path. URL parsers remove dot segments, also as
 * `%2e`, so the raw path is checked when there is a socket.
 */
const isCanonical = (c: Context<HonoEnv>): boolean =>
  (c.req.method === 'GET' || c.req.method === 'POST') &&
  canonicalPath.test(pathOf(c.req.url)) &&
  canonicalPath.test(pathOf(c.env?.incoming?.url ?? c.req.url))

/** The part after the authority, if the target has one, up to the query. */
function pathOf(target: string): string {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3)
  const end = target.indexOf('?', start)
  return target.slice(start, end === -1 ? undefined : end)
}

/**
 * One line per request. Only named fields are written, so no body, cookie, query, token or email address can get in.
 */
function logRequest(c: Context<HonoEnv>, log: Logger, status: number): void {
  const { id, startedAt, route, userId, client, cause } = c.get('state')
  const [level, text] = logLineOf(route, status)
  if (!log.isLevelEnabled(level)) return
  const ms = Math.round((performance.now() - startedAt) * 10) / 10
  const network = networkOf(client?.address ?? '')
  const trace = traceIdsOf(c)
  const line = {
    requestId: id,
    method: c.req.method,
    route,
    status,
    ms,
    network,
    userId: userId ?? undefined,
    ...trace,
  }
  log[level](status >= 500 ? { ...line, err: cause } : line, text)
}

function logLineOf(route: string, status: number): readonly ['debug' | 'info' | 'warn' | 'error', text: string] {
  if (probes.has(route)) return ['debug', 'probe']
  if (status === 503) return ['warn', 'request refused']
  return status >= 500 ? ['error', 'request failed'] : ['info', 'request']
}
