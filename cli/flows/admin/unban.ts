import type { FullUser } from '../../../shared/entities.ts'
import type { Flow } from '../flow.ts'
import { type AdminView, type ListedUser, listedUser, listedUserFields, userCount, userFor } from './users.ts'

export const unbanUser: Flow<FullUser, Readonly<Record<never, never>>, AdminView, ListedUser> = {
  command: 'admin user unban',
  summary: 'Let a banned user in again',
  title: 'Lift the ban',
  writes: true,
  needsSession: true,
  subject: userFor('user:ban'),
  fields: {},
  call: '/admin/unban-user',
  answer: listedUserFields,
  examples: ['ann@example.com'],
  consent: { question: (users) => `Let ${userCount(users)} in again?`, forKeysOnly: true },
  disabledReason: (users) => (users.some(({ banned }) => !banned) ? 'not banned' : undefined),
  run: async (ports, before) => {
    const { api } = await ports.signedIn()
    const { user } = await api.admin.unbanUser({ userId: before.id })
    const [sentence, status] = before.banned
      ? ([`${user.email} may sign in again`, 'updated'] as const)
      : ([`${user.email} was not banned`, 'unchanged'] as const)
    return { sentence, status, resource: listedUser(user) }
  },
  doneWith: (users) => `${userCount(users)} may sign in again`,
}
