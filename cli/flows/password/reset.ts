import { linkArgument, newPasswordField, serverField } from '../account/fields.ts'
import { signIn } from '../auth/sign-in.ts'
import type { Flow } from '../flow.ts'
import { formOf } from '../form.ts'
import { openLink, tokenIn } from '../links/mailed-link.ts'

/** Whose password it is, where that is known: the link does not say. */
interface Forgetful {
  readonly email?: string
}

const fields = {
  link: { ...linkArgument, purpose: 'reset' },
  newPassword: newPasswordField,
  server: serverField,
} as const

export const resetPassword: Flow<Forgetful, typeof fields, unknown, { readonly sessions: string }> = {
  command: 'account password reset',
  summary: 'Set a new password by the link of a mail; ends every session',
  title: 'Set a new password by a link',
  writes: true,
  needsSession: false,
  subject: { finder: async () => () => ({}), words: () => ({}) },
  fields,
  call: '/reset-password',
  answer: { sessions: 'text' },
  examples: ['"http://localhost:4100/api/auth/reset-password/Wm3nT…"', '- --password-file new.txt < link.txt'],
  note: () => 'Every session of the account ends, on all devices.',
  run: async (ports, known, { link, newPassword, ...values }) => {
    const { api, server } = await ports.asNobody(values.server)
    const token = await tokenIn(link, 'reset', server)
    await openLink(() => api.password.resetPassword({ token, newPassword }), 'postern account password forgot')
    return {
      sentence: 'Set the new password and ended every session',
      status: 'updated',
      resource: { sessions: 'all' },
      next: formOf(signIn, { subjects: [undefined], given: { server, ...known } }),
      nextWords: 'Sign in with it',
    }
  },
}
