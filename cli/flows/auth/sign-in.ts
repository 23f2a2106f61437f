import { canonicalEmail } from '../../../shared/email.ts'
import type { User } from '../../../shared/entities.ts'
import { accountRefOf } from '../../accounts/accounts.ts'
import { accountField, passwordField, serverField, wrongPassword } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { type Flow, type FlowResult, noSubject } from '../flow.ts'
import type { endSession } from './sign-out.ts'

/** `isReplaced`: the service ended an earlier session here. People who took a token from it have to know. */
export const signedInResult = (user: User, isReplaced: boolean): FlowResult<User> => ({
  sentence: `Signed in as ${user.email}`,
  status: isReplaced ? 'updated' : 'created',
  resource: user,
  ...(isReplaced && {
    notes: ['It replaces the session that was here, which has ended with every token taken from it'],
  }),
})

const fields = {
  email: accountField,
  password: { ...passwordField, refusals: wrongPassword },
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
  isForAnyone: true,
  subject: noSubject,
  fields,
  call: '/sign-in/email',
  answer: userFields,
  examples: [
    '',
    '--email alice@example.com --password-file - < password.txt',
    '--email ci@example.com --password-file /run/secrets/password --if-signed-in skip',
    '--token-file token.txt',
  ],
  initial: () => ({ remember: true }),
  run: async (context, _, { server, password, remember, ...values }) => {
    const account = accountRefOf(server, canonicalEmail(values.email))
    // Sends the present cookie, so that the service ends the session that this one replaces.
    const { api, speaksByToken } = await context.asAccount(account, server)
    const [replaced, isToken] = [await context.accounts.token(account), speaksByToken()]
    const { user } = await api.account.signInEmail({ email: account.email, password, rememberMe: remember })
    await context.accounts.choose(account)
    // One that was kept as a token was not sent, because a token is not replaced by a cookie.
    const failure = isToken && replaced ? await endToken(() => context.withToken(server, replaced)) : undefined
    const result = signedInResult(user, replaced !== undefined && !failure)
    return { ...result, ...(failure && { notes: [livesOn] }), leadsHome: true }
  },
}

const livesOn = 'The session that was here could not be ended: it stays valid until it expires, or is revoked'

/** Loaded for this alone, after the first frame. */
const endToken: typeof endSession = async (connect) => (await import('./sign-out.ts')).endSession(connect)
