import type { Context } from 'hono'
import { Failure } from '../../shared/failure.ts'
import type { Client } from '../request/client.ts'
import { isCanonical } from './canonical.ts'
import { admitRequest, answerFailure, type Edge, settleCount } from './edge.ts'
import { logRequest } from './request-log.ts'
import { createRequestState, type HonoEnv, unknownRoute } from './request-state.ts'

type Work = (client: Client) => Response | Promise<Response>

/**
 * What happens to every request: it gets an id, is counted, and its path is checked for its one spelling; every failure
 * becomes an answer, and each answer one line of the log. A plain function, since a chain of middleware costs more than
 * all of this together.
 */
export async function handleRequest(c: Context<HonoEnv>, edge: Edge, route: string, work: Work): Promise<Response> {
  const state = createRequestState(edge.observer)
  c.set('state', state)
  let response: Response
  try {
    response = await work(enter(c, edge, route))
  } catch (error) {
    response = answerFailure(c, edge, error)
  }
  settleCount(edge, state, response.status)
  logRequest(c, edge.log, response.status)
  edge.observer?.request(state.route, response.status, performance.now() - state.startedAt)
  return response
}

function enter(c: Context<HonoEnv>, edge: Edge, route: string): Client {
  const isKnown = route !== unknownRoute && isCanonical(c)
  const client = admitRequest(c, edge, isKnown ? route : unknownRoute)
  if (!isKnown && route !== unknownRoute) throw new Failure('NOT_FOUND')
  return client
}
