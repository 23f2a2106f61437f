import * as calls from '../../shared/contract/email.ts'
import type { Deps } from '../deps.ts'
import { changeEmail } from '../domain/email/change-email.ts'
import { sendVerificationEmail, verifyEmail } from '../domain/email/verify-email.ts'
import type { Mount } from '../http/mount.ts'
import { redirectBack } from './redirect-back.ts'

export const emailRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    sendVerificationEmail: ({ caller, client, input }) => sendVerificationEmail(deps, client, caller, input),
    verifyEmail: ({ client, resolved, input, reply }) =>
      redirectBack(input.callbackURL, async () => {
        const { answer, issued, isReissued } = await verifyEmail(deps, client, resolved, input)
        if (issued) reply.issue(issued)
        else if (isReissued && resolved) reply.reissue(resolved)
        return answer
      }),
    changeEmail: async ({ caller, client, resolved, input, reply }) => {
      const answer = await changeEmail(deps, client, caller, input)
      reply.reissue(resolved)
      return answer
    },
  })
