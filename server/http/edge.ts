import type { Context } from 'hono'
import type { Logger } from 'pino'
import { getSession } from '../../shared/contract/session.ts'
import { Failure } from '../../shared/failure.ts'
import { networkOf } from '../address.ts'
import type { Config } from '../config.ts'
import type { Keys } from '../crypto/keys.ts'
import { FairQueue } from '../fair-queue.ts'
import { HookRefusal } from '../hook-refusal.ts'
import type { ProvenSessions } from '../proven-sessions.ts'
import type { Client, Issued, Resolved } from '../request.ts'
import { type ClientReader, createAddressOf, readClient } from './client.ts'
import { type Cookies, createCookies } from './cookies.ts'
import type { Env, Exchange } from './exchange.ts'
import { createFloodGuard, type FloodGuard } from './flood-guard.ts'
import { createRespond, failureAnswer, json, type Respond } from './respond.ts'
import { logFailure } from './security-log.ts'
import type { State } from './state.ts'
import { createTrust, type Trust } from './trust.ts'

export interface EdgeOptions {
  readonly config: Config
  readonly keys: Keys
  readonly log: Logger
  readonly state: State
  readonly now: () => Date
  readonly provenSessions: ProvenSessions
  /** The Content-Security-Policy of pages; handed in, since the edge knows no page. */
  readonly pagePolicy: string
  /** The session look-up; handed in, since the edge knows no tables. */
  readonly resolve: (token: string, options: { mayExtend: boolean }) => Promise<Resolved | null>
}

/** Everything between the socket and a use case, made once per service. */
export interface Edge extends EdgeOptions, ClientReader {
  readonly trust: Trust
  readonly cookies: Cookies
  readonly respond: Respond
  readonly floods: Floods
  /** The queue of calls with large answers, by user. */
  readonly heavy: FairQueue
}

/** One each, so that a flood of one kind does not push the counts of another out of memory. */
interface Floods {
  readonly calls: FloodGuard
  readonly visits: FloodGuard
  readonly sessionCalls: FloodGuard
  /** Of tokens that no session was found for a moment ago. */
  readonly endedTokens: FloodGuard
}

export function createEdge(options: EdgeOptions): Edge {
  const { config, keys, log, state, now } = options
  const guard = (name: 'calls' | 'visits' | 'sessionCalls') =>
    createFloodGuard(() => now().getTime(), config.RATE_LIMITS[name])
  const trust = createTrust(config)
  return {
    ...options,
    trust,
    cookies: createCookies(config, keys.cookie),
    respond: createRespond(config, trust, () => state.phase === 'draining'),
    addressOf: createAddressOf(config, log),
    floods: {
      calls: guard('calls'),
      visits: guard('visits'),
      sessionCalls: guard('sessionCalls'),
      endedTokens: guard('calls'),
    },
    heavy: createHeavyQueue(config),
  }
}

/**
 * Calls with large answers have half of the database's connections at the most, and one user half of those: other calls
 * never wait behind many of them.
 */
function createHeavyQueue({ DATABASE_POOL }: Config): FairQueue {
  const running = Math.max(1, Math.floor(DATABASE_POOL / 2))
  const busy = () => new Failure('SERVICE_UNAVAILABLE', { cause: 'too many large answers at once', retryAfter: 1 })
  const runningEach = Math.max(1, Math.floor(running / 2))
  return new FairQueue({ running, runningEach, waiting: 1000, waitingEach: 32, patience: 2000, busy })
}

/** Counts the request, and refuses a flood before its body is read or the database asked. Returns its client. */
export function admit(c: Context<Env>, edge: Edge, route: string): Client {
  const exchange = c.get('exchange')
  exchange.route = route
  const client = readClient(c, edge)
  exchange.client = client
  if (!edge.config.RATE_LIMIT) return client
  const retryAfter = countFlood(edge, client, exchange)
  if (retryAfter !== null) throw new Failure('TOO_MANY_REQUESTS', { retryAfter })
  return client
}

/**
 * Anonymous requests count by network and call, those of a session by the session: enough for a bulk script. A token may be
 * invented or have expired: until the database finds it, it counts by its network, for all calls together. A token without
 * a session counts by itself when it comes again: else one old cookie, sent through a server that speaks for many people,
 * would use up the share of all of them.
 */
function countFlood({ floods, provenSessions }: Edge, client: Client, exchange: Exchange): number | null {
  const { token } = client
  if (token === null) {
    const guard = exchange.route === getSession.path ? floods.visits : floods.calls
    return guard.count(`${exchange.route} ${networkOf(client.address)}`)
  }
  if (provenSessions.has(token)) return floods.sessionCalls.count(token)
  if (floods.endedTokens.isOpen(token))
    return floods.endedTokens.count(token) ?? floods.visits.count(`ended ${networkOf(client.address)}`)
  exchange.unproven = { token, key: `token ${networkOf(client.address)}` }
  return floods.calls.count(exchange.unproven.key)
}

/**
 * Takes a request back from the count of its network when its session turned out to be alive: a server may speak for many
 * people. Also when the service could not answer, which says nothing about the session.
 */
export function settle({ floods, provenSessions }: Edge, { unproven }: Exchange, status: number): void {
  if (!unproven) return
  if (status === 503 || provenSessions.has(unproven.token)) floods.calls.giveBack(unproven.key)
  else if (status !== 429) {
    // Counted by its network already.
    floods.endedTokens.count(unproven.token)
    floods.endedTokens.giveBack(unproven.token)
  }
}

/** Hands a session to the client: cookies, and the same token for clients that keep none. */
export function issueSession(c: Context<Env>, { cookies }: Edge, issued: Issued): void {
  const exchange = c.get('exchange')
  exchange.setCookies = cookies.issue(issued)
  exchange.authToken = cookies.encode(issued.token)
}

/** The answer for a failure, or for a hook's HookRefusal. Any other error is a 500 without detail; the log has the details. */
export function answerFailure(c: Context<Env>, edge: Edge, error: unknown): Response {
  if (error instanceof HookRefusal) {
    logFailure(c, edge.log, error)
    return edge.respond(c, hookAnswer(error))
  }
  const failure = error instanceof Failure ? error : new Failure('INTERNAL_SERVER_ERROR', { cause: error })
  noteFailure(c, edge, failure)
  return edge.respond(c, failureAnswer(failure))
}

const hookAnswer = ({ status, code, message }: HookRefusal) => json({ code, message }, status)

/** The part of a failure that is not in its body: the cause for the log, the seconds to wait for the headers. */
export function noteFailure(c: Context<Env>, { log }: Edge, failure: Failure): void {
  const { cause, retryAfter } = failure
  const exchange = c.get('exchange')
  logFailure(c, log, failure)
  exchange.cause = cause
  if (retryAfter !== undefined) exchange.retryAfter = retryAfter
}
