import type { Context } from 'hono'
import type { Logger } from 'pino'
import { catalogue, kindOf } from '../../shared/errors.ts'
import type { Failure } from '../../shared/failure.ts'
import { networkOf } from '../limits/ip-address.ts'
import type { SecurityEvents } from '../request/security-events.ts'
import { HookRefusal } from '../settings/hook-refusal.ts'
import type { HonoEnv } from './request-state.ts'

/** Writes one line of its own, with the request's id. */
export function logEvent<E extends keyof SecurityEvents>(
  c: Context<HonoEnv>,
  log: Logger,
  event: E,
  facts: SecurityEvents[E],
): void {
  const state = c.get('state')
  state.isEventLogged = true
  const network = networkOf(state.client?.address ?? '')
  const line: object = { event, requestId: state.id, network, ...facts }
  log.info(line, 'security event')
  state.observer?.event(event, state.route, 'reason' in facts ? facts.reason : undefined)
}

/** Logs rate limits and refusals of any call, unless its use case already logged an event, as a sign-in does. */
export function logFailure(c: Context<HonoEnv>, log: Logger, error: Failure | HookRefusal): void {
  const { route, userId, isEventLogged } = c.get('state')
  if (isEventLogged) return
  if (error instanceof HookRefusal) {
    if (error.status === 403) logEvent(c, log, 'permission-refused', { userId, route, reason: 'APPLICATION' })
    return
  }
  const { failure } = error
  if (failure === 'TOO_MANY_REQUESTS') logEvent(c, log, 'request-throttled', { userId, route })
  // A missing permission may be a 401 on the wire, and a 403 of another kind still shows that somebody tried.
  else if (kindOf(failure) === 'forbidden' || catalogue[failure].status === 403)
    logEvent(c, log, 'permission-refused', { userId, route, reason: failure })
}
