import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { HonoEnv } from './request-state.ts'

/** Called every second by monitoring: logged at level debug only. */
const probes = new Set(['/ok', '/ready'])

/** One line per request. Only named fields: no body, cookie, query, token or address of a person can get in. */
export function logRequest(c: Context<HonoEnv>, log: Logger, status: number): void {
  const { id, startedAt, route, cause } = c.get('state')
  const ms = Math.round((performance.now() - startedAt) * 10) / 10
  const line = { requestId: id, method: c.req.method, route, status, ms }
  if (probes.has(route)) log.debug(line, 'probe')
  else if (status === 503) log.warn({ ...line, err: cause }, 'request refused')
  else if (status >= 500) log.error({ ...line, err: cause }, 'request failed')
  else log.info(line, 'request')
}
