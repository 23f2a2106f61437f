import type { Input } from '../../shared/contract/call.ts'
import type { submitNewPassword } from '../../shared/contract/page.ts'
import * as calls from '../../shared/contract/page.ts'
import { Failure } from '../../shared/failure.ts'
import { inputProblem } from '../../shared/input-problem.ts'
import type { Deps } from '../deps.ts'
import { resetPassword } from '../domain/password/reset-password.ts'
import { type Mount, Redirect } from '../http/mount.ts'
import { baseOf } from '../mail/service-address.ts'
import { formSentences, type LandingName } from '../pages/landing-texts.ts'
import type { ResetForm } from '../pages/reset-password.tsx'
import type { Client } from '../request/client.ts'
import { openLink, submitLink } from './opened-link.ts'

/** React is loaded for the first page that a browser asks for, never before. */
const landing = async ({ config }: Deps, name: LandingName, error?: string): Promise<string> =>
  (await import('../pages/landing.tsx')).renderLanding(baseOf(config), name, error)

const form = async ({ config }: Deps, state: ResetForm): Promise<string> =>
  (await import('../pages/reset-password.tsx')).renderResetForm(config, state)

export const pageRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    verified: ({ input }) => landing(deps, 'verified', input.error),
    emailChanged: ({ input }) =>
      landing(deps, deps.config.REQUIRE_EMAIL_VERIFICATION ? 'emailAgreed' : 'emailChanged', input.error),
    deleted: ({ input }) => landing(deps, 'deleted', input.error),
    invitation: async ({ input }) => (await import('../pages/invitation.tsx')).renderInvitation(deps.config, input.id),
    signUpRemoved: ({ input }) => landing(deps, 'signUpRemoved', input.error),
    openVerification: ({ client, resolved, input }) => openLink(deps, client, resolved, input),
    submitVerification: ({ client, input, reply }) => submitLink(deps, client, input, reply),
    passwordChanged: () => landing(deps, 'reset'),
    askNewPassword: ({ input: { token, error } }) =>
      error === undefined ? form(deps, { token }) : landing(deps, 'reset', error),
    submitNewPassword: async ({ client, input, reply }) => {
      const { failure, mark = null } = await submit(deps, client, input)
      reply.mark(mark)
      if (!failure) return new Redirect(`${deps.config.BASE_PATH}/page/password-changed`)
      reply.refuse(failure)
      const isOver = failure.failure === 'RESET_TOKEN_INVALID'
      return form(deps, { token: isOver ? undefined : input.token, failure })
    },
  })

const notTheSame = new Failure('INVALID_BODY', {
  details: [inputProblem(['newPasswordAgain'], 'the same as newPassword')],
})

/** The client's mark, or the failure where the page has a sentence for it; other failures are thrown on. */
async function submit(deps: Deps, client: Client, input: Input<typeof submitNewPassword>) {
  const { newPassword, newPasswordAgain = newPassword, token } = input
  if (newPassword !== newPasswordAgain) return { failure: notTheSame }
  try {
    return { failure: null, mark: (await resetPassword(deps, client, { newPassword, token })).mark }
  } catch (error) {
    if (error instanceof Failure && (error.failure in formSentences || error.failure === 'RESET_TOKEN_INVALID'))
      return { failure: error }
    throw error
  }
}
