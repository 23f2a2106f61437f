import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import type { Call, CallGroup, Input, Output } from '../../shared/contract/call.ts'
import { Failure, redirectFields } from '../../shared/failure.ts'
import { inputProblem } from '../../shared/input-problem.ts'
import type { Caller, Client, ResolvedSession } from '../request/client.ts'
import { EncodedAnswer } from '../request/encoded-answer.ts'
import type { Freshness } from '../request/freshness.ts'
import type { RawList } from '../request/raw-list.ts'
import { sessionOf } from './caller.ts'
import { inputCheckOf } from './checked-input.ts'
import type { Edge } from './edge.ts'
import { encoderOf } from './encoder.ts'
import { freshnessOf } from './freshness.ts'
import { handleRequest } from './handle-request.ts'
import { inputFailure, readGetInput, readPostInput, readQuery } from './input.ts'
import { guardOrigin, guardOwnPage } from './origin-guard.ts'
import { type Reply, RequestReply } from './reply.ts'
import type { HonoEnv, RequestState } from './request-state.ts'
import { type Answer, encodedAnswer, htmlAnswer, jsonAnswer } from './respond.ts'
import type { TrustedOrigins } from './trusted-origins.ts'

/** One checked request. `caller` is set for calls that need a session. */
interface Request<C extends Call = Call> {
  readonly caller: C['access'] extends 'session' ? Caller : C['access'] extends 'anyone' ? null : Caller | null
  readonly input: Input<C>
  readonly client: Client
  /** How recent a list for this caller has to be. */
  readonly freshness: Freshness
  /** The raw Cookie header, for cookies that only a route understands. */
  readonly cookieHeader: string
  readonly reply: Reply
  /** The session as looked up, for routes that issue it again. */
  readonly resolved: C['access'] extends 'session' ? ResolvedSession : ResolvedSession | null
}

/** A call that begins with a read that does not depend on the caller, so that it may travel with their look-up. */
interface ReadingCall<C extends Call, Read> {
  /** Sends one statement: with the given handle, or without one in a trip of its own. */
  readonly read: (input: Input<C>, sql?: never) => Promise<Read>
  /** `found` is undefined without a session, even if something was read. */
  readonly handle: (request: Request<C> & { readonly found: Found<C, Read> }) => Promise<Result<C>> | Result<C>
}
type Found<C extends Call, Read> = C['access'] extends 'session' ? Read : Read | undefined

/**
 * Redirects the browser. After a POST with 303, so that the browser reads the next page and does not repeat the POST.
 */
export class Redirect {
  readonly location: string
  constructor(location: string) {
    this.location = location
  }
}

/** What a shared answer may depend on, and all that its reply may have: see `serve`. */
type SharedRequest<C extends Call> = Pick<Request<C>, 'caller' | 'input' | 'freshness'> & {
  readonly reply: Pick<Reply, 'setNextOffset'>
}

type Result<C extends Call> = Output<C> | Redirect | EncodedAnswer<z.input<C['output']>> | RawRowsOf<Output<C>>
/** The rows of a list may also come unread. */
type RawRowsOf<T> = T extends readonly (infer Row)[] ? RawList<Row> : never
type Answering<C extends Call, R> = (request: R) => Promise<Result<C>> | Result<C>
type Handler<C extends Call> = C extends { readonly method: 'GET'; readonly isHeavy: true }
  ? Answering<C, SharedRequest<C>>
  : Answering<C, Request<C>> | ReadingCall<C, unknown>
type Handlers<G extends CallGroup> = { readonly [K in keyof G]: Handler<G[K]> }

/** Makes the handler of a call that begins with a read. */
export const readFirst = <C extends Call, Read>(
  read: ReadingCall<C, Read>['read'],
  handle: ReadingCall<C, Read>['handle'],
): ReadingCall<C, unknown> => ({ read, handle: handle as ReadingCall<C, unknown>['handle'] })

export type Mount = <G extends CallGroup>(group: G, handlers: Handlers<G>) => void
type Handle = (request: Request) => unknown
interface MountedCall {
  readonly call: Call
  readonly handle: Handle
  readonly read?: ReadingCall<Call, unknown>['read'] | undefined
  readonly check: ReturnType<typeof inputCheckOf>
  /** Encodes an answer. The output schema is the allow-list: other fields are dropped. */
  readonly encode: (answer: unknown) => unknown
}

/** Mounts every call of a group at its path. A missing call or a wrong answer shape does not compile. */
export const createMount =
  (app: Hono<HonoEnv>, edge: Edge): Mount =>
  (group, handlers) => {
    const { disabledPaths = [] } = edge.config.extensions
    const { user, organization } = edge.config.ownFields
    const answered = { user: user.answered, organization: organization.answered, hasTeams: edge.config.TEAMS }
    for (const [name, call] of Object.entries(group)) {
      if (disabledPaths.includes(call.path)) continue
      const handler = handlers[name] as unknown as Handle | ReadingCall<Call, unknown>
      const { handle, read } = typeof handler === 'function' ? { handle: handler, read: undefined } : handler
      const check = madeAtFirst(() => inputCheckOf(call, edge.config.ownFields))
      const encode = madeAtFirst(() => encoderOf(call.output, answered))
      const mounted = { call, handle: handle as Handle, read, check, encode }
      const path = call.path.replaceAll(/\{(\w+)\}/g, ':$1')
      app.on(call.method, `${edge.config.BASE_PATH}${path}`, (c) =>
        handleRequest(c, edge, call.path, (client) => serve(c, edge, mounted, client)),
      )
    }
  }

/** Most calls are not made for a while: a start does not wait for what each of them needs. */
const madeAtFirst = <T>(make: () => (value: unknown) => T) => {
  let made: ReturnType<typeof make> | undefined
  return (value: unknown): T => (made ??= make())(value)
}

/**
 * From the request's input to the response. Each step may refuse, and clients see the order: a foreign origin is
 * reported before bad input, and bad input before a missing session.
 */
async function serve(c: Context<HonoEnv>, edge: Edge, mounted: MountedCall, client: Client): Promise<Response> {
  const { call, handle } = mounted
  guard(c, edge, call, client)
  const input = await readInput(c, edge, mounted)
  if (input instanceof Redirect) return edge.respond(c, redirectAnswer(call, input))
  const { resolved, found } = await lookUp(c, edge, mounted, { client, input: input as Input<Call> })
  const request = {
    caller: resolved?.caller ?? null,
    input,
    client,
    freshness: freshnessOf(c, edge),
    resolved,
    found,
    reply: new RequestReply(c, edge),
    cookieHeader: c.req.header('cookie') ?? '',
  }
  const make = async () => answerOf(c, edge, mounted, await withinDeadline(edge, handle(request as Request)))
  if (!call.isHeavy || !resolved) return edge.respond(c, await make())
  const { caller } = resolved
  // Large answers for one user are made one after the other, so that they hold few database connections. Equal ones that
  // wait for their turn are made once.
  if (call.method === 'POST') return edge.respond(c, await edge.heavy.run(make, caller.user.id))
  const question = [c.req.url, caller, request.freshness]
  return edge.respond(c, await edge.heavy.run(async () => inBytes(await make()), caller.user.id, question))
}

/** Whoever shares it sends the same bytes. Node makes bytes of a text anew for each response. */
const inBytes = (answer: Answer): Answer =>
  typeof answer.body === 'string' ? { ...answer, body: Buffer.from(answer.body) } : answer

/** The session, and if there is one, what the call's read found. Reads now what did not travel with the look-up. */
async function lookUp(
  c: Context<HonoEnv>,
  edge: Edge,
  { call, read }: MountedCall,
  { client, input }: { readonly client: Client; readonly input: Input<Call> },
) {
  const travelled: unknown[] = []
  const along = read && (async (sql: never) => void (travelled[0] = await read(input, sql)))
  const resolved = call.access === 'anyone' ? null : await sessionOf(c, edge, call, { client, along })
  if (!read || !resolved) return { resolved, found: undefined }
  return { resolved, found: travelled.length > 0 ? travelled[0] : await withinDeadline(edge, read(input)) }
}

function guard(c: Context<HonoEnv>, edge: Edge, call: Call, client: Client): void {
  // The call does not exist for anybody but a trusted server.
  if (call.access === 'server' && !client.isServer) throw new Failure('NOT_FOUND')
  if (call.isGuarded || (call.method === 'POST' && !call.isCrossSite)) guardOrigin(c, edge)
  if (call.body === 'form' && !call.isCrossSite) guardOwnPage(c, edge)
}

/** For calls that a browser opens, invalid input leads to the error page. */
async function readInput(c: Context<HonoEnv>, edge: Edge, mounted: MountedCall): Promise<unknown> {
  const { call } = mounted
  try {
    return checkInput(c, edge, mounted, call.method === 'GET' ? readGetInput(c, call) : await readPostInput(c, call))
  } catch (error) {
    if (!call.whenUnreadable || !(error instanceof Failure)) throw error
    const { BASE_URL, BASE_PATH } = edge.config
    return new Redirect(`${BASE_URL.origin}${BASE_PATH}/error?error=${call.whenUnreadable}`)
  }
}

function checkInput(
  c: Context<HonoEnv>,
  edge: Edge,
  { call, check }: MountedCall,
  raw: Record<string, unknown>,
): unknown {
  guardRedirects(raw, readQuery(c), edge.trust)
  const checked = check(raw)
  if ('problems' in checked) throw inputFailure(call, checked.problems, checked.cause)
  return checked.input
}

function answerOf(c: Context<HonoEnv>, edge: Edge, { call, encode }: MountedCall, value: unknown): Answer {
  if (value instanceof Redirect) return redirectAnswer(call, value)
  const { answer } = call
  const state = c.get('state')
  if (answer === 'html' || answer === 'form') return pageAnswer(state, edge, answer, String(value))
  const encoded = value instanceof EncodedAnswer ? value : encode(value)
  const json = encoded instanceof EncodedAnswer ? encodedAnswer(encoded) : jsonAnswer(encoded)
  if (state.link !== undefined) return { ...json, link: state.link }
  return call.body === 'any' ? { ...json, pragma: 'no-cache' } : json
}

function pageAnswer(
  { refusedWith: status = 200, policy }: RequestState,
  { pagePolicy }: Edge,
  kind: 'html' | 'form',
  body: string,
): Answer {
  const page = { ...htmlAnswer(body, policy ?? pagePolicy), status }
  if (policy !== undefined) return { ...page, referrer: 'strict-origin-when-cross-origin', isOpener: true }
  // A browser names the origin of a form only when it may send a referrer. Other sites still learn nothing.
  return kind === 'form' ? { ...page, referrer: 'same-origin' } : page
}

const redirectAnswer = ({ method }: Call, { location }: Redirect): Answer => ({
  status: method === 'POST' ? 303 : 302,
  body: null,
  location,
})

/** Settles with the work, or throws when it takes too long. Whether the work was done is then unknown. */
function withinDeadline<T>({ requestDeadline }: Edge, work: T | Promise<T>): T | Promise<T> {
  if (!(work instanceof Promise)) return work
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Failure('SERVICE_UNAVAILABLE', { cause: `no result within ${requestDeadline} ms` }))
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

/** Refuses redirect targets that are not trusted, whether or not the call uses them. */
function guardRedirects(input: Record<string, unknown>, query: Record<string, string>, trust: TrustedOrigins): void {
  for (const field of redirectFields) {
    const target = input[field] ?? query[field]
    if (target === undefined || target === null || target === '') continue
    if (typeof target !== 'string') throw new Failure('INVALID_BODY', { details: [inputProblem([field], 'a text')] })
    if (!trust.isSafeTarget(target)) throw new Failure('INVALID_REDIRECT_TARGET', { field })
  }
}
