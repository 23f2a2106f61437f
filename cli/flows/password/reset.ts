import { canonicalEmail } from '../../../shared/email.ts'
import { accountField, linkArgument, newPasswordField, serverField } from '../account/fields.ts'
import { signIn } from '../auth/sign-in.ts'
import { type Flow, noSubject } from '../flow.ts'
import { formOf } from '../form.ts'
import { openLink, tokenIn } from '../mailed-links/mailed-link.ts'

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

const forgotPasswordFields = { email: accountField, server: serverField } as const

export const forgotPassword: Flow<undefined, typeof forgotPasswordFields, unknown, { readonly email: string }> = {
  command: 'account password forgot',
  summary: 'Ask for a mail with a link to set a new password',
  title: 'Forgot the password',
  writes: true,
  needsSession: false,
  subject: noSubject,
  fields: forgotPasswordFields,
  call: '/forget-password',
  answer: { email: 'text' },
  examples: ['--email alice@example.com'],
  run: async (ports, _, values) => {
    const email = canonicalEmail(values.email)
    const { api, server } = await ports.asNobody(values.server)
    await api.password.forgetPassword({ email })
    return {
      // The service tells nobody which addresses it knows.
      sentence: `If ${email} has an account, a mail is on its way`,
      status: 'planned',
      resource: { email },
      next: formOf(resetPassword, { subjects: [{ email }], given: { server } }),
      nextWords: 'Set a new password with its link',
    }
  },
}
