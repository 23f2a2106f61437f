import type { Input } from '../../shared/contract/call.ts'
import type { submitNewPassword } from '../../shared/contract/page.ts'
import * as calls from '../../shared/contract/page.ts'
import { Failure } from '../../shared/failure.ts'
import type { Deps } from '../deps.ts'
import { resetPassword } from '../domain/password/reset-password.ts'
import { type Mount, Redirect } from '../http/mount.ts'
import { type LandingName, refusals } from '../pages/landing-texts.ts'
import type { ResetForm } from '../pages/reset-password.tsx'
import type { Client } from '../request.ts'

/** React is loaded for the first page that a browser asks for, never before. */
const landing = async (name: LandingName, error?: string): Promise<string> =>
  (await import('../pages/landing.tsx')).renderLanding(name, error)

const form = async ({ config }: Deps, state: ResetForm): Promise<string> =>
  (await import('../pages/reset-password.tsx')).renderResetForm(config, state)

export const pageRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    verified: ({ input }) => landing('verified', input.error),
    emailChanged: ({ input }) =>
      landing(deps.config.REQUIRE_EMAIL_VERIFICATION ? 'emailAgreed' : 'emailChanged', input.error),
    deleted: ({ input }) => landing('deleted', input.error),
    passwordChanged: () => landing('reset'),
    askNewPassword: ({ input: { token, error } }) =>
      error === undefined ? form(deps, { token }) : landing('reset', error),
    submitNewPassword: async ({ client, input, reply }) => {
      const failure = await submit(deps, client, input)
      if (!failure) return new Redirect(`${deps.config.BASE_PATH}/page/password-changed`)
      reply.refuse(failure)
      const isOver = failure.failure === 'RESET_TOKEN_INVALID'
      return form(deps, { token: isOver ? undefined : input.token, failure })
    },
  })

/** Why nothing was set, where the page can tell it; other failures stay what they are. */
async function submit(deps: Deps, client: Client, input: Input<typeof submitNewPassword>) {
  const { newPassword, newPasswordAgain = newPassword, token } = input
  if (newPassword !== newPasswordAgain) return new Failure('INVALID_BODY')
  try {
    await resetPassword(deps, client, { newPassword, token })
    return null
  } catch (error) {
    if (error instanceof Failure && (error.failure in refusals || error.failure === 'RESET_TOKEN_INVALID')) return error
    throw error
  }
}
