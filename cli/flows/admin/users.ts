import { canonicalEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { catalogue, type FailureName } from '../../../shared/errors.ts'
import { wireOf } from '../../../shared/failure.ts'
import { ServiceFailure } from '../../client/errors.ts'
import { toCliError } from '../../output/error-report.ts'
import { fullTime } from '../../output/time.ts'
import { roleText } from '../../output/words.ts'
import { userFields } from '../account/users.ts'
import { isMarkedEnding, isPossibleIdEnding, type Naming, pickOne, withoutMark } from '../candidates.ts'
import type { Subject } from '../flow.ts'
import type { FlowConnection } from '../flow-context.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'
import { mixedScripts } from './mixed-scripts.ts'

/** A user as administrators see them, with platform roles as a list. */
export type ListedUser = Omit<FullUser, 'role'> & { readonly roles: readonly string[] }

export const listedUserFields = {
  ...userFields,
  id: { title: 'ID', type: 'text', id: 'reference' },
  email: {
    title: 'Email',
    type: 'text',
    readFirst: true,
    inDetail: ({ email, emailVerified }) => `${email}  (${emailVerified ? 'verified' : 'not verified'})`,
  },
  name: { ...userFields.name, inDetail: ({ name }) => nameText(name) },
  roles: { title: 'Roles', type: 'list', inList: ({ roles }) => roleText(roles) },
  banned: {
    title: 'Banned',
    type: 'flag',
    inDetail: (user, _, now) => (user.banned ? banText(user, now) : 'no'),
    tone: ({ banned }) => (banned ? 'danger' : 'plain'),
  },
  banReason: { title: 'Ban reason', type: 'text?' },
  banExpires: { title: 'Banned until', type: 'date?' },
  marks: { title: '', inList: marksOf },
} as const satisfies FieldsOf<ListedUser, ListedUser>

/** With what might pass for another name: a word of letters that only look alike. */
function nameText(name: string): string {
  const scripts = mixedScripts(name)
  return scripts.length === 0 ? name : `${name}  (mixes ${scripts.join(' and ')} letters)`
}

function marksOf({ banned, name }: Pick<ListedUser, 'banned' | 'name'>): string {
  const marks = [banned && 'banned', mixedScripts(name).length > 0 && 'mixed letters']
  return marks.filter(Boolean).join(', ')
}

/** The service's text for a ban without a reason. */
const noReasonText = 'No reason'

/** The reason and the end of a ban. */
export function banText(
  { banReason, banExpires }: Pick<FullUser, 'banReason' | 'banExpires'>,
  now = Date.now(),
): string {
  const reason = banReason === null || banReason === noReasonText ? 'no reason given' : banReason
  return `${reason}, ${banExpires ? `ends ${fullTime(banExpires, now)}` : 'for good'}`
}

export const toListedUser = ({ role, banned, ...user }: FullUser): ListedUser => ({
  ...user,
  banned: banned ?? false,
  roles: role ?? [],
})

export const userColumns = columnsOf<ListedUser>(listedUserFields, ['email', 'name', 'roles', 'banned', 'id'])
export const userArgument = 'id, e-mail address or unique name'

const naming: Naming<FullUser> = {
  kind: 'user',
  ids: ({ id }) => [id],
  ways: [],
  describe: ({ id, email, name }) => `${id}  ${email}  ${name}`,
  list: 'Look for them: postern admin user list --search TEXT',
}

type Calls = Pick<FlowConnection, 'api'>

/**
 * The user that an action is about. `right`: a caller without this platform right is told so, and not that look-ups are
 * forbidden.
 */
export async function findUser(connection: Calls, word: string, right?: PlatformRight): Promise<FullUser> {
  try {
    return await lookUp(connection, word)
  } catch (error) {
    const isRefused = right !== undefined && toCliError(error).code === 'YOU_ARE_NOT_ALLOWED_TO_LIST_USERS'
    throw (isRefused ? await refusalOf(connection, right) : undefined) ?? error
  }
}

/**
 * First looks up what the word looks like (id or address), then names, then id endings, because anybody can choose a
 * name that looks like an ending. At most three calls, however many users there are.
 */
async function lookUp({ api }: Calls, word: string): Promise<FullUser> {
  const named = async (filterField: 'id' | 'email' | 'name', filterValue: string, filterOperator?: 'ends_with') =>
    (await api.admin.listUsers({ filterField, filterValue, filterOperator: filterOperator ?? 'eq', limit: '100' }))
      .users
  const exact = await (word.includes('@') ? named('email', canonicalEmail(word)) : named('id', word))
  if (exact[0]) return exact[0]
  const called = isMarkedEnding(word) ? [] : await named('name', word)
  const ending = called.length > 0 && !isPossibleIdEnding(word) ? [] : await named('id', withoutMark(word), 'ends_with')
  const others = ending.filter(({ id }) => called.every((user) => user.id !== id))
  return pickOne([...called, ...others], word, { ...naming, ways: [(user) => called.includes(user)] })
}

/** A user, found by the argument of a command that needs this right. */
export const userFor = (right: PlatformRight): Subject<FullUser> => ({
  argument: '<user>',
  summary: userArgument,
  key: 'userId',
  finder: async (context) => {
    const connection = await context.signedIn()
    return (word = '') => findUser(connection, word, right)
  },
  words: ({ email }) => ({ word: email }),
})

export const usersFor = (right: PlatformRight): Subject<FullUser> => ({ ...userFor(right), argument: '<user...>' })

/** What a screen knows about the administrator. */
export interface AdminView {
  readonly me: Pick<FullUser, 'id'> | undefined
}

export const isMe = (users: readonly FullUser[], { me }: AdminView): boolean => users.some(({ id }) => id === me?.id)

/** The address of one, or the number of several. */
export const userCount = ([first, ...rest]: readonly FullUser[]): string =>
  rest.length === 0 ? (first?.email ?? 'the user') : `${rest.length + 1} users`

/** The platform rights of user actions, and the error codes of callers without them. */
const refusals = {
  'user:set-role': 'USER_ROLE_FORBIDDEN',
  'user:update': 'USER_UPDATE_FORBIDDEN',
  'user:ban': 'USER_BAN_FORBIDDEN',
  'user:impersonate': 'USER_IMPERSONATION_FORBIDDEN',
  'user:delete': 'USER_DELETE_FORBIDDEN',
  'user:set-password': 'USER_PASSWORD_FORBIDDEN',
  'user:export': 'USER_EXPORT_FORBIDDEN',
  'user:unlock': 'USER_UNLOCK_FORBIDDEN',
  'session:list': 'USER_SESSIONS_LIST_FORBIDDEN',
  'session:revoke': 'USER_SESSIONS_REVOKE_FORBIDDEN',
  'audit:list': 'AUDIT_LIST_FORBIDDEN',
} as const satisfies Readonly<Record<string, FailureName>>

type PlatformRight = keyof typeof refusals

/**
 * For a caller who is not allowed to look up users: the refusal of the action itself, if the caller lacks that right
 * too.
 */
async function refusalOf(
  { api }: Pick<FlowConnection, 'api'>,
  right: PlatformRight,
): Promise<ServiceFailure | undefined> {
  const [resource = '', action = ''] = right.split(':')
  const { success } = await api.admin.hasPlatformPermission({ permissions: { [resource]: [action] } })
  const name = refusals[right]
  return success ? undefined : new ServiceFailure(catalogue[name].status, bodyOf(name))
}

function bodyOf(name: FailureName) {
  const { body } = wireOf(name)
  return body && 'code' in body ? body : {}
}
