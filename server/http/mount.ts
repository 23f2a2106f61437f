import type { Context, Hono } from 'hono'
import * as z from 'zod'
import type { Call, Group, Input, Output } from '../../shared/contract/call.ts'
import { Failure } from '../../shared/failure.ts'
import type { Caller, Client, Issued, Resolved } from '../request.ts'
import { type Edge, issueSession } from './edge.ts'
import type { Env } from './exchange.ts'
import { invalid, readInput, readQuery } from './input.ts'
import { guardOrigin, guardRedirects } from './origin-guard.ts'
import { pass } from './pass.ts'
import { type Answer, json } from './respond.ts'

/** What a route may do to the client's cookies; use cases never see it. */
export interface Reply {
  issue(issued: Issued): void
  /** Takes all our cookies away. */
  clear(): void
  /** Takes the place of a line for the same cookie. */
  setCookie(line: string): void
}

/** One checked request. `caller` is there for calls that need a session. */
interface Request<C extends Call = Call> {
  readonly caller: C['access'] extends 'session' ? Caller : null
  readonly input: Input<C>
  readonly client: Client
  /** The raw Cookie header, for what only a route understands. */
  readonly cookieHeader: string
  readonly reply: Reply
  /** The caller's session as it was resolved, for routes that issue it again. */
  readonly resolved: Resolved | null
}

type Handlers<G extends Group> = {
  readonly [K in keyof G]: (request: Request<G[K]>) => Promise<Output<G[K]>> | Output<G[K]>
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
    for (const [name, call] of Object.entries(group)) {
      const handle = handlers[name] as unknown as Handle
      app.on(call.method, `${edge.config.BASE_PATH}${call.path}`, (c) =>
        pass(c, edge, call.path, (client) => serve(c, edge, { call, handle }, client)),
      )
    }
  }

/** From the request's input to the answer: each step may refuse, in the order of contract 1.2. */
async function serve(c: Context<Env>, edge: Edge, { call, handle }: Served, client: Client): Promise<Response> {
  if (call.method === 'POST') guardOrigin(c, edge.config, edge.trust)
  const input = await readChecked(c, edge, call)
  const resolved = call.access === 'session' ? await requireSession(c, edge, client) : null
  const request = {
    caller: resolved?.caller ?? null,
    input,
    client,
    resolved,
    reply: replyOf(c, edge),
    cookieHeader: c.req.header('cookie') ?? '',
  }
  const output = await withinDeadline(handle(request as Request))
  return edge.respond(c, answerOf(call, output, edge.pagePolicy))
}

async function readChecked(c: Context<Env>, edge: Edge, call: Call): Promise<unknown> {
  const raw = await readInput(c, call)
  guardRedirects(raw, readQuery(c), edge.trust)
  const input = call.input.safeParse(raw)
  if (!input.success) throw new Failure(invalid(call), { cause: input.error })
  return input.data
}

/** The session of the request, or 401. Any call may extend it when due, and then says so to the client. */
async function requireSession(c: Context<Env>, edge: Edge, client: Client): Promise<Resolved> {
  const resolved = client.token === null ? null : await edge.resolve(client.token, { mayExtend: !client.isForgetful })
  if (!resolved) throw new Failure('UNAUTHORIZED')
  if (resolved.isExtended) issueSession(c, edge, issuedOf(resolved))
  return resolved
}

/** A resolved session as it is given to its client again. */
export const issuedOf = ({ caller, remembered, remaining }: Resolved): Issued => ({
  token: caller.session.token,
  maxAge: remembered ? remaining : null,
})

const replyOf = (c: Context<Env>, edge: Edge): Reply => ({
  issue: (issued) => issueSession(c, edge, issued),
  clear: () => {
    c.get('exchange').setCookies = edge.cookies.clear()
  },
  setCookie: (line) => {
    const exchange = c.get('exchange')
    const name = line.slice(0, line.indexOf('=') + 1)
    exchange.setCookies = [...exchange.setCookies.filter((other) => !other.startsWith(name)), line]
  },
})

/** The output schema is the allow-list: what it does not name falls off. */
const answerOf = (call: Call, output: unknown, policy: string): Answer =>
  call.answer === 'html'
    ? { status: 200, body: String(output), contentType: 'text/html; charset=utf-8', policy }
    : json(z.encode(call.output, output))

/** Settles with the work, or refuses when it takes too long; whether it was done is then unknown. */
function withinDeadline<T>(work: T | Promise<T>): T | Promise<T> {
  if (!(work instanceof Promise)) return work
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Failure('SERVICE_UNAVAILABLE', { cause: 'request deadline' }))
    const timer = setTimeout(giveUp, requestDeadline)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
