import type { Context } from 'hono'
import type { HonoEnv } from './request-state.ts'

/** Only plain characters: one spelling per call, so that no encoding slips past a limit or a rule. */
const canonicalPath = /^(\/[A-Za-z0-9._~-]+)+$/

/** Whether a request can be a call at all: one of the two methods, and the one spelling of its path. */
export const isCanonical = (c: Context<HonoEnv>): boolean =>
  (c.req.method === 'GET' || c.req.method === 'POST') && canonicalPath.test(rawPath(c.req.url))

/** The path as it was sent: from behind the authority to the query. */
function rawPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return url.slice(start, end === -1 ? undefined : end)
}
