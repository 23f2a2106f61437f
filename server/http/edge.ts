import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { CallGroup } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { ok, ready } from '../../shared/contract/service.ts'
import { getSession } from '../../shared/contract/session.ts'
import { Failure } from '../../shared/failure.ts'
import { isMachineKey } from '../../shared/key-text.ts'
import { knownLanguage, type Language } from '../../shared/languages.ts'
import type { Config } from '../config.ts'
import type { Keys } from '../crypto/keys.ts'
import { languageAskedBy } from '../languages/words.ts'
import { createActLimits } from '../limits/act-limits.ts'
import type { ConfirmedTokens } from '../limits/confirmed-tokens.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import { networkOf } from '../limits/ip-address.ts'
import { createMemoryRateLimiter, type RateLimiter } from '../limits/memory-rate-limiter.ts'
import { type FloodLimit, ruleOf, type SharedLimits } from '../limits/shared-limits.ts'
import type { Observer } from '../metrics/observer.ts'
import { plainLog } from '../process/log.ts'
import type { Client, IssuedSession, ResolvedSession, ResolveOptions } from '../request/client.ts'
import { HookRefusal } from '../settings/hook-refusal.ts'
import { type ClientReader, createAddressOf, readClient } from './client.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { createOriginWarning, isPreflight } from './cors.ts'
import { readQuery } from './input.ts'
import { isForeign } from './origin-guard.ts'
import { addCookies, type HonoEnv, type RequestState, type ServiceState } from './request-state.ts'
import { type Answer, createRespond, failureAnswer, htmlAnswer, jsonAnswer, type Respond } from './respond.ts'
import { logFailure } from './security-log.ts'
import { createTrustedOrigins, type TrustedOrigins } from './trusted-origins.ts'

export interface EdgeOptions {
  readonly config: Config
  readonly keys: Keys
  readonly log: Logger
  readonly state: ServiceState
  readonly steadyNow: () => number
  readonly turnTimeout: number
  readonly requestDeadline: number
  readonly provenSessions: ConfirmedTokens
  /** Present in a worker: it counts together with the others. */
  readonly sharedLimits?: SharedLimits | undefined
  readonly observer?: Observer | undefined
  /** Tells where the primary database is, if there is a replica. */
  readonly replica?: { markNow(): Promise<string> } | undefined
  /** The Content-Security-Policy of pages. Injected, because this layer knows no pages. */
  readonly pagePolicy: string
  /** The page that explains a failure to a person. Injected likewise. */
  readonly failurePage: (failure: Failure | HookRefusal, language: Language | null, path: string) => Promise<string>
  /** The session look-up. Injected, because this layer knows no tables. */
  readonly resolve: (token: string, options: ResolveOptions) => Promise<ResolvedSession | null>
}

/** Everything between the socket and a use case. Made once per service. */
export interface Edge extends EdgeOptions, ClientReader {
  readonly trust: TrustedOrigins
  /** For lines whose fields are all named by us: searching them for secrets costs more than writing them. */
  readonly requestLog: Logger
  readonly cookies: Cookies
  readonly respond: Respond
  readonly limiters: Limiters
  /** The queue of calls with large answers, fair between users. */
  readonly heavy: FairQueue
}

/** Separate, so that a flood of one kind does not evict the counts of another. */
interface Limiters {
  readonly calls: RateLimiter
  readonly visits: RateLimiter
  readonly sessionCalls: RateLimiter
  readonly keyCalls: RateLimiter
  /** Counts tokens that had no session a moment ago. */
  readonly endedTokens: RateLimiter
}

type Count = ReturnType<RateLimiter['count']>

export function createEdge(options: EdgeOptions): Edge {
  const { config, keys, log, state, steadyNow, sharedLimits } = options
  const alone = (name: FloodLimit) => createMemoryRateLimiter(steadyNow, config.RATE_LIMITS[ruleOf(name)])
  const limiter = sharedLimits?.rateLimiter ?? alone
  const trust = createTrustedOrigins(config)
  return {
    ...options,
    trust,
    requestLog: plainLog(log),
    cookies: createCookies(config, keys),
    respond: createRespond({
      config,
      trust,
      isLeaving: () => state.phase === 'draining' || state.phase === 'replaced',
      warnOfOrigin: createOriginWarning(log),
    }),
    addressOf: createAddressOf(config, log),
    actLimits: config.RATE_LIMIT ? (sharedLimits?.actLimits ?? createActLimits(steadyNow, config.RATE_LIMITS)) : null,
    limiters: {
      calls: limiter('calls'),
      visits: limiter('visits'),
      sessionCalls: limiter('sessionCalls'),
      keyCalls: limiter('keyCalls'),
      endedTokens: limiter('endedTokens'),
    },
    heavy: createHeavyQueue(options),
  }
}

/**
 * Calls with large answers get at most half of the database connections, and one user at most half of those, so that
 * other calls never queue behind many of them.
 */
function createHeavyQueue({ config, turnTimeout }: EdgeOptions): FairQueue {
  const running = Math.max(1, Math.floor(config.DATABASE_POOL / 2))
  const busy = (reason: string) =>
    new Failure('SERVICE_UNAVAILABLE', { cause: `queue of large answers: ${reason}`, retryAfter: 1 })
  const runningEach = Math.max(1, Math.floor(running / 2))
  return new FairQueue({ running, runningEach, waiting: 1000, waitingEach: 32, timeout: turnTimeout, busy })
}

/** Load balancers read their answers as the service's health, so these are never refused as a flood. */
export const probes: ReadonlySet<string> = new Set([ok.path, ready.path])

/** Counts the request, and refuses a flood before its body is read or the database is asked. Returns the client. */
export async function admitRequest(c: Context<HonoEnv>, edge: Edge, route: string): Promise<Client> {
  const state = c.get('state')
  state.route = route
  const client = readClient(c, edge)
  state.client = client
  // A preflight costs nothing, and a browser tells no page that one was refused as a flood.
  if (!edge.config.RATE_LIMIT || probes.has(route) || isPreflight(c, edge)) return client
  const retryAfter = await countRequest(c, edge, client)
  if (retryAfter !== null) throw new Failure('TOO_MANY_REQUESTS', { retryAfter })
  return client
}

/**
 * Anonymous requests count per network and call, requests of a session per session, and those of a key per key,
 * whatever its secret: enough for a bulk script. A token may be invented or expired, so until the database finds it, it
 * counts per network over all calls. A repeated token without a session counts by itself; otherwise one old cookie,
 * sent by a server that calls for many people, would use up everybody's share.
 */
function countRequest(c: Context<HonoEnv>, edge: Edge, client: Client): Count {
  const { limiters, provenSessions } = edge
  const state = c.get('state')
  const { token } = client
  if (token === null) return countVisitor(c, edge, client)
  const countedBy = provenSessions.countedBy(token)
  if (countedBy !== undefined) return (isMachineKey(token) ? limiters.keyCalls : limiters.sessionCalls).count(countedBy)
  if (limiters.endedTokens.isOpen(token)) return countEnded(limiters, token, client, state.route)
  state.unproven = { token, key: `token ${networkOf(client.address)}` }
  return limiters.calls.count(state.unproven.key)
}

/** Besides each POST, what is refused from a foreign page. */
const guardedReads: ReadonlySet<string> = new Set(
  Object.values<CallGroup>(contract)
    .flatMap((group) => Object.values(group))
    .flatMap(({ isGuarded, path }) => (isGuarded ? [path] : [])),
)

/** A foreign page is refused later. It must not use up what its visitors' network has. */
function countVisitor(c: Context<HonoEnv>, edge: Edge, { address }: Client): Count {
  const { calls, visits } = edge.limiters
  const { route } = c.get('state')
  const network = networkOf(address)
  const isGuarded = c.req.method === 'POST' || guardedReads.has(route)
  if (isGuarded && isForeign(c, edge)) return calls.count(`foreign ${route} ${network}`)
  return (route === getSession.path ? visits : calls).count(`${route} ${network}`)
}

const countEnded = async (
  { endedTokens, visits, calls }: Limiters,
  token: string,
  { address }: Client,
  route: string,
): Promise<number | null> =>
  (await endedTokens.count(token)) ??
  (route === getSession.path ? visits : calls).count(`ended ${route} ${networkOf(address)}`)

/**
 * Refunds a request at its network's counter when its session turned out to be alive, since a server may call for many
 * people. Also when the service could not answer, which says nothing about the session.
 */
export function settleCount({ limiters, provenSessions }: Edge, { unproven }: RequestState, status: number): void {
  if (!unproven) return
  if (status === 503 || provenSessions.has(unproven.token)) limiters.calls.refund(unproven.key)
  else if (status !== 429) {
    // This request already counted for its network.
    limiters.endedTokens.open(unproven.token)
  }
}

/** Gives the client a session: cookies, and the same token in a header for clients without cookies. */
export function issueSession(c: Context<HonoEnv>, { cookies }: Edge, issued: IssuedSession): void {
  const state = c.get('state')
  const header = c.req.header('cookie') ?? ''
  const { lines, authToken } = cookies.issue(issued)
  addCookies(state, [...lines, ...cookies.keep(header, issued), ...cookies.clearImported(header)])
  state.authToken = authToken
}

/**
 * The response for a Failure or a HookRefusal: a page for a person, JSON for a program. Any other error is a 500 without
 * detail; the details are logged.
 */
export async function answerFailure(c: Context<HonoEnv>, edge: Edge, error: unknown): Promise<Response> {
  const failure = isRefusal(error) ? error : new Failure('INTERNAL_SERVER_ERROR', { cause: error })
  const answer = noteAndTell(c, edge, failure)
  if (answer.status === 200 || !isOpenedInBrowser(c)) return edge.respond(c, answer)
  const language = knownLanguage(readQuery(c)['lang']) ?? languageAskedBy(c)
  // React may fail to load, without a file to open say. The JSON says the same.
  const page = await edge.failurePage(failure, language, c.get('state').route).then(
    (body) => ({ ...htmlAnswer(body, edge.pagePolicy), status: answer.status }),
    (err: unknown) => {
      edge.log.warn({ err }, 'the page of a failure could not be made')
      return answer
    },
  )
  return edge.respond(c, page)
}

const isRefusal = (error: unknown): error is Failure | HookRefusal =>
  error instanceof Failure || error instanceof HookRefusal

/** What browsers accept when they open an address, and few programs. A script of a page names another mode. */
const isOpenedInBrowser = ({ req }: Context<HonoEnv>): boolean =>
  (req.header('accept')?.includes('application/xhtml+xml') ?? false) &&
  (req.header('sec-fetch-mode') ?? 'navigate') === 'navigate'

function noteAndTell(c: Context<HonoEnv>, edge: Edge, failure: Failure | HookRefusal): Answer {
  if (failure instanceof HookRefusal) {
    logFailure(c, edge.log, failure)
    return jsonAnswer({ code: failure.code, message: failure.message }, failure.status)
  }
  noteFailure(c, edge, failure)
  return failureAnswer(failure, edge.config, c.get('state').route)
}

/**
 * Keeps the parts of a failure that its body does not show: the cause for the log, the seconds to wait for the headers.
 * A 503 with seconds says that nothing was done, so it has none once the request has written.
 */
export function noteFailure(c: Context<HonoEnv>, { log }: Edge, failure: Failure): void {
  const { cause, retryAfter, limit } = failure
  const state = c.get('state')
  logFailure(c, log, failure)
  state.cause = cause
  const mayRepeat = failure.failure !== 'SERVICE_UNAVAILABLE' || !state.hasWritten
  if (retryAfter !== undefined && mayRepeat) state.retryAfter = retryAfter
  if (limit !== undefined) state.limit = limit
}
