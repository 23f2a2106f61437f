import { canonicalEmail } from '../../../shared/email.ts'
import { accountField, serverField } from '../account/fields.ts'
import { type Flow, noSubject } from '../flow.ts'
import { formOf } from '../form.ts'
import { resetPassword } from './reset.ts'

const fields = { email: accountField, server: serverField } as const

export const forgotPassword: Flow<undefined, typeof fields, unknown, { readonly email: string }> = {
  command: 'account password forgot',
  summary: 'Ask for a mail with a link to set a new password',
  title: 'Forgot the password',
  writes: true,
  needsSession: false,
  subject: noSubject,
  fields,
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
