import type { FullUser } from '../../../shared/entities.ts'
import { newPasswordField } from '../account/fields.ts'
import type { Flow } from '../flow.ts'
import { type AdminView, isMe, type ListedUser, listedUser, listedUserFields, userFor } from './users.ts'

const fields = { password: newPasswordField } as const

export const setUserPassword: Flow<FullUser, typeof fields, AdminView, ListedUser> = {
  command: 'admin user password set',
  summary: 'Set the password of a user; their sessions end, and a mail tells them',
  title: 'Set a password',
  writes: true,
  needsSession: true,
  subject: userFor('user:set-password'),
  fields,
  call: '/admin/set-user-password',
  answer: listedUserFields,
  examples: ['ann@example.com', 'ann@example.com --password-file - < password.txt'],
  note: ({ email }) => `Ends every session of ${email}, and tells them by mail.`,
  disabledReason: (users, view) => (isMe(users, view) ? 'your own is changed in 4' : undefined),
  run: async (ports, user, { password }) => {
    const { api } = await ports.signedIn()
    await api.admin.setUserPassword({ userId: user.id, newPassword: password })
    return { sentence: `Set the password of ${user.email}`, status: 'updated', resource: listedUser(user) }
  },
}
