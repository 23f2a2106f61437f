import type { Context } from 'hono'
import type { Logger } from 'pino'
import { Failure } from '../../shared/failure.ts'
import { networkOf } from '../address.ts'
import type { Config } from '../config.ts'
import type { Keys } from '../crypto/keys.ts'
import { FairQueue } from '../fair-queue.ts'
import { Refusal } from '../refusal.ts'
import type { Issued, Resolved } from '../request.ts'
import { type Presented, readClient } from './client.ts'
import { type Cookies, createCookies } from './cookies.ts'
import type { Env } from './exchange.ts'
import { createFloodGuard, type FloodGuard } from './flood-guard.ts'
import { createRespond, failureAnswer, json, type Respond } from './respond.ts'
import type { State } from './state.ts'
import { createTrust, type Trust } from './trust.ts'

export interface EdgeOptions {
  readonly config: Config
  readonly keys: Keys
  readonly log: Logger
  readonly state: State
  readonly now: () => Date
  /** The Content-Security-Policy of pages; handed in, since the edge knows no page. */
  readonly pagePolicy: string
  /** The session look-up; handed in, since the edge knows no tables. */
  readonly resolve: (token: string, options: { mayExtend: boolean }) => Promise<Resolved | null>
}

/** Everything between the socket and a use case, made once per service. */
export interface Edge extends EdgeOptions {
  readonly trust: Trust
  readonly cookies: Cookies
  readonly respond: Respond
  readonly countFlood: FloodGuard
  /** The turns of calls that answer much, by user. */
  readonly heavy: FairQueue
}

export function createEdge(options: EdgeOptions): Edge {
  const { config, keys, state, now } = options
  const trust = createTrust(config)
  return {
    ...options,
    trust,
    cookies: createCookies(config, keys.cookie),
    respond: createRespond(config, trust, () => state.phase === 'draining'),
    countFlood: createFloodGuard(() => now().getTime()),
    heavy: createHeavyQueue(config),
  }
}

/**
 * Calls that answer much have half of the database's connections at the most, and one user half of those: what others ask
 * for in between is never behind a crowd of them.
 */
function createHeavyQueue({ DATABASE_POOL }: Config): FairQueue {
  const running = Math.max(1, Math.floor(DATABASE_POOL / 2))
  const busy = () => new Failure('SERVICE_UNAVAILABLE', { cause: 'too many large answers at once', retryAfter: 1 })
  const runningEach = Math.max(1, Math.floor(running / 2))
  return new FairQueue({ running, runningEach, waiting: 1000, waitingEach: 32, patience: 2000, busy })
}

/** Anonymous requests in ten seconds by network and call; signed-in ones by session: a bulk script stays below. */
const anonymousMax = 100
const signedInMax = 2000

/** Refuses a flood before anything is read or asked of the database. Returns what the request says of its client. */
export function admit(c: Context<Env>, edge: Edge, route: string): Presented {
  c.get('exchange').route = route
  const client = readClient(c, edge.config, edge.cookies)
  if (!edge.config.RATE_LIMIT) return client
  const [key, max] = floodKey(client, route)
  const retryAfter = edge.countFlood(key, max)
  if (retryAfter !== null) throw new Failure('TOO_MANY_REQUESTS', { retryAfter })
  return client
}

function floodKey({ isSigned, isRawBearer, token, address }: Presented, route: string): [string, number] {
  if (isSigned) return [`session ${token}`, signedInMax]
  // Without a signature the token may change with every request: only its network can be counted.
  return isRawBearer ? [`bearer ${networkOf(address)}`, signedInMax] : [`${route} ${networkOf(address)}`, anonymousMax]
}

/** Hands a session to the client: cookies, and the same token for clients that keep none. */
export function issueSession(c: Context<Env>, { cookies }: Edge, issued: Issued): void {
  const exchange = c.get('exchange')
  exchange.setCookies = cookies.issue(issued)
  exchange.authToken = cookies.encode(issued.token)
}

/** A failure as its answer, or a hook's own words. What is neither is a 500 without detail; the log has the truth. */
export function answerFailure(c: Context<Env>, edge: Edge, error: unknown): Response {
  if (error instanceof Refusal) return edge.respond(c, refusalAnswer(error))
  const failure = error instanceof Failure ? error : new Failure('INTERNAL_SERVER_ERROR', { cause: error })
  noteFailure(c, failure)
  return edge.respond(c, failureAnswer(failure))
}

const refusalAnswer = ({ status, code, message }: Refusal) => json({ code, message }, status)

/** The part of a failure that stands in no body: its cause for the log, the seconds to wait for the headers. */
export function noteFailure(c: Context<Env>, { cause, retryAfter }: Failure): void {
  const exchange = c.get('exchange')
  exchange.cause = cause
  if (retryAfter !== undefined) exchange.retryAfter = retryAfter
}
