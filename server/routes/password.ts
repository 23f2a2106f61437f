import * as calls from '../../shared/contract/password.ts'
import type { Deps } from '../deps.ts'
import {
  changePassword,
  forgetPassword,
  openResetLink,
  resetPassword,
  setPassword,
} from '../domain/password/passwords.ts'
import { type Mount, Redirect } from '../http/mount.ts'

export const passwordRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    forgetPassword: ({ client, input }) => forgetPassword(deps, client, input),
    requestPasswordReset: ({ client, input }) => forgetPassword(deps, client, input),
    openResetLink: async ({ input }) => new Redirect(await openResetLink(deps, input.token, input.callbackURL)),
    resetPassword: async ({ client, input, reply }) => {
      const { answer, mark } = await resetPassword(deps, client, input)
      reply.mark(mark)
      return answer
    },
    changePassword: async ({ client, resolved, input, reply }) => {
      const { answer, issued, mark } = await changePassword(deps, client, resolved, input)
      if (issued) reply.issue(issued)
      reply.mark(mark)
      return answer
    },
    setPassword: ({ caller, client, input }) => setPassword(deps, client, caller, input),
  })
