import type { Context } from 'hono'
import { hasPlatformPermission } from '../../shared/contract/admin.ts'
import { hasPermission } from '../../shared/contract/organization.ts'
import type { Freshness } from '../request/freshness.ts'
import type { Edge } from './edge.ts'
import type { HonoEnv } from './request-state.ts'

/** The POST calls that only read. */
const reads: ReadonlySet<string> = new Set([hasPermission.path, hasPlatformPermission.path])

/** How recent the lists of this request have to be. Only cookies keep what the caller wrote last. */
export function freshnessOf(c: Context<HonoEnv>, { replica, cookies }: Edge): Freshness {
  if (!replica || !keepsCookies(c)) return 'primary'
  const after = cookies.readPosition(c.req.header('cookie') ?? '')
  return after === undefined ? 'primary' : { after }
}

const keepsCookies = (c: Context<HonoEnv>): boolean => c.req.header('authorization') === undefined

/**
 * Lets the caller find in the next list what this request wrote, at whichever service and replica. A text that is no
 * position leads to the primary: when the position is unknown, and when nobody knows what was written.
 */
export async function keepPosition(c: Context<HonoEnv>, { replica, cookies }: Edge, response: Response): Promise<void> {
  if (!replica || !keepsCookies(c) || !mayHaveWritten(c, response.status)) return
  const position = response.status < 500 ? await replica.markNow().catch(() => 'unknown') : 'unknown'
  response.headers.append('Set-Cookie', cookies.position(position))
}

/** A refusal wrote nothing, unless it says so; with an error of ours or of the database nobody knows. */
function mayHaveWritten(c: Context<HonoEnv>, status: number): boolean {
  const { hasWritten, route } = c.get('state')
  if (hasWritten) return true
  return c.req.method === 'POST' && (status < 400 || status >= 500) && !reads.has(route)
}
