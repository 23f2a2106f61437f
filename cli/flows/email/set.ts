import { canonicalEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { type Me, signedInUser } from '../account/me.ts'
import { fullUserFields, type ShownUser, shownUser } from '../account/users.ts'
import type { Flow } from '../flow.ts'
import { nextByMail } from './verify.ts'

const fields = {
  newEmail: {
    kind: 'text',
    label: 'New address',
    argument: '<new>',
    summary: 'the new address',
    isEmail: true,
  },
} as const

/** A verified address is asked by mail first; another one gives way at once, or once the new one is verified. */
export const changeEmail: Flow<Me, typeof fields, unknown, ShownUser & { readonly newEmail: string }> = {
  command: 'account email set',
  summary: 'Change the address of the signed-in user',
  title: 'Change the e-mail address',
  writes: true,
  needsSession: true,
  subject: signedInUser,
  fields,
  call: '/change-email',
  answer: { ...fullUserFields, newEmail: 'text' },
  examples: ['alice@example.org', 'alice@example.org --json'],
  note: ({ user: { email, emailVerified } }) =>
    emailVerified
      ? `${email} is verified: a mail to it asks for consent, and it stays the address until its link is opened.`
      : `${email} is not verified: the new one takes its place at once, or where the service asks for it once it is verified.`,
  run: async (ports, _, values) => {
    const newEmail = canonicalEmail(values.newEmail)
    const { api, server } = await ports.signedIn()
    await api.email.changeEmail({ newEmail })
    // Asked, not guessed: the address may have been verified elsewhere meanwhile.
    const { user } = await ports.session({ disableCookieCache: 'true' })
    const resource = { ...shownUser(user), newEmail }
    if (user.email !== newEmail) {
      const sentence = waitingFor(user, newEmail)
      return { sentence, status: 'planned', resource, ...nextByMail(server, 'Open the link in that mail') }
    }
    const current = await ports.current()
    if (current) await ports.accounts.rename(current, newEmail)
    const next = nextByMail(server, 'Verify it with the link in the mail to it')
    return { sentence: `The address is now ${newEmail}`, status: 'updated', resource, ...next }
  },
}

const waitingFor = ({ email, emailVerified }: Pick<FullUser, 'email' | 'emailVerified'>, newEmail: string): string =>
  emailVerified
    ? `Mailed ${email} for consent; it stays the address until then`
    : `Mailed ${newEmail}; ${email} stays the address until the link in that mail is opened`
