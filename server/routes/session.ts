import * as calls from '../../shared/contract/session.ts'
import type { SessionView } from '../../shared/entities.ts'
import type { Deps } from '../deps.ts'
import type { WireSession } from '../domain/session/cookie-cache.ts'
import { listDeviceSessions, revokeDeviceSession, setActiveSession } from '../domain/session/device-sessions.ts'
import { type GetSessionResult, getSession } from '../domain/session/get-session.ts'
import {
  listSessions,
  revokeOtherSessions,
  revokeSession,
  revokeSessions,
  updateSession,
} from '../domain/session/sessions.ts'
import { issuedFrom } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Mount } from '../http/mount.ts'
import type { Reply } from '../http/reply.ts'
import type { EncodedAnswer } from '../request/encoded-answer.ts'

export const sessionRoutes = (mount: Mount, deps: Deps, cookies: Cookies) =>
  mount(calls, {
    getSession: async ({ client, cookieHeader, input, reply }) => {
      const mayReadCache = deps.config.COOKIE_CACHE && input.disableCookieCache !== 'true'
      const cache = mayReadCache ? cookies.readRaw(cookieHeader, 'session_data') : null
      const got = await getSession(deps, client, { cache, mayExtend: input.disableRefresh !== 'true' })
      return setSessionCookies(got, reply, cookies, deps.config.COOKIE_CACHE_MAX_AGE)
    },
    updateSession: async ({ caller, client, input, resolved, reply }) => {
      const answer = await updateSession(deps, client, caller, input)
      reply.reissue(resolved)
      return answer
    },
    listSessions: ({ caller }) => listSessions(deps, caller),
    revokeSession: ({ caller, client, input }) => revokeSession(deps, client, caller, input),
    revokeSessions: ({ caller, client }) => revokeSessions(deps, client, caller),
    revokeOtherSessions: ({ caller, client }) => revokeOtherSessions(deps, client, caller),
    listDeviceSessions: async ({ client, cookieHeader, reply }) => {
      const { answer, ended } = await listDeviceSessions(deps, client)
      for (const line of ended.flatMap((token) => cookies.forget(cookieHeader, token))) reply.setCookie(line)
      return [...answer]
    },
    setActiveSession: async ({ client, input, cookieHeader, resolved, reply }) => {
      const chosen = await setActiveSession(deps, client, input)
      reply.reissue(chosen)
      // It began before the setting allowed several, and would be lost.
      if (resolved) for (const line of cookies.keep(cookieHeader, issuedFrom(resolved))) reply.setCookie(line)
      return chosen.caller
    },
    revokeDeviceSession: async ({ client, input, cookieHeader, reply }) => {
      const { token, next } = await revokeDeviceSession(deps, client, input)
      if (next) reply.reissue(next)
      if (next === null) reply.clear()
      for (const line of cookies.forget(cookieHeader, token)) reply.setCookie(line)
      return { status: true }
    },
  })

/** Sets the cookies that belong to the answer of get-session. */
function setSessionCookies(
  got: GetSessionResult,
  reply: Reply,
  cookies: Cookies,
  cacheAge: number,
): SessionView | EncodedAnswer<WireSession> | null {
  if (got.known === 'nothing') return null
  if (got.known === 'cache') return got.answer
  if (got.known === 'ended') {
    reply.clear()
    return null
  }
  reply.renew(got.resolved)
  if (got.jwt !== null) reply.sendToken(got.jwt)
  if (got.cache !== null)
    reply.setCookie(cookies.write('session_data', got.cache, got.resolved.remembered ? cacheAge : null))
  return got.view
}
