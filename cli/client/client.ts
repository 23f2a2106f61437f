import type { Call, CallGroup } from '../../shared/contract/call.ts'
import { codeInBody } from '../../shared/failure.ts'
import { expectations, type InputProblem, maxProblems, problemsIn } from '../../shared/input-problem.ts'
import { gatherOwnFields, spreadOwnFields } from '../../shared/own-fields.ts'
import { callGroups } from './calls.ts'
import { checkAnswer, isChange } from './check-answer.ts'
import type { ApiAnswer, ApiClient, ApiRequest, OnChange, SendRequest } from './connection.ts'
import { AddressError, AnswerError, AnswerTooLargeError, ServiceFailure } from './errors.ts'
import { isRecord } from './json.ts'

/**
 * A client made from the contract: each call sends, then throws or parses. Texts become dates only where the contract
 * says so. `onChange` is told each change that the service has confirmed.
 */
export const createClient = (send: SendRequest, onChange?: OnChange): ApiClient =>
  Object.fromEntries(
    Object.entries<() => Promise<CallGroup>>(callGroups).map(([noun, load]) => [noun, methodsOf(load, send, onChange)]),
  ) as unknown as ApiClient

/** A proxy that answers any name with a method. Before the noun is loaded only the types know its calls. */
function methodsOf(load: () => Promise<CallGroup>, send: SendRequest, onChange: OnChange | undefined): object {
  const methods = new Map<string, (argument: unknown) => Promise<unknown>>()
  const methodNamed = (name: string) => {
    const method = methods.get(name) ?? methodOf(name, load, { send, onChange })
    methods.set(name, method)
    return method
  }
  // With a `then` method the object would count as a promise, and awaiting it would never end.
  const isNoCall = (name: string | symbol): name is symbol | 'then' => typeof name === 'symbol' || name === 'then'
  return new Proxy({}, { get: (_, name) => (isNoCall(name) ? undefined : methodNamed(name)) })
}

interface Sending {
  readonly send: SendRequest
  readonly onChange: OnChange | undefined
}

const methodOf =
  (name: string, load: () => Promise<CallGroup>, { send, onChange }: Sending) =>
  async (argument: unknown) => {
    const call = callNamed(name, await load())
    const answer = readAnswer(call, await requestAllPages(call, argument, send))
    checkAnswer(call, argument, answer)
    if (isChange(call)) onChange?.(call)
    return answer
  }

function callNamed(name: string, calls: CallGroup): Call {
  const call = calls[name]
  if (!call) throw new TypeError(`The contract has no call ${name}`)
  return call
}

/** Reads all pages of a list, unless the caller asked for one page. */
async function requestAllPages(call: Call, argument: unknown, send: SendRequest): Promise<unknown> {
  const { limit, offset } = Object(argument)
  if (limit !== undefined || offset !== undefined) return (await requestOrThrow(call, argument, send)).body
  const pages = (size: object) => async (next?: number) =>
    requestOrThrow(call, { ...Object(argument), ...size, ...(next !== undefined && { offset: String(next) }) }, send)
  const first = await pages({})().catch((error: unknown) => ignoreTooLarge(call, error))
  if (first) return wholeList(first, pages({}))
  const small = pages({ limit: '50' })
  return wholeList(await small(), small)
}

/** Ignores the error for calls that have pages: they are then read in smaller pages. */
function ignoreTooLarge({ input }: Call, error: unknown): undefined {
  if (!(error instanceof AnswerTooLargeError && Object.hasOwn(Object(Object(input).shape), 'limit'))) throw error
}

async function requestOrThrow(call: Call, argument: unknown, send: SendRequest): Promise<ApiAnswer> {
  const answer = await send(requestOf(call, argument))
  if (answer.status < 200 || answer.status > 299)
    throw withLocalProblems(await serviceFailureOf(answer), call, argument)
  return answer
}

/** Older services, and OAuth endpoints, do not say which field is wrong. The contract can tell. */
function withLocalProblems(failure: ServiceFailure, { input }: Call, argument: unknown): ServiceFailure {
  const { status, code, message, retryAfter, limit, problems: told } = failure
  if (told.length > 0 || (code !== 'VALIDATION_ERROR' && code !== 'invalid_request')) return failure
  const problems = problemsIn(input.safeParse(argument, expectations).error?.issues ?? [], argument)
  return new ServiceFailure(status, { code, message }, { retryAfter, limit, problems })
}

/** Path parameters are encoded as one segment each, so an id cannot add a path of its own. */
function requestOf(call: Call, argument: unknown): ApiRequest {
  const { method, path } = call
  if (method === 'POST') return { method, path, body: spreadOwnFields(call.input)(argument), call }
  const query = queryOf(argument)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathSegment(query[name] ?? ''))
  const rest = Object.entries(query).filter(([name]) => !path.includes(`{${name}}`))
  return { method, path: filled, query: Object.fromEntries(rest), call }
}

function pathSegment(id: string): string {
  // Encoding does not protect these two: URL parsers remove dot segments.
  if (id === '.' || id === '..') throw new AddressError(`${id} is not an id`, 'Give the whole id')
  return encodeURIComponent(id)
}

const queryOf = (argument: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object(argument))
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]) => [key, String(value)]),
  )

/** Turns an unsuccessful answer into a typed failure. The terms of other versions are loaded only for one. */
export async function serviceFailureOf({ status, body, headers }: ApiAnswer): Promise<ServiceFailure> {
  const { olderCode } = await import('../../shared/client-api.ts')
  const { code, message } = errorFieldsIn(Object(body))
  return new ServiceFailure(
    status,
    { code: olderCode(code), message },
    {
      retryAfter: numberIn(headers['retry-after'] ?? headers['x-retry-after']),
      limit: numberIn(headers['x-limit']),
      problems: sentProblems(Object(body).details),
    },
  )
}

const sentProblems = (details: unknown): readonly InputProblem[] =>
  (Array.isArray(details) ? details : []).slice(0, maxProblems).flatMap((detail) => {
    const { path, message } = Object(detail)
    return typeof path === 'string' && typeof message === 'string' ? [{ path, message }] : []
  })

function numberIn(header: string | string[] | undefined): number | undefined {
  const number = Number(header)
  return Number.isFinite(number) ? number : undefined
}

/** Reads the error format of Postern or of OAuth (RFC 6749, section 5.2). */
const errorFieldsIn = (body: { readonly message?: unknown; readonly error_description?: unknown }) => ({
  code: codeInBody(body),
  message: [body.message, body.error_description].find((text) => typeof text === 'string'),
})

/**
 * Parses an answer by the contract. An older service omits newer fields: those that may be null become null. An answer
 * without any field of the contract is not the service's.
 */
function readAnswer({ output }: Call, answered: unknown): unknown {
  const body = gatherOwnFields(output)(answered)
  const read = output.safeParse(body)
  if (read.success) return read.data
  const known = Object.keys(Object(Object(output).shape))
  if (known.length > 0 && !known.some((name) => name in Object(answered))) throw read.error
  const again = output.safeParse(withNulls(body, read.error.issues))
  if (!again.success) throw read.error
  return again.data
}

/** A copy in which every missing field is null. */
function withNulls(body: unknown, issues: readonly { readonly path: readonly PropertyKey[] }[]): unknown {
  const copy = structuredClone(body)
  for (const { path } of issues) {
    const name = path.at(-1)
    const parent = path.slice(0, -1).reduce<unknown>((value, key) => Object(value)[key], copy)
    if (name !== undefined && isRecord(parent) && parent[name] === undefined) parent[name] = null
  }
  return copy
}

/** More than any service has. Without a limit an endless list would never return. */
const maxPages = 1000

/** Follows the Link header (RFC 8288) until the list ends. An answer that is no list is returned as it came. */
async function wholeList(first: ApiAnswer, ask: (offset: number) => Promise<ApiAnswer>): Promise<unknown> {
  if (!Array.isArray(first.body)) return first.body
  const rows: unknown[] = [...(first.body as unknown[])]
  let next = nextOffsetOf(first)
  for (let pages = 1; next !== null; pages += 1) {
    if (next !== rows.length || pages === maxPages) throw brokenPagesError()
    const page = await ask(next)
    if (!Array.isArray(page.body) || page.body.length === 0) throw brokenPagesError()
    rows.push(...(page.body as unknown[]))
    next = nextOffsetOf(page)
  }
  return rows
}

export function nextOffsetOf({ headers: { link } }: ApiAnswer): number | null {
  // In two steps, each of which reads a header once: 64 kB of `<?offset=1` would take a single pattern half an hour.
  const [, target = ''] = /<([^<>]*)>\s*;\s*rel="?next"?/.exec([link].flat().join(', ')) ?? []
  const [, offset] = /[?&]offset=(\d{1,9})(?:&|$)/.exec(target) ?? []
  return offset === undefined ? null : Number(offset)
}

export const brokenPagesError = () =>
  new AnswerError('The pages of the list are inconsistent', 'Check the address: postern auth status --explain')
