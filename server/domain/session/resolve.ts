import type { Config } from '../../config.ts'
import { digestOf } from '../../crypto/token.ts'
import { retryRead } from '../../db/outage.ts'
import {
  deleteExpiredSession,
  extendSession,
  type FoundSession,
  findSession,
  type Lifetimes,
} from '../../db/sessions.ts'
import type { Deps } from '../../deps.ts'
import type { ResolvedSession } from '../../request/client.ts'

export interface ResolveOptions {
  /** False for a do-not-remember cookie or `disableRefresh`. */
  readonly mayExtend: boolean
}

/** The session of a token, in one statement; a second one only when it has expired or is due to be extended. */
export async function resolveSession(
  deps: Deps,
  token: string,
  { mayExtend }: ResolveOptions,
): Promise<ResolvedSession | null> {
  const lifetimes = lifetimesOf(deps.config)
  const found = await retryRead(() => findSession(deps.sql, digestOf(token), lifetimes))
  if (!found || found.isExpired) {
    deps.provenSessions.delete(token)
    if (found) await deleteExpiredSession(deps.sql, found.session.id)
    return null
  }
  deps.provenSessions.add(token)
  const resolved = resolvedOf(found, token)
  return found.isDue && mayExtend && deps.config.SESSION_REFRESH ? extend(deps, resolved, lifetimes) : resolved
}

const lifetimesOf = (config: Config): Lifetimes => ({
  expiresIn: config.SESSION_EXPIRES_IN,
  updateAge: config.SESSION_UPDATE_AGE,
  maxAge: config.SESSION_MAX_AGE,
  freshAge: config.SESSION_FRESH_AGE,
})

const resolvedOf = (
  { session, user, isFresh, remembered, remaining }: FoundSession,
  token: string,
): ResolvedSession => ({
  caller: { session: { ...session, token }, user, isFresh },
  remembered,
  remaining,
  isExtended: false,
})

async function extend({ sql }: Deps, resolved: ResolvedSession, lifetimes: Lifetimes): Promise<ResolvedSession | null> {
  const { session, user, isFresh } = resolved.caller
  const extended = await extendSession(sql, session.id, lifetimes)
  if (!extended) return null
  const { remaining, ...times } = extended
  return { ...resolved, remaining, isExtended: true, caller: { user, isFresh, session: { ...session, ...times } } }
}
