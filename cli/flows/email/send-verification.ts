import { isAddressProven, type Me, signedInUser } from '../account/me.ts'
import type { Flow } from '../flow.ts'
import { type Verification, verificationFields } from './verification.ts'
import { nextByMail } from './verify.ts'

/** To the own address. */
export const sendVerification: Flow<Me, Readonly<Record<never, never>>, unknown, Verification> = {
  command: 'account email verify --send',
  summary: 'Ask for a mail with a link that verifies the own address',
  title: 'Mail a link to verify the address',
  writes: true,
  needsSession: true,
  subject: signedInUser,
  fields: {},
  call: '/send-verification-email',
  answer: verificationFields,
  examples: ['--send'],
  disabledReason: ([me]) => (me && isAddressProven(me) ? 'the address is verified already' : undefined),
  run: async (ports, me) => {
    const { email, emailVerified } = me.user
    const resource = { email, emailVerified, signedIn: true }
    if (isAddressProven(me)) return { sentence: `${email} is verified already`, status: 'unchanged', resource }
    const { api, server } = await ports.signedIn()
    await api.email.sendVerificationEmail({ email })
    const sentence = `A mail with a link is on its way to ${email}`
    return { sentence, status: 'planned', resource, ...nextByMail(server, 'Open its link') }
  },
}
