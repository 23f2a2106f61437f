import type { FullUser } from '../../../shared/entities.ts'
import { serviceTrail } from '../audit/list.ts'
import { commandWith } from '../command-line.ts'
import { mailList } from '../mail/mails.ts'
import { pagedCommand } from '../paged.ts'
import { act, type ReadFacts, type Resource } from '../resource.ts'
import { withSameIds } from '../resource-fields.ts'
import { lookAtWebhooks } from '../webhook/resource.ts'
import { editUser } from './edit.ts'
import { impersonateUser } from './impersonate.ts'
import { pagedUsers, userList } from './list.ts'
import { rotateKeys } from './rotate-keys.ts'
import { userSessionList } from './sessions.ts'
import { type UserDetail, unlockUser, userDetail, userDetailFields, userView } from './supported-user.ts'
import { banUser, createUser, deleteUser, setUserPassword, setUserRoles, unbanUser } from './user-acts.ts'
import { type AdminView, type ListedUser, listedUserFields, toListedUser } from './users.ts'

/** The users of the service, and the administrator looking at them. */
interface UsersView extends AdminView {
  readonly users: readonly FullUser[]
  /** The total number of users. */
  readonly total: number
}

/** The users that were read so far, as the administrator sees them. */
export const usersView = (
  { items, total }: { readonly items: readonly FullUser[]; readonly total: number | null },
  me: UsersView['me'],
): UsersView => ({ users: items, total: total ?? items.length, me })

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
  trailOf('Audit trail', { id, email }),
]

const trailOf = (label: string, user?: Pick<ListedUser, 'id' | 'email'>): ReadFacts => {
  const trail = serviceTrail(user)
  const subject = user && { subject: user.id }
  const opens = { screen: 'trail', title: 'Audit trail', trail, ...subject } as const
  return { kind: 'look', label, command: pagedCommand(trail), opens }
}

/** The users of the service, for an administrator. */
export const users: Resource<ListedUser, UsersView> = {
  noun: 'user',
  fields: listedUserFields,
  list: ['email', 'name', 'roles', 'createdAt', 'marks'],
  detail: ['email', 'name', 'roles', 'banned', 'language', 'fields', 'createdAt', 'id'],
  id: ({ id }) => id,
  label: ({ email }) => email,
  line: ({ email, name }) => `${email} ${name}`,
  tone: ({ banned }) => (banned ? 'danger' : 'plain'),
  of: ({ users: all }) => all.map(toListedUser),
  total: ({ total }) => total,
  paged: pagedUsers,
  empty: 'No users',
  acts: [
    { about: 'one', offers: (chosen) => chosen.flatMap(looksAt) },
    act(unbanUser, { about: 'one', when: isBanned, subjects: chosenUsers }),
    act(banUser, { about: 'one', when: (chosen) => !isBanned(chosen), subjects: chosenUsers }),
    act(setUserRoles, { key: ['r', 'role', 'role'], about: 'one', subjects: chosenUsers }),
    act(setUserPassword, { about: 'one', subjects: chosenUsers }),
    act(impersonateUser, { about: 'one', subjects: chosenUsers }),
    act(editUser, { key: ['e', 'edit', 'edit'], about: 'one', subjects: chosenUsers }),
    act(unlockUser, { about: 'one', subjects: chosenUsers }),
    act(deleteUser, { key: ['D', 'remove', 'delete'], about: 'one', removes: true, subjects: chosenUsers }),
    act(createUser, { key: ['c', 'create', 'create'], about: 'place', subjects: () => [undefined] }),
    {
      key: ['t', 'trail', 'audit trail'],
      about: 'place',
      offers: () => [trailOf('Audit trail of the service')],
    },
    { key: ['w', 'webhooks', 'webhooks'], about: 'place', offers: () => [lookAtWebhooks()] },
    act(rotateKeys, { about: 'place', subjects: () => [undefined] }),
    {
      about: 'place',
      offers: () => [
        { kind: 'look', label: 'Mails', command: commandWith(mailList), opens: { screen: 'mails', title: 'Mails' } },
      ],
    },
  ],
  command: (one) => (one ? commandWith(userView, [], { given: { user: one.email } }) : commandWith(userList)),
  own: ({ id, email }) => ({ screen: 'user', subject: id, title: email }),
}

interface UserDetailsView extends UsersView {
  readonly details: readonly UserDetail[]
}

export const userDetailsView = (one: UserDetail, me: UsersView['me']): UserDetailsView => ({
  ...usersView({ items: [fullUserOf(one)], total: 1 }, me),
  details: [one],
})

const fullUserOf = ({ roles, ...user }: UserDetail): FullUser => ({ ...user, role: roles })

/** A user on their own screen, with all that decides whether they can sign in. */
export const userDetails: Resource<UserDetail, UserDetailsView> = {
  ...users,
  fields: userDetailFields,
  detail: userDetail,
  list: ['email'],
  tone: ({ banned }) => (banned ? 'danger' : 'plain'),
  of: ({ details }) => details,
}
