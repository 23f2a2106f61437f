import * as calls from '../../shared/contract/admin.ts'
import type { Deps } from '../deps.ts'
import { listUsers } from '../domain/admin/list-users.ts'
import { hasPlatformPermission } from '../domain/admin/permission.ts'
import { getUser, updateManagedUser } from '../domain/admin/profiles.ts'
import {
  impersonateUser,
  listUserSessions,
  revokeUserSession,
  revokeUserSessions,
  stopImpersonating,
} from '../domain/admin/sessions.ts'
import { banUser, createUser, removeUser, setRole, setUserPassword, unbanUser } from '../domain/admin/users.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Mount } from '../http/mount.ts'
import { answerPart } from './answer-list.ts'

export const adminRoutes = (mount: Mount, deps: Deps, cookies: Cookies) =>
  mount(calls, {
    listUsers: ({ caller, input, reply, freshness }) => answerPart(reply, listUsers(deps, caller, input, freshness)),
    getUser: ({ caller, input }) => getUser(deps, caller, input),
    updateManagedUser: ({ client, caller, input }) => updateManagedUser(deps, client, caller, input),
    createUser: ({ client, caller, input }) => createUser(deps, client, caller, input),
    setRole: ({ client, caller, input }) => setRole(deps, client, caller, input),
    banUser: ({ client, caller, input }) => banUser(deps, client, caller, input),
    unbanUser: ({ client, caller, input }) => unbanUser(deps, client, caller, input),
    impersonateUser: async ({ client, caller, input, cookieHeader, reply }) => {
      const { answer, issued } = await impersonateUser(deps, client, caller, input)
      reply.issue(issued)
      const { token } = caller.session
      // A client that sent the token as a bearer token still has it, so it needs no cookie.
      if (cookies.read(cookieHeader, 'session_token') === token)
        reply.setCookie(cookies.keepAdmin({ token, impersonationId: answer.session.id }))
      return answer
    },
    stopImpersonating: async ({ client, caller, cookieHeader, reply }) => {
      const { answer, resumed } = await stopImpersonating(deps, client, caller, cookies.readAdmin(cookieHeader))
      if (resumed) reply.reissue(resumed)
      else reply.clear()
      for (const line of cookies.clearAdmin(cookieHeader)) reply.setCookie(line)
      return answer
    },
    listUserSessions: ({ caller, input }) => listUserSessions(deps, caller, input),
    revokeUserSession: ({ client, caller, input }) => revokeUserSession(deps, client, caller, input),
    revokeUserSessions: ({ client, caller, input }) => revokeUserSessions(deps, client, caller, input),
    removeUser: ({ client, caller, input }) => removeUser(deps, client, caller, input),
    setUserPassword: ({ client, caller, input }) => setUserPassword(deps, client, caller, input),
    hasPlatformPermission: ({ caller, input }) => hasPlatformPermission(deps, caller, input),
  })
