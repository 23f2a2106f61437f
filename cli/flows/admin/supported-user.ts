import type { FullUser } from '../../../shared/entities.ts'
import { providerDisplayName } from '../../../shared/providers.ts'
import type { SupportedUser } from '../../../shared/support.ts'
import { fullTime } from '../../output/time.ts'
import { commandFor } from '../command-line.ts'
import type { Flow, NoFields } from '../flow.ts'
import type { FlowConnection } from '../flow-context.ts'
import { passwordProvider } from '../link/accounts.ts'
import type { Sheet } from '../listing.ts'
import { columnsOf, type FieldsOf, nameList } from '../resource-fields.ts'
import { unbanUser } from './user-acts.ts'
import {
  type AdminView,
  findUser,
  type ListedUser,
  listedUserFields,
  toListedUser,
  userArgument,
  userCount,
  usersFor,
} from './users.ts'

/** A user with everything that decides whether they can sign in. */
export type UserDetail = ListedUser & Omit<SupportedUser, 'user'>

const toUserDetail = ({ user, ...more }: SupportedUser): UserDetail => ({ ...toListedUser(user), ...more })

/** What a used-up limit means to the person, by its name in the settings. */
const limitWords: Readonly<Record<string, string>> = {
  accountTries: 'sign-in limited after wrong passwords',
  accountFailures: 'sign-in locked after too many wrong passwords in a row',
  mailsToAddress: 'mails withheld',
  mailsToAddressDaily: 'mails withheld for the day',
  emailChanges: 'no further change of address',
  userCodes: 'no further codes of devices',
  linkStarts: 'no further account to link',
}

const limitText = ({ limit, until }: UserDetail['limits'][number], now: number): string =>
  `${limitWords[limit] ?? limit}, ends ${fullTime(until, now)}`

const wayText = ({ providerId, addressProven }: UserDetail['waysIn'][number]): string =>
  `${providerId === passwordProvider ? 'password' : providerDisplayName(providerId)}${addressProven ? '' : ' (address not proven)'}`

const hidden = 'hidden: your role may not list them'

/** For people: lists of objects as one line each. */
const many = <T>(all: readonly T[] | null, text: (one: T) => string): string =>
  all === null ? hidden : all.length === 0 ? 'none' : nameList(all.map(text))

export const userDetailFields = {
  ...listedUserFields,
  waysIn: { title: 'Ways in', type: 'any', inDetail: ({ waysIn }) => waysIn.map(wayText).join(', ') || 'none' },
  lastSignInAt: {
    title: 'Last sign-in',
    type: 'date?',
    inDetail: ({ lastSignInAt }, _, now) => (lastSignInAt ? fullTime(lastSignInAt, now) : 'none is recorded'),
  },
  limits: {
    title: 'Limits',
    type: 'any',
    inDetail: ({ limits }, _, now) => limits.map((one) => limitText(one, now)).join('; ') || 'none is used up',
    tone: ({ limits }) => (limits.length > 0 ? 'warning' : 'plain'),
  },
  sessions: {
    title: 'Devices',
    type: 'any',
    inDetail: ({ sessions }) => many(sessions, ({ label, userAgent }) => label || userAgent || 'unknown'),
  },
  keys: { title: 'Keys', type: 'any', inDetail: ({ keys }) => many(keys, ({ name }) => name) },
  mails: {
    title: 'Mails',
    type: 'any',
    inDetail: ({ mails }) => many(mails, ({ kind, state }) => `${kind} (${state})`),
  },
} as const satisfies FieldsOf<UserDetail, UserDetail>

export const userDetail = [
  'email',
  'name',
  'roles',
  'banned',
  'limits',
  'waysIn',
  'lastSignInAt',
  'sessions',
  'keys',
  'mails',
  'language',
  'createdAt',
  'fields',
  'id',
] as const

/** What a sheet shows people of these fields, which programs get as they are. */
const shown = (name: 'name' | 'waysIn' | 'limits' | 'sessions' | 'keys' | 'mails') => ({
  header: userDetailFields[name].title,
  value: (one: UserDetail) => userDetailFields[name].inDetail(one, undefined, Date.now()),
})

const sheet = [
  ...columnsOf<UserDetail>(userDetailFields, ['email']),
  shown('name'),
  ...columnsOf<UserDetail>(userDetailFields, ['roles', 'banned', 'banReason', 'banExpires']),
  shown('limits'),
  shown('waysIn'),
  ...columnsOf<UserDetail>(userDetailFields, ['lastSignInAt']),
  shown('sessions'),
  shown('keys'),
  shown('mails'),
  ...columnsOf<UserDetail>(userDetailFields, [
    'createdAt',
    'emailVerified',
    'image',
    'language',
    'updatedAt',
    'fields',
    'id',
  ]),
]

export async function readUserDetail(connection: Pick<FlowConnection, 'api'>, word: string): Promise<UserDetail> {
  const { id: userId } = await findUser(connection, word)
  return toUserDetail(await connection.api.support.viewUser({ userId }))
}

const fields = { user: { kind: 'text', label: 'User', argument: '<user>', summary: userArgument } } as const

export const userView: Sheet<UserDetail, typeof fields> = {
  command: 'admin user view',
  summary: 'One user of the service, and all that decides whether they can sign in',
  fields,
  call: '/admin/view-user',
  answer: userDetailFields,
  columns: sheet,
  examples: ['ann@example.com', 'ann@example.com --json=limits,waysIn,lastSignInAt'],
  view: async (context, { user }) => readUserDetail(await context.signedIn(), user),
}

/** The user, and the names of the limits that were used up. */
type UnlockedUser = ListedUser & { readonly limits: readonly string[] }

export const unlockUser: Flow<FullUser, NoFields, AdminView, UnlockedUser> = {
  command: 'admin user unlock',
  summary: 'Clear the limits that hold users back: on wrong passwords and on mails. A ban stays',
  title: 'Clear the limits',
  subject: usersFor('user:unlock'),
  fields: {},
  bulk: 'subject',
  answersOne: true,
  call: '/admin/unlock-user',
  answer: { ...listedUserFields, limits: 'list' },
  examples: ['ann@example.com', '- --json < addresses.txt'],
  consent: {
    question: (users) => `Clear the limits of ${userCount(users)}? Whoever tries their passwords gets new tries too.`,
    forKeysOnly: true,
  },
  run: async (context, { id: userId }) => {
    const { api } = await context.signedIn()
    const { user, limits } = await api.support.unlockUser({ userId })
    const resource = { ...toListedUser(user), limits }
    const notes = user.banned ? [`Still banned. Lift it: ${commandFor(unbanUser, [user])}`] : []
    return limits.length > 0
      ? { sentence: `Unlocked ${user.email}`, status: 'updated', resource, notes }
      : { sentence: `No limit held ${user.email} back`, status: 'unchanged', resource, notes }
  },
  doneWith: (users) => `Cleared the limits of ${userCount(users)}`,
}
