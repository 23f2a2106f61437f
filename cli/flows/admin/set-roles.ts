import type { FullUser } from '../../../shared/entities.ts'
import type { Flow } from '../flow.ts'
import { type AdminView, type ListedUser, listedUser, listedUserFields, userFor } from './users.ts'

const fields = {
  roles: {
    kind: 'list',
    label: 'Roles',
    argument: '<role...>',
    summary: 'platform roles of the service: admin, user, or its own',
    key: 'role',
  },
} as const

export const setUserRoles: Flow<FullUser, typeof fields, AdminView, ListedUser> = {
  command: 'admin user role set',
  summary: 'Give a user these platform roles and no others',
  title: 'Give other platform roles',
  writes: true,
  needsSession: true,
  subject: userFor('user:set-role'),
  fields,
  call: '/admin/set-role',
  answer: listedUserFields,
  examples: ['ann@example.com admin', 'ann@example.com user'],
  note: () => 'admin, user, or roles of the service itself, with commas. They take the place of those before, at once.',
  initial: ([user]) => ({ roles: user?.role ?? [] }),
  check: ({ roles = [] }) => ({ roles: roles.length === 0 ? 'At least one role is needed' : undefined }),
  run: async (ports, before, { roles }) => {
    const { api } = await ports.signedIn()
    const { user } = await api.admin.setRole({ userId: before.id, role: [...roles] })
    const resource = listedUser(user)
    const isSame = textOf(resource.roles) === textOf(before.role ?? [])
    const sentence = `${user.email} is ${resource.roles.join(', ')}`
    return { sentence, status: isSame ? 'unchanged' : 'updated', resource }
  },
}

const textOf = (roles: readonly string[]): string => roles.toSorted().join(',')
