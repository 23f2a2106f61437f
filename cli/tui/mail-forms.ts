import { canonicalEmail } from '../../shared/email.ts'
import { clientOf, connectionOf } from './acts.ts'
import { commandLine } from './commands.ts'
import type { Desk } from './desk.ts'
import { type Done, emailField, type FormPlan, linkField, newPasswordFields, serverField, textOf } from './form-plan.ts'
import { claimsIn, openLink, tokenIn } from './mailed-link.ts'
import type { StoredAccount } from './seam.ts'

const emailOf = (values: Readonly<Record<string, string>>): string => canonicalEmail(textOf(values, 'email'))

export const forgotPassword: FormPlan = {
  title: 'Forgot the password',
  fields: [emailField, serverField],
  command: (values) => commandLine('postern', 'account', 'password', 'forgot', '--email', emailOf(values) || 'E'),
  submit: async (desk, values) => {
    const [server, email] = [textOf(values, 'server'), emailOf(values)]
    const { api } = await desk.connect(server)
    await api.password.forgetPassword({ email })
    // The service tells nobody which addresses it knows.
    const sentence = `If ${email} has an account, a mail is on its way`
    return { sentence, next: { form: 'reset-password', values: { server, email } } }
  },
}

export const resetPassword: FormPlan = {
  title: 'Set a new password by a link',
  fields: [linkField, ...newPasswordFields, serverField],
  note: () => 'Every session of the account ends, on all devices.',
  command: () => commandLine('postern', 'account', 'password', 'reset', 'LINK'),
  submit: async (desk, { email, ...values }) => {
    const { api, server } = await desk.connect(textOf(values, 'server'))
    const token = await tokenIn(textOf(values, 'link'), 'reset', server)
    const newPassword = values['newPassword'] ?? ''
    await openLink(() => api.password.resetPassword({ token, newPassword }), '“Forgot the password” mails a new one.')
    const known = email === undefined ? { server } : { server, email }
    return { sentence: 'Set the new password and ended every session', next: { form: 'sign-in', values: known } }
  },
}

export const mailVerification: FormPlan = {
  title: 'Mail a link to verify an address',
  fields: [emailField, serverField],
  command: (values) =>
    commandLine('postern', 'account', 'email', 'verify', '--send', '--email', emailOf(values) || 'E'),
  submit: async (desk, values) => {
    const [server, email] = [textOf(values, 'server'), emailOf(values)]
    const { api } = await desk.connect(server)
    await api.email.sendVerificationEmail({ email })
    const sentence = `If ${email} has an account that is not verified, a mail is on its way`
    return { sentence, next: { form: 'verify-email', values: { server, email } } }
  },
}

export const verifyEmail: FormPlan = {
  title: 'Verify or change address by a link',
  fields: [linkField, serverField],
  command: () => commandLine('postern', 'account', 'email', 'verify', 'LINK'),
  submit: async (desk, values) => {
    const { server } = await desk.connect(textOf(values, 'server'))
    const token = await tokenIn(textOf(values, 'link'), 'verify', server)
    const { email, isChange } = await claimsIn(token)
    const person = { server, email, token }
    return isChange ? change(desk, person) : verify(desk, person)
  },
}

interface Mailed {
  readonly server: string
  /** Whom the mail went to. */
  readonly email: string
  readonly token: string
}

/** With the jar of the account of the link, whoever acts now: the answer may bring a session, and it belongs there. */
async function verify(desk: Desk, { server, email, token }: Mailed): Promise<Done> {
  const before = await storedAccount(desk, server, email)
  const { api } = before ? await clientOf(desk, before) : await desk.connect(server, email)
  await openLink(() => api.email.verifyEmail({ token }), 'Ask for a new mail: 2 has a form for it.')
  if (before) return { sentence: `Verified ${email}` }
  if (!(await storedAccount(desk, server, email))) {
    return { sentence: `Verified ${email}`, next: { form: 'sign-in', values: { server, email } } }
  }
  await desk.switchTo(server, email)
  return { sentence: `Verified ${email}. Signed in as it`, to: 'home' }
}

/** Only in a session of the user whom the mail went to; the new address is verified by a mail of its own. */
async function change(desk: Desk, { server, email, token }: Mailed): Promise<Done> {
  const account = (await storedAccount(desk, server, email)) ?? desk.state.current
  const { api } = account ? await clientOf(desk, account) : connectionOf(desk)
  const { user } = await openLink(() => api.email.verifyEmail({ token }), 'Change the address once more: 4.')
  if (!user) return { sentence: `Verified ${email}` }
  const next = { form: 'verify-email', values: { server } } as const
  // Where addresses have to be verified the new one is asked too, before it takes the place of the old one.
  if (user.email === email)
    return {
      sentence: `${email} agreed; it stays the address until the link in the mail to the new one is opened`,
      next,
    }
  if (account?.email === email) await desk.rename(account, user.email)
  if (user.emailVerified) return { sentence: `The address is now ${user.email}` }
  return { sentence: `The address is now ${user.email}. A mail to it holds the link that verifies it`, next }
}

async function storedAccount({ seam }: Desk, server: string, email: string): Promise<StoredAccount | undefined> {
  const { origin } = new URL(server)
  return (await seam.accounts()).find((account) => account.origin === origin && account.email === email)
}
