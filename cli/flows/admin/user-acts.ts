import type { FullUser } from '../../../shared/entities.ts'
import { languages } from '../../../shared/languages.ts'
import type { OrganizationName } from '../../../shared/organization.ts'
import { commandLine } from '../../output/shell-line.ts'
import { relativeTime } from '../../output/time.ts'
import { emailField, languageField, languageIn, languageOptions, newPasswordField } from '../account/fields.ts'
import { rolesProblem } from '../field-checks.ts'
import { type Flow, type NoFields, noSubject } from '../flow.ts'
import { durationProblem, parseDate, parseSeconds } from '../moment.ts'
import { deletedSentence } from '../org/organizations.ts'
import { ownFieldsFlag, ownValuesIn } from '../own-fields.ts'
import { withHint } from '../refusals.ts'
import {
  type AdminView,
  isMe,
  type ListedUser,
  listedUserFields,
  toListedUser,
  userCount,
  userFor,
  usersFor,
} from './users.ts'

const fields = {
  email: { ...emailField, summary: 'address of the new user' },
  name: { kind: 'text', label: 'Name', flag: '--name <name>', summary: 'what they are called' },
  password: { ...newPasswordField, label: 'Password', summary: 'file that holds their password, - for stdin' },
  roles: {
    kind: 'list',
    label: 'Roles',
    flag: '--role <role>',
    summary: 'their platform roles, comma-separated; default: the role of new sign-ups',
    key: 'role',
    isOptional: true,
  },
  isVerified: {
    kind: 'toggle',
    label: 'Address verified',
    flag: '--verified',
    summary: 'mark their address as verified',
    key: 'emailVerified',
  },
  language: { ...languageField, summary: 'the language of mails to them and of their pages', values: languages },
  fields: ownFieldsFlag,
} as const

export const createUser: Flow<undefined, typeof fields, unknown, ListedUser> = {
  command: 'admin user create',
  summary: 'Create a user with a password; sends no mail and signs nobody in',
  title: 'Create a user',
  subject: noSubject,
  fields,
  own: { of: 'user', by: 'admin' },
  call: '/admin/create-user',
  answer: listedUserFields,
  examples: [
    '--email ann@example.com --name Ann',
    '--email ann@example.com --name Ann --role admin --verified --password-file - < password.txt',
  ],
  options: () => languageOptions(languages),
  run: async (context, _, { email, name, password, roles, isVerified, language, fields: given }) => {
    const { api } = await context.signedIn()
    const asked = {
      email,
      name,
      password,
      ...(roles && roles.length > 0 && { role: [...roles] }),
      data: { ...(isVerified && { emailVerified: true }), ...languageIn(language), ...ownValuesIn(given) },
    }
    const { user } = await api.admin.createUser(asked).catch(addressTaken(email))
    return { sentence: `Created ${user.email}`, status: 'created', resource: toListedUser(user) }
  },
}

export const addressTaken = (email: string) =>
  withHint('USER_ALREADY_EXISTS', `See whose address it is: ${commandLine('postern', 'admin', 'user', 'view', email)}`)

const setUserPasswordFields = { password: newPasswordField } as const

export const setUserPassword: Flow<FullUser, typeof setUserPasswordFields, AdminView, ListedUser> = {
  command: 'admin user password set',
  summary: 'Set the password of a user; ends their sessions and own keys, and tells them by mail',
  title: 'Set a password',
  subject: userFor('user:set-password'),
  fields: setUserPasswordFields,
  call: '/admin/set-user-password',
  answer: listedUserFields,
  examples: ['ann@example.com', 'ann@example.com --password-file - < password.txt'],
  note: ({ email }) => `Ends every session of ${email} and their own keys, and tells them by mail.`,
  disabledReason: (users, view) => (isMe(users, view) ? 'change your own in profile (4)' : undefined),
  run: async (context, user, { password }) => {
    const { api } = await context.signedIn()
    await api.admin.setUserPassword({ userId: user.id, newPassword: password })
    return { sentence: `Set the password of ${user.email}`, status: 'updated', resource: toListedUser(user) }
  },
}

const setUserRolesFields = {
  roles: {
    kind: 'list',
    label: 'Roles',
    argument: '<role...>',
    summary: 'platform roles: admin, user, or custom roles of the service',
    key: 'role',
  },
} as const

export const setUserRoles: Flow<FullUser, typeof setUserRolesFields, AdminView, ListedUser> = {
  command: 'admin user role set',
  summary: 'Replace the platform roles of users',
  title: 'Change platform roles',
  subject: userFor('user:set-role'),
  fields: setUserRolesFields,
  bulk: 'subject',
  answersOne: true,
  call: '/admin/set-role',
  answer: listedUserFields,
  examples: ['ann@example.com admin', 'ann@example.com user', '- user --json < addresses.txt'],
  note: () => 'admin, user, or custom roles of the service, comma-separated. They replace the current roles at once.',
  initial: ([user]) => ({ roles: user?.role ?? [] }),
  check: ({ roles = [] }) => ({ roles: rolesProblem(roles) }),
  run: async (context, before, { roles }) => {
    const { api } = await context.signedIn()
    const { user } = await api.admin.setRole({ userId: before.id, role: [...roles] })
    const resource = toListedUser(user)
    const isSame = textOf(resource.roles) === textOf(before.role ?? [])
    const sentence = `${user.email} is ${resource.roles.join(', ')}`
    return { sentence, status: isSame ? 'unchanged' : 'updated', resource }
  },
}

const textOf = (roles: readonly string[]): string => roles.toSorted().join(',')

/** The user, and the organizations that are deleted with them. */
type DeletedUser = ListedUser & { readonly organizations: readonly OrganizationName[] }

export const deleteUser: Flow<FullUser, NoFields, AdminView, DeletedUser> = {
  command: 'admin user delete',
  summary: 'Delete a user for good; needs --confirm ADDRESS, --yes is not enough',
  title: 'Delete the user',
  subject: userFor('user:delete'),
  fields: {},
  call: '/admin/remove-user',
  answer: { ...listedUserFields, organizations: 'any' },
  examples: ['ann@example.com --confirm ann@example.com'],
  consent: {
    question: ([user]) =>
      `Delete ${user?.email} for good, with all their data and the organizations that have no other member? Their keys and trust rules in other organizations stop working until somebody adopts them.`,
    typed: { what: 'address', word: ([user]) => user?.email, always: true },
  },
  disabledReason: (users, view) => (isMe(users, view) ? 'delete your own account in profile (4)' : undefined),
  run: async (context, user) => {
    const { api } = await context.signedIn()
    const { organizations = [] } = await api.admin.removeUser({ userId: user.id })
    const resource = { ...toListedUser(user), organizations }
    return { sentence: deletedSentence(user.email, organizations), status: 'deleted', resource }
  },
}

/** Seconds: 3650 days, the limit of the contract. */
const longestBan = 315_360_000

const banUserFields = {
  reason: {
    kind: 'text',
    label: 'Reason',
    flag: '--reason <text>',
    summary: 'why; administrators see it',
    key: 'banReason',
    isOptional: true,
  },
  span: {
    kind: 'text',
    label: 'For',
    flag: '--for <time>',
    summary: 'how long, like 12h or 7d, at most 3650d; default: as the service is configured, else for good',
    isOptional: true,
    check: (text: string, name: string) => durationProblem(text, name, { most: longestBan }),
  },
  until: {
    kind: 'text',
    label: 'Until',
    flag: '--until <date>',
    summary: 'when it ends, like 2026-12-31 or 2026-12-31T12:00:00Z',
    isOptional: true,
    onlyInCommands: true,
    check: (text: string, name: string) => {
      if (!parseDate(text)) return `${name} must be a date like 2026-12-31 or 2026-12-31T12:00:00Z`
      const seconds = secondsUntil(text, Date.now()) ?? 0
      if (seconds <= 0) return `${name} is in the past: ${text}`
      return seconds > longestBan ? `${name} is at most 3650 days from now` : undefined
    },
  },
} as const

export const banUser: Flow<FullUser, typeof banUserFields, AdminView, ListedUser> = {
  command: 'admin user ban',
  summary: 'Ban users; all their sessions end at once',
  title: 'Ban',
  subject: usersFor('user:ban'),
  fields: banUserFields,
  bulk: 'subject',
  answersOne: true,
  call: '/admin/ban-user',
  answer: listedUserFields,
  examples: [
    'ann@example.com --reason Spam',
    'ann@example.com --for 7d',
    'ann@example.com --until 2026-12-31',
    '--csv spam.csv',
  ],
  note: ({ email }) =>
    `Ends every session of ${email}. Their keys and trust rules do not work during the ban. Without a time, the ban lasts as the service is configured, else for good.`,
  disabledReason: (users, view) => (isMe(users, view) ? 'you cannot ban yourself' : undefined),
  check: ({ span, until }) => ({
    until: span && until ? 'Give --for or --until, not both' : undefined,
  }),
  run: async (context, { id: userId }, { reason, span, until }) => {
    const { api } = await context.signedIn()
    const seconds = span ? parseSeconds(span) : secondsUntil(until, context.now())
    const { user } = await api.admin.banUser({
      userId,
      ...(reason && { banReason: reason }),
      ...(seconds !== undefined && { banExpiresIn: seconds }),
    })
    return {
      sentence: `Banned ${user.email}${endWords(user, context.now())}`,
      status: 'updated',
      resource: toListedUser(user),
    }
  },
  doneWith: (users) => `Banned ${userCount(users)}`,
}

/** Negative for a past date. */
const secondsUntil = (until: string | undefined, now: number): number | undefined => {
  const date = until === undefined ? undefined : parseDate(until)
  return date && Math.ceil((date.getTime() - now) / 1000)
}

const endWords = ({ banExpires }: FullUser, now: number): string =>
  banExpires ? `; it ends ${relativeTime(banExpires, now)}` : ''

export const unbanUser: Flow<FullUser, NoFields, AdminView, ListedUser> = {
  command: 'admin user unban',
  summary: 'Lift the ban of users',
  title: 'Lift the ban',
  subject: usersFor('user:ban'),
  fields: {},
  bulk: 'subject',
  answersOne: true,
  call: '/admin/unban-user',
  answer: listedUserFields,
  examples: ['ann@example.com', '- --json < addresses.txt'],
  consent: { question: (users) => `Let ${userCount(users)} in again?`, forKeysOnly: true },
  disabledReason: (users) => (users.some(({ banned }) => !banned) ? 'not banned' : undefined),
  run: async (context, before) => {
    const { api } = await context.signedIn()
    const { user } = await api.admin.unbanUser({ userId: before.id })
    const [sentence, status] = before.banned
      ? ([`${user.email} can sign in again`, 'updated'] as const)
      : ([`${user.email} was not banned`, 'unchanged'] as const)
    return { sentence, status, resource: toListedUser(user) }
  },
  doneWith: (users) => `${userCount(users)} can sign in again`,
}
