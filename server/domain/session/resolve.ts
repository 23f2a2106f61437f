import { Failure } from '../../../shared/failure.ts'
import { isMachineKey } from '../../../shared/key-text.ts'
import type { Config } from '../../config.ts'
import { digestOf } from '../../crypto/token.ts'
import { retryRead } from '../../db/outage.ts'
import { type FoundSession, findSession } from '../../db/session-look-up.ts'
import { deleteExpiredSession, extendSession, type Lifetimes } from '../../db/sessions.ts'
import type { Deps } from '../../deps.ts'
import type { ResolvedSession, ResolveOptions } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { resolveKey } from '../key/resolve-key.ts'

/** Who a token stands for: a key, or a session. */
export const resolveToken = (deps: Deps, token: string, options: ResolveOptions): Promise<ResolvedSession | null> =>
  isMachineKey(token) ? resolveKey(deps, token, options.client) : resolveSession(deps, token, options)

/** The session of a token, in one statement; a second one only when it has expired or is due to be extended. */
export async function resolveSession(
  deps: Deps,
  token: string,
  { mayExtend }: Pick<ResolveOptions, 'mayExtend'>,
): Promise<ResolvedSession | null> {
  const lifetimes = lifetimesOf(deps.config)
  const found = await retryRead(() => findSession(deps.sql, digestOf(token), lifetimes))
  if (!found || found.isExpired) {
    deps.provenSessions.delete(token)
    if (found) await deleteExpiredSession(deps.sql, found.session.id)
    return null
  }
  deps.provenSessions.add(token)
  if (!found.isSponsored) throw new Failure('SPONSOR_GONE')
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
  { session, user, organization, isFresh, remembered, remaining, trustId }: FoundSession,
  token: string,
): ResolvedSession => ({
  caller: {
    session: { ...session, token },
    user,
    provenAddress: ProvenAddress.ofSession(session, user),
    isFresh,
    key: trustId === null ? null : { id: trustId, scopes: null, isKey: false },
  },
  organization,
  remembered,
  remaining,
  isExtended: false,
})

async function extend({ sql }: Deps, resolved: ResolvedSession, lifetimes: Lifetimes): Promise<ResolvedSession | null> {
  const { session, ...who } = resolved.caller
  const extended = await extendSession(sql, session.id, lifetimes)
  if (!extended) return null
  const { remaining, ...times } = extended
  return { ...resolved, remaining, isExtended: true, caller: { ...who, session: { ...session, ...times } } }
}
