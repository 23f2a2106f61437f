import type { Context } from 'hono'
import { Failure } from '../../shared/failure.ts'
import type { Client } from '../request.ts'
import { isCanonical } from './canonical.ts'
import { admit, answerFailure, type Edge, settle } from './edge.ts'
import { createExchange, type Env, unknownRoute } from './exchange.ts'
import { logRequest } from './request-log.ts'

type Work = (client: Client) => Response | Promise<Response>

/**
 * What happens to every request: it gets an id, is counted, and its path is checked for its one spelling; every failure
 * becomes an answer, and each answer one line of the log. A plain function, since a chain of middleware costs more than
 * all of this together.
 */
export async function pass(c: Context<Env>, edge: Edge, route: string, work: Work): Promise<Response> {
  c.set('exchange', createExchange())
  let response: Response
  try {
    response = await work(enter(c, edge, route))
  } catch (error) {
    response = answerFailure(c, edge, error)
  }
  settle(edge, c.get('exchange'), response.status)
  logRequest(c, edge.log, response.status)
  return response
}

function enter(c: Context<Env>, edge: Edge, route: string): Client {
  const isKnown = route !== unknownRoute && isCanonical(c)
  const client = admit(c, edge, isKnown ? route : unknownRoute)
  if (!isKnown && route !== unknownRoute) throw new Failure('NOT_FOUND')
  return client
}
