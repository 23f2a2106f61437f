import * as calls from '../../shared/contract/password.ts'
import type { Deps } from '../deps.ts'
import { changePassword } from '../domain/password/change-password.ts'
import { forgetPassword } from '../domain/password/forget-password.ts'
import { openResetLink } from '../domain/password/open-reset-link.ts'
import { resetPassword } from '../domain/password/reset-password.ts'
import { setPassword } from '../domain/password/set-password.ts'
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
