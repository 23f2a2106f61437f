import type { SessionView } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client, ResolvedSession } from '../../request/client.ts'
import { tokenForHeader } from '../token/tokens.ts'
import { type CachedAnswer, encodeCache } from './cookie-cache.ts'
import { resolveToken } from './resolve.ts'

export interface GetSessionOptions {
  /**
   * The raw value of the cache cookie. Null without one, when the cache is off, or when the call asks for a fresh read.
   */
  readonly cache: string | null
  readonly mayExtend: boolean
}

/** `known` says where the session came from. Cookies are only written for a session that was read from the database. */
export type GetSessionResult =
  | { readonly known: 'nothing' }
  | { readonly known: 'ended' }
  | { readonly known: 'cache'; readonly answer: CachedAnswer['answer'] }
  | {
      readonly known: 'database'
      readonly view: SessionView
      readonly resolved: ResolvedSession
      readonly cache: string | null
      /** A token for other services. Null when none is sent. */
      readonly jwt: string | null
    }

/** Reads the signed cache when it is on and valid, otherwise one statement. */
export async function getSession(deps: Deps, client: Client, options: GetSessionOptions): Promise<GetSessionResult> {
  const { token } = client
  if (token === null) return { known: 'nothing' }
  const cached = client.isImported ? null : readCache(deps, token, options.cache)
  if (cached) {
    deps.provenSessions.add(token)
    return { known: 'cache', answer: cached.answer }
  }
  const askedAt = deps.now().getTime()
  const resolved = await resolveToken(deps, token, { mayExtend: options.mayExtend, client }).catch(refuse)
  if (!resolved) return { known: 'ended' }
  const jwt = await tokenForHeader(deps, resolved)
  return { known: 'database', view: resolved.caller, resolved, cache: makeCache(deps, resolved.caller, askedAt), jwt }
}

/** An outage is reported as an outage. It must never look like a sign-out. */
function refuse(cause: unknown): never {
  throw cause instanceof Failure ? cause : new Failure('SESSION_NOT_READ', { cause })
}

function readCache(
  { readCache: read, revocations, now }: Deps,
  token: string,
  text: string | null,
): CachedAnswer | null {
  if (text === null) return null
  const cached = read(text, token, now().getTime())
  return cached && !revocations.has(cached.sessionId) ? cached : null
}

/**
 * Machines get no cache because they keep no cookies. Impersonated sessions get none because they can end without this
 * process being notified. Nor do users with a value that answers have but tokens must not.
 * The copy is as old as the question: what is made of a late answer must not outlive the memory of a session's end.
 */
function makeCache({ config, keys, log }: Deps, view: Caller, askedAt: number): string | null {
  if (!config.COOKIE_CACHE || view.key || view.session.impersonatedBy !== null) return null
  const { answered, inTokens } = config.ownFields.user
  if (answered.some((name) => !inTokens.includes(name) && name in view.user.fields)) return null
  const { COOKIE_PREFIX: prefix, COOKIE_CACHE_MAX_AGE: life } = config
  const text = encodeCache(keys.cache, view, { now: askedAt, life, prefix, answered })
  if (text === null) log.warn({ sessionId: view.session.id }, 'session too large for the cookie cache')
  return text
}
