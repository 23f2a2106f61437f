import type { User } from '../../../shared/entities.ts'
import { newPasswordField, wrongPassword } from '../account/fields.ts'
import { type Me, optionalUser } from '../account/me.ts'
import { userFields } from '../account/users.ts'
import { commandFor } from '../command-line.ts'
import type { Flow } from '../flow.ts'
import { revokeOthers } from '../session/revoke.ts'

const fields = {
  currentPassword: {
    kind: 'secret',
    label: 'Current password',
    flag: '--current-password-file <file>',
    summary: 'file that holds the password as it is, - for stdin',
    refusals: wrongPassword,
  },
  newPassword: newPasswordField,
  revokeOthers: {
    kind: 'toggle',
    label: 'Sign out elsewhere',
    flag: '--revoke-others',
    summary: 'end every other session, and the keys of your own',
    key: 'revokeOtherSessions',
  },
} as const

export const changePassword: Flow<Me | undefined, typeof fields, unknown, User> = {
  command: 'account password set',
  summary: 'Change the password of the signed-in user',
  title: 'Change the password',
  writes: true,
  needsSession: true,
  subject: optionalUser,
  fields,
  call: '/change-password',
  answer: userFields,
  examples: ['', '--current-password-file old.txt --password-file - < new.txt'],
  check: ({ currentPassword, newPassword }) => ({
    newPassword: newPassword === currentPassword ? 'The new password is the current one' : undefined,
  }),
  run: async (ports, _, { currentPassword, newPassword, revokeOthers: isElsewhere }) => {
    const { api, speaksByToken } = await ports.signedIn()
    // The service ends this session too and answers with a new one, as a cookie: of no use to a person who speaks by a token.
    const isAtOnce = isElsewhere && !speaksByToken()
    const passwords = { currentPassword, newPassword, ...(isAtOnce && { revokeOtherSessions: true }) }
    const { user } = await api.password.changePassword(passwords)
    if (isElsewhere && !isAtOnce) await api.session.revokeOtherSessions({})
    return {
      sentence: `Changed the password of ${user.email}${isElsewhere ? ' and ended every other session' : ''}`,
      status: 'updated',
      resource: user,
      ...(!isElsewhere && {
        notes: [`Other sessions, and keys of yours, go on: ${commandFor(revokeOthers, [undefined])}`],
      }),
    }
  },
}
