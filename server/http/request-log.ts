import type { Context } from 'hono'
import type { Logger } from 'pino'
import { networkOf } from '../limits/ip-address.ts'
import type { HonoEnv } from './request-state.ts'

/** Called every second by monitoring: logged at level debug only. */
const probes = new Set(['/ok', '/ready'])

/** One line per request. Only named fields: no body, cookie, query, token or email address can get in. */
export function logRequest(c: Context<HonoEnv>, log: Logger, status: number): void {
  const { id, startedAt, route, userId, client, cause } = c.get('state')
  const [level, text] = toldAs(route, status)
  if (!log.isLevelEnabled(level)) return
  const ms = Math.round((performance.now() - startedAt) * 10) / 10
  const network = networkOf(client?.address ?? '')
  const line = { requestId: id, method: c.req.method, route, status, ms, network, userId: userId ?? undefined }
  log[level](status >= 500 && level !== 'debug' ? { ...line, err: cause } : line, text)
}

function toldAs(route: string, status: number): readonly ['debug' | 'info' | 'warn' | 'error', text: string] {
  if (probes.has(route)) return ['debug', 'probe']
  if (status === 503) return ['warn', 'request refused']
  return status >= 500 ? ['error', 'request failed'] : ['info', 'request']
}
