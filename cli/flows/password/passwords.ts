import { canonicalEmail } from '../../../shared/email.ts'
import type { User } from '../../../shared/entities.ts'
import { accountField, linkArgument, newPasswordField, serverField, wrongPassword } from '../account/fields.ts'
import { type CurrentUser, optionalUser } from '../account/me.ts'
import { userFields } from '../account/users.ts'
import { signIn } from '../auth/sign-in.ts'
import { commandFor } from '../command-line.ts'
import { type Flow, noSubject } from '../flow.ts'
import { formOf } from '../form.ts'
import { openLink, tokenIn } from '../mailed-links/mailed-link.ts'
import { revokeOthers } from '../session/revoke.ts'

/** The account whose password is reset, if known: the link does not say. */
interface PasswordOwner {
  readonly email?: string
}

const fields = {
  link: { ...linkArgument, purpose: 'reset' },
  newPassword: newPasswordField,
  server: serverField,
} as const

export const resetPassword: Flow<PasswordOwner, typeof fields, unknown, { readonly sessions: string }> = {
  command: 'account password reset',
  summary: 'Set a new password with the link from a mail; ends every session',
  title: 'Set a new password with a link',
  isForAnyone: true,
  subject: { finder: async () => () => ({}), words: () => ({}) },
  fields,
  call: '/reset-password',
  answer: { sessions: 'text' },
  examples: ['"http://localhost:4100/api/auth/reset-password/Wm3nT…"', '- --password-file new.txt < link.txt'],
  note: () => 'Every session of the account ends, on all devices.',
  run: async (context, known, { link, newPassword, ...values }) => {
    const { api, server } = await context.asNobody(values.server)
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
  summary: 'Request a mail with a link to set a new password',
  title: 'Forgot the password',
  isForAnyone: true,
  subject: noSubject,
  fields: forgotPasswordFields,
  call: '/forget-password',
  answer: { email: 'text' },
  examples: ['--email alice@example.com'],
  run: async (context, _, values) => {
    const email = canonicalEmail(values.email)
    const { api, server } = await context.asNobody(values.server)
    await api.password.forgetPassword({ email })
    return {
      // The service does not reveal which addresses it knows.
      sentence: `If ${email} has an account, a mail is on its way`,
      status: 'planned',
      resource: { email },
      next: formOf(resetPassword, { subjects: [{ email }], given: { server } }),
      nextWords: 'Set a new password with its link',
    }
  },
}

const changePasswordFields = {
  currentPassword: {
    kind: 'secret',
    label: 'Current password',
    flag: '--current-password-file <file>',
    summary: 'file that holds the current password, - for stdin',
    refusals: wrongPassword,
  },
  newPassword: newPasswordField,
  revokeOthers: {
    kind: 'toggle',
    label: 'Sign out elsewhere',
    flag: '--revoke-others',
    summary: 'end every other session, and your own keys',
    key: 'revokeOtherSessions',
  },
} as const

export const changePassword: Flow<CurrentUser | undefined, typeof changePasswordFields, unknown, User> = {
  command: 'account password set',
  summary: 'Change the password of the signed-in user',
  title: 'Change the password',
  subject: optionalUser,
  fields: changePasswordFields,
  call: '/change-password',
  answer: userFields,
  examples: ['', '--current-password-file old.txt --password-file - < new.txt'],
  check: ({ currentPassword, newPassword }) => ({
    newPassword: newPassword === currentPassword ? 'The new password is the current one' : undefined,
  }),
  run: async (context, _, { currentPassword, newPassword, revokeOthers: isElsewhere }) => {
    const { api, speaksByToken } = await context.signedIn()
    // The service also ends this session and answers with a new one in a cookie, which does not help a caller who uses
    // a token.
    const isAtOnce = isElsewhere && !speaksByToken()
    const passwords = { currentPassword, newPassword, ...(isAtOnce && { revokeOtherSessions: true }) }
    const { user } = await api.password.changePassword(passwords)
    if (isElsewhere && !isAtOnce) await api.session.revokeOtherSessions({})
    return {
      sentence: `Changed the password of ${user.email}${isElsewhere ? ' and ended every other session' : ''}`,
      status: 'updated',
      resource: user,
      ...(!isElsewhere && {
        notes: [`Other sessions and your own keys stay valid. To end them: ${commandFor(revokeOthers, [undefined])}`],
      }),
    }
  },
}
