import type { Context, Hono } from 'hono'
import * as z from 'zod'
import type { Call, CallGroup, Input, Output } from '../../shared/contract/call.ts'
import { Failure, wireOf } from '../../shared/failure.ts'
import type { Caller, Client, IssuedSession, MachineCaller, ResolvedSession } from '../request/client.ts'
import { type Edge, issueSession, noteFailure } from './edge.ts'
import { handleRequest } from './handle-request.ts'
import { invalidInput, readGetInput, readPostInput, readQuery } from './input.ts'
import { guardOrigin, guardOwnPage, guardRedirects } from './origin-guard.ts'
import type { HonoEnv } from './request-state.ts'
import { type Answer, jsonAnswer } from './respond.ts'

/** What a route may add to the answer: cookies and headers. Use cases never see it. */
export interface Reply {
  issue(issued: IssuedSession): void
  /** Keeps a mark by which the device is known again, if there is one. */
  mark(mark: string | null): void
  /** Removes the session's cookies. */
  clear(): void
  /** Removes all our cookies: the user was deleted. */
  clearAll(): void
  /** Replaces a line for the same cookie. */
  setCookie(line: string): void
  /** A token for other services, in a header of its own. */
  tellToken(jwt: string): void
  /** Lets anybody keep the answer for so many seconds. */
  keepFor(seconds: number): void
  /** Says in the Link header that the list goes on at this offset. */
  goOn(offset: number): void
  /** Lets this answer, a page, load what the policy says. */
  allow(policy: string): void
  /** For a page that explains a refusal itself: sets the status and the retry headers of that refusal. */
  refuse(failure: Failure): void
}

/** One checked request. `caller` is there for calls that need a session. */
interface Request<C extends Call = Call> {
  readonly caller: C['access'] extends 'session' ? Caller : C['access'] extends 'anyone' ? null : Caller | null
  readonly input: Input<C>
  readonly client: Client
  /** The raw Cookie header, for what only a route understands. */
  readonly cookieHeader: string
  readonly reply: Reply
  /** The session as it was looked up, for routes that issue it again. */
  readonly resolved: C['access'] extends 'session' ? ResolvedSession : ResolvedSession | null
}

/** An answer that sends a browser elsewhere; a POST's with 303, so that what comes next is read and not repeated. */
export class Redirect {
  readonly location: string
  constructor(location: string) {
    this.location = location
  }
}

type Handlers<G extends CallGroup> = {
  readonly [K in keyof G]: (request: Request<G[K]>) => Promise<Output<G[K]> | Redirect> | Output<G[K]> | Redirect
}
export type Mount = <G extends CallGroup>(group: G, handlers: Handlers<G>) => void
type Handle = (request: Request) => unknown
interface Served {
  readonly call: Call
  readonly handle: Handle
}

/** Milliseconds until a request is given up; whatever it still does ends by its own deadlines. */
const requestDeadline = 15_000

/** Puts every call of a group under its path. Forgetting one, or answering another shape, does not compile. */
export const createMount =
  (app: Hono<HonoEnv>, edge: Edge): Mount =>
  (group, handlers) => {
    const { disabledPaths = [] } = edge.config.extensions
    for (const [name, call] of Object.entries(group)) {
      if (disabledPaths.includes(call.path)) continue
      const handle = handlers[name] as unknown as Handle
      const path = call.path.replaceAll(/\{(\w+)\}/g, ':$1')
      app.on(call.method, `${edge.config.BASE_PATH}${path}`, (c) =>
        handleRequest(c, edge, call.path, (client) => serve(c, edge, { call, handle }, client)),
      )
    }
  }

/**
 * From the request's input to the answer; each step may refuse. Clients see the order: a foreign origin is told before a bad
 * input, and a bad input before a missing session.
 */
async function serve(c: Context<HonoEnv>, edge: Edge, { call, handle }: Served, client: Client): Promise<Response> {
  guard(c, edge, call, client)
  const input = await readInput(c, edge, call)
  if (input instanceof Redirect) return edge.respond(c, leadTo(call, input))
  const resolved = call.access === 'anyone' ? null : await sessionOf(c, edge, call, client)
  const request = {
    caller: resolved?.caller ?? null,
    input,
    client,
    resolved,
    reply: new RequestReply(c, edge),
    cookieHeader: c.req.header('cookie') ?? '',
  }
  if (!call.isHeavy || !resolved) return finish(c, edge, call, handle(request as Request))
  // Large answers for one user wait for each other, so that they hold few connections of the database.
  return edge.heavy.run(() => finish(c, edge, call, handle(request as Request)), resolved.caller.user.id)
}

async function finish(c: Context<HonoEnv>, edge: Edge, call: Call, work: unknown): Promise<Response> {
  const output = await withinDeadline(work)
  return edge.respond(c, output instanceof Redirect ? leadTo(call, output) : answerOf(c, edge, call, output))
}

function guard(c: Context<HonoEnv>, { config, trust }: Edge, call: Call, client: Client): void {
  // For everybody but a trusted server there is no such call.
  if (call.access === 'server' && !client.isServer) throw new Failure('NOT_FOUND')
  if (call.method === 'POST' && !call.isCrossSite) guardOrigin(c, config, trust)
  if (call.body === 'form') guardOwnPage(c, config)
}

/** Where a person looks on, what cannot be read leads to the error page. */
async function readInput(c: Context<HonoEnv>, edge: Edge, call: Call): Promise<unknown> {
  try {
    return check(c, edge, call, call.method === 'GET' ? readGetInput(c, call) : await readPostInput(c, call))
  } catch (error) {
    if (!call.whenUnreadable || !(error instanceof Failure) || error.failure !== invalidInput(call)) throw error
    const { BASE_URL, BASE_PATH } = edge.config
    return new Redirect(`${BASE_URL.origin}${BASE_PATH}/error?error=${call.whenUnreadable}`)
  }
}

function check(c: Context<HonoEnv>, edge: Edge, call: Call, raw: Record<string, unknown>): unknown {
  guardRedirects(raw, readQuery(c), edge.trust)
  const input = call.input.safeParse(raw)
  if (!input.success) throw new Failure(invalidInput(call), { cause: input.error })
  return input.data
}

/** The session of the request; without one 401 where it is required. Any call may extend it when due, and then says so. */
async function sessionOf(c: Context<HonoEnv>, edge: Edge, call: Call, client: Client): Promise<ResolvedSession | null> {
  const resolved =
    client.token === null ? null : await edge.resolve(client.token, { mayExtend: !client.isForgetful, client })
  if (!resolved && call.access === 'session') throw new Failure('UNAUTHORIZED')
  if (resolved) {
    c.get('state').userId = resolved.caller.user.id
    client.identify(resolved.caller)
  }
  if (resolved?.caller.key) guardScope(call, resolved.caller.key)
  if (resolved?.isExtended) issueSession(c, edge, issuedFrom(resolved))
  guardPersonal(call, resolved)
  return resolved
}

/** What only a person may do for themselves, nobody does who acts as them. */
function guardPersonal({ isPersonal }: Call, resolved: ResolvedSession | null): void {
  if (isPersonal && resolved && resolved.caller.session.impersonatedBy !== null)
    throw new Failure('NOT_WHILE_IMPERSONATING')
}

/** A machine makes only calls that say what it needs for them, and with scopes of its own only those within them. */
function guardScope({ scope, isForPipelines }: Call, { scopes, isKey }: MachineCaller): void {
  if (isForPipelines && !isKey) return
  if (scope === undefined) throw new Failure('KEY_FORBIDDEN')
  if (scopes && !scopes.includes(scope)) throw new Failure('KEY_SCOPE_MISSING', { field: scope })
}

/** A resolved session, to be issued to its client again. */
export const issuedFrom = ({ caller, remembered, remaining }: ResolvedSession): IssuedSession => ({
  token: caller.session.token,
  maxAge: remembered ? remaining : null,
})

/** A class, not an object of closures: V8 keeps each closure, and the request with it, until a full collection. */
class RequestReply implements Reply {
  private readonly c: Context<HonoEnv>
  private readonly edge: Edge

  constructor(c: Context<HonoEnv>, edge: Edge) {
    this.c = c
    this.edge = edge
  }

  private get cookieHeader(): string {
    return this.c.req.header('cookie') ?? ''
  }

  issue(issued: IssuedSession): void {
    issueSession(this.c, this.edge, issued)
  }

  mark(mark: string | null): void {
    if (mark !== null) this.setCookie(this.edge.cookies.mark(mark))
  }

  clear(): void {
    const { cookies } = this.edge
    this.c.get('state').setCookies = [...cookies.clear(), ...cookies.clearAdmin(this.cookieHeader)]
  }

  clearAll(): void {
    const { cookies } = this.edge
    this.clear()
    for (const line of cookies.clearMarks(this.cookieHeader)) this.setCookie(line)
  }

  setCookie(line: string): void {
    const state = this.c.get('state')
    const name = line.slice(0, line.indexOf('=') + 1)
    state.setCookies = [...state.setCookies.filter((other) => !other.startsWith(name)), line]
  }

  tellToken(jwt: string): void {
    this.c.get('state').jwt = jwt
  }

  keepFor(seconds: number): void {
    this.c.get('state').cacheControl = `public, max-age=${seconds}`
  }

  goOn(offset: number): void {
    const query = new URLSearchParams({ ...readQuery(this.c), offset: String(offset) })
    this.c.get('state').link = `<?${query.toString()}>; rel="next"`
  }

  allow(policy: string): void {
    this.c.get('state').policy = policy
  }

  refuse(failure: Failure): void {
    this.c.get('state').refusedWith = wireOf(failure.failure).status
    noteFailure(this.c, this.edge, failure)
  }
}

/** The output schema is the allow-list: what it does not name falls off. */
function answerOf(c: Context<HonoEnv>, edge: Edge, { answer, body, output }: Call, value: unknown): Answer {
  if (answer !== 'html' && answer !== 'form') {
    const json = jsonAnswer(z.encode(output, value))
    return body === 'any' ? { ...json, pragma: 'no-cache' } : json
  }
  const { refusedWith: status = 200, policy } = c.get('state')
  const page = {
    status,
    body: String(value),
    contentType: 'text/html; charset=utf-8',
    policy: policy ?? edge.pagePolicy,
  }
  if (policy !== undefined) return { ...page, referrer: 'strict-origin-when-cross-origin', isOpener: true }
  // A form's browser names its origin only when it may send a referrer; other sites still learn nothing.
  return answer === 'form' ? { ...page, referrer: 'same-origin' } : page
}

const leadTo = ({ method }: Call, { location }: Redirect): Answer => ({
  status: method === 'POST' ? 303 : 302,
  body: null,
  location,
})

/** Settles with the work, or refuses when it takes too long; whether it was done is then unknown. */
function withinDeadline<T>(work: T | Promise<T>): T | Promise<T> {
  if (!(work instanceof Promise)) return work
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Failure('SERVICE_UNAVAILABLE', { cause: 'request deadline' }))
    const timer = setTimeout(giveUp, requestDeadline)
    const settled = (settle: () => void) => {
      clearTimeout(timer)
      settle()
    }
    work.then(
      (value) => settled(() => resolve(value)),
      (error: unknown) => settled(() => reject(error)),
    )
  })
}
