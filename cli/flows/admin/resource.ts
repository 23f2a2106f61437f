import type { FullUser } from '../../../shared/entities.ts'
import { auditList } from '../audit/list.ts'
import { commandWith } from '../command-line.ts'
import { act, type ReadFacts, type Resource } from '../resource.ts'
import { withSameIds } from '../resource-fields.ts'
import { impersonateUser } from './impersonate.ts'
import { userList } from './list.ts'
import { rotateKeys } from './rotate-keys.ts'
import { userSessionList } from './sessions.ts'
import { banUser, createUser, deleteUser, setUserPassword, setUserRoles, unbanUser } from './user-acts.ts'
import { type AdminView, type ListedUser, listedUserFields, toListedUser, userView } from './users.ts'

/** The users of the service, and the administrator looking at them. */
export interface UsersView extends AdminView {
  readonly users: readonly FullUser[]
  /** The total number of users. */
  readonly total: number
}

const chosenUsers = (chosen: readonly ListedUser[], { users: all }: UsersView) => withSameIds(all, chosen)
const isBanned = ([one]: readonly ListedUser[]): boolean => one?.banned === true

/** Screens about a user. */
const looksAt = ({ id, email }: ListedUser): readonly ReadFacts[] => [
  {
    kind: 'look',
    label: 'Sessions',
    command: commandWith(userSessionList, [], { given: { user: email } }),
    opens: { screen: 'user-sessions', subject: id, title: 'Sessions' },
  },
  trailOf('Audit trail', commandWith(auditList, [], { given: { user: email } }), { userId: id }),
]

const trailOf = (label: string, command: string, which: { readonly userId?: string } = {}): ReadFacts => ({
  kind: 'look',
  label,
  command,
  opens: {
    screen: 'trail',
    title: 'Audit trail',
    ...(which.userId !== undefined && { subject: which.userId }),
    trail: {
      command,
      ask:
        ({ api }) =>
        (query) =>
          api.audit.listAuditEvents({ ...query, ...which }),
    },
  },
})

/** The users of the service, for an administrator. */
export const users: Resource<ListedUser, UsersView> = {
  noun: 'user',
  fields: listedUserFields,
  list: ['email', 'name', 'roles', 'createdAt', 'marks'],
  detail: ['email', 'name', 'roles', 'banned', 'createdAt', 'id'],
  id: ({ id }) => id,
  label: ({ email }) => email,
  line: ({ email, name }) => `${email} ${name}`,
  tone: ({ banned }) => (banned ? 'danger' : 'plain'),
  of: ({ users: all }) => all.map(toListedUser),
  total: ({ total }) => total,
  empty: 'No users',
  acts: [
    { about: 'one', offers: (chosen) => chosen.flatMap(looksAt) },
    act(unbanUser, { about: 'one', when: isBanned, subjects: chosenUsers }),
    act(banUser, { about: 'one', when: (chosen) => !isBanned(chosen), subjects: chosenUsers }),
    act(setUserRoles, { key: ['r', 'role', 'role'], about: 'one', subjects: chosenUsers }),
    act(setUserPassword, { about: 'one', subjects: chosenUsers }),
    act(impersonateUser, { about: 'one', subjects: chosenUsers }),
    act(deleteUser, { key: ['D', 'remove', 'delete'], about: 'one', removes: true, subjects: chosenUsers }),
    act(createUser, { key: ['c', 'create', 'create'], about: 'place', subjects: () => [undefined] }),
    {
      key: ['t', 'trail', 'audit trail'],
      about: 'place',
      offers: () => [trailOf('Audit trail of the service', commandWith(auditList))],
    },
    act(rotateKeys, { about: 'place', subjects: () => [undefined] }),
  ],
  command: (one) => (one ? commandWith(userView, [], { given: { user: one.email } }) : commandWith(userList)),
  own: ({ id, email }) => ({ screen: 'user', subject: id, title: email }),
}
