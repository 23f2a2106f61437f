import { canonicalEmail } from '../../../shared/email.ts'
import { emailField, serverField } from '../account/fields.ts'
import { type Flow, noSubject } from '../flow.ts'
import { type Verification, verificationFields } from './verification.ts'
import { nextByMail } from './verify.ts'

const fields = {
  email: { ...emailField, summary: 'with --send: the address; default: the own one' },
  server: serverField,
} as const

/** To any address, as nobody. */
export const mailVerification: Flow<undefined, typeof fields, unknown, Verification> = {
  command: 'account email verify --send',
  summary: 'Ask for a mail with a link that verifies an address',
  title: 'Mail a link to verify an address',
  writes: true,
  needsSession: false,
  subject: noSubject,
  fields,
  call: '/send-verification-email',
  answer: verificationFields,
  examples: ['--send --email alice@example.com'],
  run: async (ports, _, values) => {
    const email = canonicalEmail(values.email)
    const { api, server } = await ports.asNobody(values.server)
    await api.email.sendVerificationEmail({ email })
    return {
      // The service tells nobody which addresses it knows.
      sentence: `If ${email} has an account that is not verified, a mail is on its way`,
      status: 'planned',
      resource: { email, emailVerified: false, signedIn: await ports.isSignedIn() },
      ...nextByMail(server, 'Open its link'),
    }
  },
}
