import { Failure } from '../../../shared/failure.ts'
import { isMachineKey } from '../../../shared/key-text.ts'
import type { Config } from '../../config.ts'
import { digestOf } from '../../crypto/token.ts'
import { retryRead } from '../../db/outage.ts'
import { type FoundSession, findSession } from '../../db/session-look-up.ts'
import { deleteExpiredSession, extendSession, type Lifetimes, recordSessionSecret } from '../../db/sessions.ts'
import type { Deps } from '../../deps.ts'
import type { Client, ResolvedSession, ResolveOptions } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { resolveKey } from '../key/resolve-key.ts'

/** Resolves a token, which is either a key or a session's. */
export const resolveToken = (deps: Deps, token: string, options: ResolveOptions): Promise<ResolvedSession | null> =>
  isMachineKey(token) ? resolveKey(deps, token, options.client) : resolveSession(deps, token, options)

/** How the token came. */
type Bearer = Pick<Client, 'isOutdated' | 'isImported' | 'isForgetful'>
type SessionOptions = Omit<ResolveOptions, 'client'> & { readonly client: Bearer }

/**
 * The session of a token in one statement. A second one runs only when the session has expired or is due for extension.
 * That can wait: a database that takes no writes signs nobody out.
 */
export async function resolveSession(
  deps: Deps,
  token: string,
  options: SessionOptions,
): Promise<ResolvedSession | null> {
  const { mayExtend, client } = options
  const found = await lookUp(deps, token, options)
  if (!found || found.isExpired) {
    deps.provenSessions.delete(token)
    if (found) await deps.optionalWrite(() => deleteExpiredSession(deps.sql, found.session.id))
    return null
  }
  deps.provenSessions.add(token)
  if (!found.isSponsored) throw new Failure('SPONSOR_GONE')
  const resolved = resolvedOf(found, token)
  if (found.isDue && mayExtend && !client.isForgetful && deps.config.SESSION_REFRESH) return extend(deps, resolved)
  return client.isOutdated ? renew(deps, found, resolved, client) : resolved
}

/** Null, too, when another service gave out the token and its session did not move in. */
async function lookUp(
  { sql, config, provenSessions }: Deps,
  token: string,
  { client: { isImported }, along }: SessionOptions,
): Promise<FoundSession | null> {
  const [hash, lifetimes] = [digestOf(token), lifetimesOf(config)]
  // An invented token gets no more done than its look-up, so that only that can fail or wait.
  const read = provenSessions.has(token) ? along : undefined
  const found = await retryRead(() => findSession(sql, hash, lifetimes, read))
  return isImported && !found?.isImported ? null : found
}

/**
 * Issues the session again when an older secret or another service signed its token. This is stored once per session
 * and secret, whether or not the client keeps the new cookie. The token stays the same, so that requests which are
 * under way with the old cookie stay signed in. Only its cookie told that a session of better-auth ends with the
 * browser.
 */
async function renew(
  { sql, keys, optionalWrite }: Deps,
  { session, secretLabel }: FoundSession,
  resolved: ResolvedSession,
  client: Bearer,
): Promise<ResolvedSession> {
  const remembered = resolved.remembered && !(client.isImported && client.isForgetful)
  const { label } = keys.cookie
  const isStored = secretLabel?.equals(label) && remembered === resolved.remembered
  const record = () => recordSessionSecret(sql, session.id, { label, remembered })
  if (!isStored && (await optionalWrite(record)) === undefined) return resolved
  return { ...resolved, remembered, isRenewed: true }
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
    key: trustId === null ? null : { id: trustId, scopes: null, isKey: false, rotatesItself: false },
  },
  organization,
  remembered,
  remaining,
  isRenewed: false,
})

async function extend(deps: Deps, resolved: ResolvedSession): Promise<ResolvedSession | null> {
  const { session, ...who } = resolved.caller
  const lifetimes = { ...lifetimesOf(deps.config), secretLabel: deps.keys.cookie.label }
  const extended = await deps.optionalWrite(() => extendSession(deps.sql, session.id, lifetimes))
  if (extended === undefined) return resolved
  if (extended === null) return null
  const { remaining, ...times } = extended
  return { ...resolved, remaining, isRenewed: true, caller: { ...who, session: { ...session, ...times } } }
}
