import type { Context } from 'hono'
import sjson from 'secure-json-parse'
import { type Call, inputFailureOf } from '../../shared/contract/call.ts'
import { Failure } from '../../shared/failure.ts'
import { type InputProblem, inputProblem } from '../../shared/input-problem.ts'
import { isStorable } from '../../shared/text-rules.ts'
import type { HonoEnv } from './request-state.ts'

const maxBodySize = 65_536
/** Of a body in chunks. Its size in pieces of a byte would take a second of everybody's time. */
const maxPieces = 1024

/** The raw input of a GET before its schema checks it: the query (last of a repeated key) and the path's parameters. */
export function readGetInput(c: Context<HonoEnv>, call: Call): Record<string, unknown> {
  const query = { ...readQuery(c), ...(call.lists ? readLists(c, call.lists) : {}) }
  requireEscapedUtf8(Object.entries(query), queryTextOf(c), call)
  return requireStorable({ ...query, ...c.req.param() }, call)
}

function readLists(c: Context<HonoEnv>, names: readonly string[]): Record<string, string> {
  const query = queryOf(c)
  return Object.fromEntries(names.filter((name) => query.has(name)).map((name) => [name, query.getAll(name).join(',')]))
}

/** The raw input of a POST before its schema checks it: the body. */
export const readPostInput = async (c: Context<HonoEnv>, call: Call): Promise<Record<string, unknown>> => ({
  ...requireStorable(await readPost(c, call), call),
  ...c.req.param(),
})

function requireStorable(input: unknown, call: Call): Record<string, unknown> {
  const found = findUnstorable(input)
  if (found) throw inputFailure(call, [inputProblem(found.path, found.expected)])
  return input as Record<string, unknown>
}

async function readPost(c: Context<HonoEnv>, call: Call): Promise<unknown> {
  const { alsoInQuery } = call
  const body = await readKind(c, call)
  if (!alsoInQuery || body === null || typeof body !== 'object' || Array.isArray(body)) return body
  const given = Object.entries(readQuery(c)).filter(([key]) => alsoInQuery.includes(key))
  requireEscapedUtf8(given, queryTextOf(c), call)
  return { ...Object.fromEntries(given), ...body }
}

async function readKind(c: Context<HonoEnv>, call: Call): Promise<unknown> {
  if (call.body === 'form') return readForm(c, call)
  if (call.body !== 'any') return readBody(c, call)
  const isForm = formType.test(c.req.header('content-type') ?? '')
  return isForm ? readParameters(c, call) : withoutEmpty(await readBody(c, call))
}

export const inputFailure = (call: Call, details: readonly InputProblem[], cause?: unknown): Failure =>
  new Failure(inputFailureOf(call), { details, cause })

/** The query of any method, since a POST may have a redirect target there too. */
export const readQuery = (c: Context<HonoEnv>): Record<string, string> =>
  c.req.url.includes('?') ? Object.fromEntries(queryOf(c)) : {}

/** With each value of a repeated key. */
export const queryOf = (c: Context<HonoEnv>): URLSearchParams => new URLSearchParams(queryTextOf(c))

function queryTextOf(c: Context<HonoEnv>): string {
  const start = c.req.url.indexOf('?')
  return start === -1 ? '' : c.req.url.slice(start)
}

const readWhole = (c: Context<HonoEnv>, call: Call): Promise<string> =>
  readText(c, call).catch((cause: unknown) => {
    // The client left before the body was complete.
    throw cause instanceof Failure ? cause : inputFailure(call, [inputProblem([], 'a whole body')], cause)
  })

const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** A form from our own pages, which run none of our scripts, or from a provider. */
async function readForm(c: Context<HonoEnv>, call: Call): Promise<Record<string, string>> {
  if (!formType.test(c.req.header('content-type') ?? '')) throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  return Object.fromEntries(await readPairs(c, call))
}

async function readPairs(c: Context<HonoEnv>, call: Call): Promise<readonly Pair[]> {
  const text = await readWhole(c, call)
  const pairs = [...new URLSearchParams(text)]
  requireEscapedUtf8(pairs, text, call)
  return pairs
}

/**
 * OAuth's rules for forms (RFC 6749, 3.2): an empty value counts as absent, and a repeated parameter makes the whole
 * form null.
 */
async function readParameters(c: Context<HonoEnv>, call: Call): Promise<unknown> {
  const pairs = await readPairs(c, call)
  return new Set(pairs.map(([name]) => name)).size === pairs.length ? withoutEmpty(Object.fromEntries(pairs)) : null
}

const withoutEmpty = (body: unknown): unknown =>
  body === null || typeof body !== 'object' || Array.isArray(body)
    ? body
    : Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''))

async function readBody(c: Context<HonoEnv>, call: Call): Promise<unknown> {
  const text = await readWhole(c, call)
  if (text === '') return {}
  // A form on a foreign page could send any other type without a preflight.
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  try {
    return sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
  } catch (cause) {
    throw inputFailure(call, [inputProblem([], 'JSON')], cause)
  }
}

/** Counts the actual bytes. A declared length is trusted when it is small enough and the HTTP parser enforces it. */
async function readText(c: Context<HonoEnv>, call: Call): Promise<string> {
  const declared = c.req.header('content-length')
  if (Number(declared) > maxBodySize) throw new Failure('PAYLOAD_TOO_LARGE')
  const isFromSocket = c.env?.incoming !== undefined
  const isChunked = isFromSocket && c.req.header('transfer-encoding') !== undefined
  if (Number(declared) === 0 || (isFromSocket && declared === undefined && !isChunked)) return ''
  requirePlain(c, call)
  return isFromSocket && !isChunked ? textOf(await c.req.arrayBuffer(), call) : readStream(c.req.raw, call)
}

/** Nothing is unpacked: a small body could become gigabytes. */
function requirePlain(c: Context<HonoEnv>, call: Call): void {
  const coding = c.req.header('content-encoding') ?? 'identity'
  if (coding.toLowerCase() !== 'identity')
    throw inputFailure(call, [inputProblem([], 'a body without Content-Encoding')])
}

async function readStream({ body }: Request, call: Call): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxBodySize || chunks.length === maxPieces) throw new Failure('PAYLOAD_TOO_LARGE')
    chunks.push(chunk)
  }
  return textOf(Buffer.concat(chunks), call)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Refuses what is not UTF-8: with U+FFFD in its place, names would be damaged, and different passwords the same. */
function textOf(bytes: ArrayBuffer | Uint8Array, call: Call): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw inputFailure(call, [inputProblem([], 'a body in UTF-8')], cause)
  }
}

type Pair = readonly [name: string, value: string]

/**
 * Refuses escapes such as `%FF`, whose bytes are no UTF-8, for the same reason. `pairs` are what `text` was read as. What
 * a provider tells a person's browser may be in any encoding: it stores nothing, and has to lead back to the application.
 */
function requireEscapedUtf8(pairs: readonly Pair[], text: string, call: Call): void {
  if (call.whenUnreadable || !pairs.some((pair) => pair.join().includes('\ufffd'))) return
  try {
    // A `%` that begins no escape stands for itself.
    decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch (cause) {
    throw inputFailure(call, [inputProblem([], 'percent-encoded UTF-8')], cause)
  }
}

const maxDepth = 20
const maxKeys = 200

/** The place of a value that is not accepted, and what is expected there. */
interface Unstorable {
  readonly path: readonly string[]
  readonly expected: string
}

const unstorableHere = (expected: string): Unstorable => ({ path: [], expected })

/** PostgreSQL accepts neither NUL nor lone surrogates. Deep or wide values only cost time. */
function findUnstorable(value: unknown): Unstorable | null {
  let keys = 0
  const find = (part: unknown, depth: number): Unstorable | null => {
    if (typeof part === 'string')
      return isStorable(part) ? null : unstorableHere('a text without NUL and lone surrogates')
    if (part === null || typeof part !== 'object') return null
    const entries = Object.entries(part)
    keys += entries.length
    if (depth >= maxDepth) return unstorableHere(`at most ${maxDepth} levels`)
    if (keys > maxKeys) return unstorableHere(`at most ${maxKeys} fields and entries in all`)
    for (const [key, inner] of entries) {
      if (!isStorable(key)) return unstorableHere('names without NUL and lone surrogates')
      const found = find(inner, depth + 1)
      if (found) return { ...found, path: [key, ...found.path] }
    }
    return null
  }
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
  return isObject ? find(value, 0) : unstorableHere('an object')
}
