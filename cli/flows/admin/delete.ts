import type { FullUser } from '../../../shared/entities.ts'
import type { OrganizationName } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { deletedSentence } from '../org/titles.ts'
import { type AdminView, isMe, type ListedUser, listedUser, listedUserFields, userFor } from './users.ts'

/** The user, and the organizations that go along with them. */
type DeletedUser = ListedUser & { readonly organizations: readonly OrganizationName[] }

export const deleteUser: Flow<FullUser, Readonly<Record<never, never>>, AdminView, DeletedUser> = {
  command: 'admin user delete',
  summary: 'Delete a user for good; --confirm repeats the address, --yes is not enough',
  title: 'Delete the user',
  writes: true,
  needsSession: true,
  subject: userFor('user:delete'),
  fields: {},
  call: '/admin/remove-user',
  answer: { ...listedUserFields, organizations: 'any' },
  examples: ['ann@example.com --confirm ann@example.com'],
  consent: {
    question: ([user]) =>
      `Delete ${user?.email} for good, with everything that is theirs and organizations in which nobody else is? Keys and trust rules in others do nothing then, until somebody adopts them.`,
    typed: { what: 'address', word: ([user]) => user?.email, always: true },
  },
  disabledReason: (users, view) => (isMe(users, view) ? 'nobody deletes themselves here: 4 does it' : undefined),
  run: async (ports, user) => {
    const { api } = await ports.signedIn()
    const { organizations = [] } = await api.admin.removeUser({ userId: user.id })
    const resource = { ...listedUser(user), organizations }
    return { sentence: deletedSentence(user.email, organizations), status: 'deleted', resource }
  },
}
