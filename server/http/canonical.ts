import type { Context } from 'hono'
import type { HonoEnv } from './request-state.ts'

/** Only plain characters, and no dot segments: one spelling per call, so that no encoding slips past a limit or a rule. */
const canonicalPath = /^(\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

/**
 * Whether a request can be a call at all: one of the two methods, and the one spelling of its path. The parser of URLs removes
 * dot segments, `%2e` too, so the path is looked at as it was sent, where there is a socket.
 */
export const isCanonical = (c: Context<HonoEnv>): boolean =>
  (c.req.method === 'GET' || c.req.method === 'POST') &&
  canonicalPath.test(pathOf(c.req.url)) &&
  canonicalPath.test(pathOf(c.env?.incoming?.url ?? c.req.url))

/** From behind the authority, where a target names one, to the query. */
function pathOf(target: string): string {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3)
  const end = target.indexOf('?', start)
  return target.slice(start, end === -1 ? undefined : end)
}
