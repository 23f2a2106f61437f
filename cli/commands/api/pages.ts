import { brokenPagesError, nextOffsetOf, serviceFailureOf } from '../../client/client.ts'
import type { ApiAnswer, ApiRequest, SendRequest } from '../../client/connection.ts'
import type { Context } from '../../context.ts'
import { jsonText } from '../../output/escape-controls.ts'
import { indentOf } from '../../output/style.ts'
import { untilStopped } from '../endless.ts'

type Query = Readonly<Record<string, string>>

/** An answer that is a list, or holds a single one: its rows, and the same answer with other rows. */
interface Page {
  readonly rows: readonly unknown[]
  readonly with: (rows: readonly unknown[]) => object
}

/** More than any list has. Without a limit an endless list would never return. */
const maxPages = 100_000

/**
 * Prints all pages of a list: each row as it comes for a reader of lines, otherwise one document. An interruption ends
 * with what has come.
 */
export async function printPages(context: Context, send: SendRequest, request: ApiRequest): Promise<void> {
  const { out, host } = context
  const print = (value: unknown) => out.text(jsonText(value, indentOf(host, context.flags)), value as object)
  const isStreamed = out.style.mode === 'ndjson'
  const rows: unknown[] = []
  const seen: { first?: unknown; last?: unknown } = {}
  await untilStopped(context, async (signal) => {
    for await (const answer of pagesOf(send, request)) {
      signal.throwIfAborted()
      seen.first ??= answer.body
      seen.last = answer.body
      for (const row of pageOf(answer.body)?.rows ?? [answer.body]) {
        if (isStreamed) print(row)
        else rows.push(row)
      }
    }
  })
  if (host.signal.aborted) out.warn('Interrupted: the list may be incomplete')
  // What was written meanwhile comes after the first answer, unless the list began at a position.
  const whole = request.query && 'after' in request.query ? seen.last : seen.first
  if (!isStreamed && 'first' in seen) print(merged(whole, seen.last, rows))
}

/** One answer with the rows of all, and with the position of the last, from which the list continues, if it does. */
function merged(whole: unknown, last: unknown, rows: readonly unknown[]): unknown {
  const page = pageOf(whole)
  if (!page || Array.isArray(whole)) return page?.with(rows) ?? whole
  const { next } = Object(last)
  return { ...page.with(rows), ...(next !== undefined && { next }) }
}

/** The answers, one for each page. An answer that is no list is the only one. */
async function* pagesOf(send: SendRequest, request: ApiRequest): AsyncGenerator<ApiAnswer> {
  const asked = new Set<string>()
  for (let query: Query | null = request.query ?? {}; query !== null; ) {
    if (asked.size === maxPages || asked.has(JSON.stringify(query))) throw brokenPagesError()
    asked.add(JSON.stringify(query))
    const answer: ApiAnswer = await send({ ...request, query })
    if (answer.status < 200 || answer.status > 299) throw await serviceFailureOf(answer)
    query = nextQuery(answer, query)
    if (query !== null && pageOf(answer.body)?.rows.length === 0) throw brokenPagesError()
    yield answer
  }
}

/** Lists go on at an offset, or at a cursor. What was written after a position goes on at the latest one. */
function nextQuery(answer: ApiAnswer, query: Query): Query | null {
  if (!pageOf(answer.body)) return null
  const offset = nextOffsetOf(answer)
  if (offset !== null) return { ...query, offset: String(offset) }
  const { next, latest } = Object(answer.body)
  if (typeof next !== 'string') return null
  return 'after' in query ? { ...query, after: String(latest) } : { ...query, cursor: next }
}

function pageOf(body: unknown): Page | undefined {
  if (Array.isArray(body)) return { rows: body, with: (rows) => rows }
  const lists = Object.entries(Object(body)).filter(([, value]) => Array.isArray(value))
  const [[name, rows] = ['', []], ...others] = lists
  if (lists.length === 0 || others.length > 0) return undefined
  return { rows: rows as readonly unknown[], with: (all) => ({ ...Object(body), [name]: all }) }
}
