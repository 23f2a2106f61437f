import * as calls from '../../shared/contract/account.ts'
import type { Deps } from '../deps.ts'
import { signIn } from '../domain/account/sign-in.ts'
import { signOut } from '../domain/account/sign-out.ts'
import { signUp } from '../domain/account/sign-up.ts'
import { deleteByLink, deleteUser, updateUser } from '../domain/account/user.ts'
import { exportAccount } from '../domain/support/person-data.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Mount } from '../http/mount.ts'
import { toldFields } from '../settings/own-field-schema.ts'
import { redirectBack } from './redirect-back.ts'

export const accountRoutes = (mount: Mount, deps: Deps, cookies: Cookies) =>
  mount(calls, {
    signUpEmail: async ({ client, input, reply }) => {
      const { answer, issued } = await signUp(deps, client, input)
      if (issued) reply.signIn(issued, 'email')
      return answer
    },
    signInEmail: async ({ client, input, reply }) => {
      const { answer, issued } = await signIn(deps, client, input)
      reply.signIn(issued, 'email')
      return answer
    },
    signOut: async ({ client, cookieHeader, reply }) => {
      // Clears cookies even without a session, because a cookie that no longer works should not stay. An outage leaves
      // them.
      if (client.token === null) reply.clear()
      const answer = await signOut(deps, client)
      reply.clear()
      for (const line of cookies.forgetAll(cookieHeader)) reply.setCookie(line)
      return answer
    },
    updateUser: async ({ caller, client, resolved, input, reply }) => {
      const answer = await updateUser(deps, client, caller, input)
      reply.reissue(resolved)
      return answer
    },
    listFields: () => [...toldFields(deps.config.ownFields)],
    exportAccount: ({ client, caller }) => exportAccount(deps, client, caller),
    deleteUser: async ({ caller, client, input, reply }) => {
      const { answer, isDeleted } = await deleteUser(deps, client, caller, input)
      if (isDeleted) reply.clearAll()
      return answer
    },
    deleteUserCallback: ({ caller, client, input, reply }) =>
      redirectBack(input.callbackURL, async () => {
        const { answer } = await deleteByLink(deps, client, caller, input.token)
        reply.clearAll()
        return answer
      }),
  })
