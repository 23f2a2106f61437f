import type { Context, Hono } from 'hono'
import * as z from 'zod'
import type { Call, Group, Input, Output } from '../../shared/contract/call.ts'
import { Failure, wireOf } from '../../shared/failure.ts'
import type { Caller, Client, Issued, Resolved } from '../request.ts'
import { type Edge, issueSession, noteFailure } from './edge.ts'
import type { Env } from './exchange.ts'
import { invalid, readAsked, readQuery, readSent } from './input.ts'
import { guardOrigin, guardOwnPage, guardRedirects } from './origin-guard.ts'
import { pass } from './pass.ts'
import { type Answer, json } from './respond.ts'

/** What a route may add to the answer: cookies and headers. Use cases never see it. */
export interface Reply {
  issue(issued: Issued): void
  /** Keeps a mark by which the device is known again, if there is one. */
  mark(mark: string | null): void
  /** Removes the session's cookies. */
  clear(): void
  /** Removes all our cookies: the user was deleted. */
  clearAll(): void
  /** Replaces a line for the same cookie. */
  setCookie(line: string): void
  /** Says in the Link header that the list goes on at this offset. */
  goOn(offset: number): void
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
  readonly resolved: C['access'] extends 'session' ? Resolved : Resolved | null
}

/** An answer that sends a browser elsewhere; a POST's with 303, so that what comes next is read and not repeated. */
export class Redirect {
  readonly location: string
  constructor(location: string) {
    this.location = location
  }
}

type Handlers<G extends Group> = {
  readonly [K in keyof G]: (request: Request<G[K]>) => Promise<Output<G[K]> | Redirect> | Output<G[K]> | Redirect
}
export type Mount = <G extends Group>(group: G, handlers: Handlers<G>) => void
type Handle = (request: Request) => unknown
interface Served {
  readonly call: Call
  readonly handle: Handle
}

/** Milliseconds until a request is given up; whatever it still does ends by its own deadlines. */
const requestDeadline = 15_000

/** Puts every call of a group under its path. Forgetting one, or answering another shape, does not compile. */
export const createMount =
  (app: Hono<Env>, edge: Edge): Mount =>
  (group, handlers) => {
    const { disabledPaths = [] } = edge.config.extensions
    for (const [name, call] of Object.entries(group)) {
      if (disabledPaths.includes(call.path)) continue
      const handle = handlers[name] as unknown as Handle
      const path = call.path.replaceAll(/\{(\w+)\}/g, ':$1')
      app.on(call.method, `${edge.config.BASE_PATH}${path}`, (c) =>
        pass(c, edge, call.path, (client) => serve(c, edge, { call, handle }, client)),
      )
    }
  }

/**
 * From the request's input to the answer; each step may refuse. Clients see the order: a foreign origin is told before a bad
 * input, and a bad input before a missing session.
 */
async function serve(c: Context<Env>, edge: Edge, { call, handle }: Served, client: Client): Promise<Response> {
  guard(c, edge, call, client)
  const input = check(c, edge, call, call.method === 'GET' ? readAsked(c, call) : await readSent(c, call))
  const resolved = call.access === 'anyone' ? null : await sessionOf(c, edge, call, client)
  const request = {
    caller: resolved?.caller ?? null,
    input,
    client,
    resolved,
    reply: new ExchangeReply(c, edge),
    cookieHeader: c.req.header('cookie') ?? '',
  }
  if (!call.isHeavy || !resolved) return finish(c, edge, call, handle(request as Request))
  // Large answers for one user wait for each other, so that they hold few connections of the database.
  return edge.heavy.run(() => finish(c, edge, call, handle(request as Request)), resolved.caller.user.id)
}

async function finish(c: Context<Env>, edge: Edge, call: Call, work: unknown): Promise<Response> {
  const output = await withinDeadline(work)
  return edge.respond(c, output instanceof Redirect ? leadTo(call, output) : answerOf(c, edge, call, output))
}

function guard(c: Context<Env>, { config, trust }: Edge, call: Call, client: Client): void {
  // For everybody but a trusted server there is no such call.
  if (call.access === 'server' && !client.isServer) throw new Failure('NOT_FOUND')
  if (call.method === 'POST') guardOrigin(c, config, trust)
  if (call.body === 'form') guardOwnPage(c, config)
}

function check(c: Context<Env>, edge: Edge, call: Call, raw: Record<string, unknown>): unknown {
  guardRedirects(raw, readQuery(c), edge.trust)
  const input = call.input.safeParse(raw)
  if (!input.success) throw new Failure(invalid(call), { cause: input.error })
  return input.data
}

/** The session of the request; without one 401 where it is required. Any call may extend it when due, and then says so. */
async function sessionOf(c: Context<Env>, edge: Edge, call: Call, client: Client): Promise<Resolved | null> {
  const resolved = client.token === null ? null : await edge.resolve(client.token, { mayExtend: !client.isForgetful })
  if (!resolved && call.access === 'session') throw new Failure('UNAUTHORIZED')
  if (resolved) c.get('exchange').userId = resolved.caller.user.id
  if (resolved?.isExtended) issueSession(c, edge, issuedOf(resolved))
  return resolved
}

/** A resolved session, to be issued to its client again. */
export const issuedOf = ({ caller, remembered, remaining }: Resolved): Issued => ({
  token: caller.session.token,
  maxAge: remembered ? remaining : null,
})

/** A class, not an object of closures: V8 keeps each closure, and the request with it, until a full collection. */
class ExchangeReply implements Reply {
  private readonly c: Context<Env>
  private readonly edge: Edge

  constructor(c: Context<Env>, edge: Edge) {
    this.c = c
    this.edge = edge
  }

  issue(issued: Issued): void {
    issueSession(this.c, this.edge, issued)
  }

  mark(mark: string | null): void {
    if (mark !== null) this.setCookie(this.edge.cookies.mark(mark))
  }

  clear(): void {
    this.c.get('exchange').setCookies = this.edge.cookies.clear()
  }

  clearAll(): void {
    const { cookies } = this.edge
    const marks = cookies.clearMarks(this.c.req.header('cookie') ?? '')
    this.c.get('exchange').setCookies = [...cookies.clear(), ...marks]
  }

  setCookie(line: string): void {
    const exchange = this.c.get('exchange')
    const name = line.slice(0, line.indexOf('=') + 1)
    exchange.setCookies = [...exchange.setCookies.filter((other) => !other.startsWith(name)), line]
  }

  goOn(offset: number): void {
    const query = new URLSearchParams({ ...readQuery(this.c), offset: String(offset) })
    this.c.get('exchange').link = `<?${query.toString()}>; rel="next"`
  }

  refuse(failure: Failure): void {
    this.c.get('exchange').refusedWith = wireOf(failure.failure).status
    noteFailure(this.c, this.edge, failure)
  }
}

/** The output schema is the allow-list: what it does not name falls off. */
function answerOf(c: Context<Env>, edge: Edge, { answer, output }: Call, value: unknown): Answer {
  if (answer !== 'html' && answer !== 'form') return json(z.encode(output, value))
  const status = c.get('exchange').refusedWith ?? 200
  const page = { status, body: String(value), contentType: 'text/html; charset=utf-8', policy: edge.pagePolicy }
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
