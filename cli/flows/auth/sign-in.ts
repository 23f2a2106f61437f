import { canonicalEmail } from '../../../shared/email.ts'
import type { User } from '../../../shared/entities.ts'
import { accountField, passwordField, serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { type Flow, noSubject } from '../flow.ts'

const fields = {
  email: accountField,
  password: passwordField,
  server: serverField,
  remember: {
    kind: 'toggle',
    label: 'Stay signed in',
    flag: '--no-remember',
    summary: 'a session that ends within a day',
    onlyInCommands: true,
  },
} as const

export const signIn: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-in',
  summary: 'Sign in and keep the session on this machine',
  title: 'Sign in',
  writes: true,
  needsSession: false,
  subject: noSubject,
  fields,
  call: '/sign-in/email',
  answer: userFields,
  examples: [
    'postern sign-in',
    'postern sign-in --email alice@example.com --password-file - < password.txt',
    'postern sign-in --token-file token.txt',
  ],
  initial: () => ({ remember: true }),
  run: async (ports, _, { server, password, remember, ...values }) => {
    const account = { server, email: canonicalEmail(values.email) }
    // With the cookie that is there already: the service then ends the session that this one replaces.
    const { api } = await ports.asAccount(account)
    const { user } = await api.account.signInEmail({ email: account.email, password, rememberMe: remember })
    await ports.kept.use(account)
    return { sentence: `Signed in as ${user.email}`, status: 'created', resource: user, leadsHome: true }
  },
}
