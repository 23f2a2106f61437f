import { canonicalEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import type { Column } from '../../output/cell.ts'
import { toCliError } from '../../output/error-report.ts'
import type { FieldType } from '../../output/json.ts'
import { userFields } from '../account/users.ts'
import { endingOf, isLong, isMarked, type Naming, pickOne } from '../candidates.ts'
import type { Subject } from '../flow.ts'
import type { FlowConnection } from '../ports.ts'
import { type PlatformRight, refusalOf } from './rights.ts'

/** A user as an administrator sees them; their platform roles as a list. */
export type ListedUser = Omit<FullUser, 'role'> & { readonly roles: readonly string[] }

export const listedUserFields = {
  ...userFields,
  roles: 'list',
  banned: 'flag',
  banReason: 'text?',
  banExpires: 'date?',
} as const satisfies Record<keyof ListedUser, FieldType>

export const listedUser = ({ role, banned, ...user }: FullUser): ListedUser => ({
  ...user,
  banned: banned ?? false,
  roles: role ?? [],
})

export const userColumns: readonly Column<ListedUser>[] = [
  { header: 'Email', value: ({ email }) => email },
  { header: 'Name', value: ({ name }) => name },
  { header: 'Roles', value: ({ roles }) => roles },
  { header: 'Banned', value: ({ banned }) => banned },
  { header: 'ID', value: ({ id }) => id, id: 'reference' },
]

export const userSheet: readonly Column<ListedUser>[] = [
  ...userColumns,
  { header: 'Ban reason', value: ({ banReason }) => banReason },
  { header: 'Banned until', value: ({ banExpires }) => banExpires },
  { header: 'Created', value: ({ createdAt }) => createdAt },
  { header: 'Verified', value: ({ emailVerified }) => emailVerified },
  { header: 'Image', value: ({ image }) => image },
  { header: 'Updated', value: ({ updatedAt }) => updatedAt },
]

export const userArgument = 'id, e-mail address or unique name'

const naming: Naming<FullUser> = {
  kind: 'user',
  ids: ({ id }) => [id],
  ways: [],
  describe: ({ id, email, name }) => `${id}  ${email}  ${name}`,
  list: 'Look for them: postern admin user list --search TEXT',
}

type Calls = Pick<FlowConnection, 'api'>

/** The one whom an act is about that takes this right: who lacks it is told so, and not that nobody may be looked up. */
export async function findUser(connection: Calls, word: string, right?: PlatformRight): Promise<FullUser> {
  try {
    return await lookUp(connection, word)
  } catch (error) {
    const isRefused = right !== undefined && toCliError(error).code === 'YOU_ARE_NOT_ALLOWED_TO_LIST_USERS'
    throw (isRefused ? await refusalOf(connection, right) : undefined) ?? error
  }
}

/**
 * Asked for by what the word looks like, then by its being a name or the ending of an id, which whoever chooses a name could
 * take: three calls at the most, however many users there are.
 */
async function lookUp({ api }: Calls, word: string): Promise<FullUser> {
  const named = async (filterField: 'id' | 'email' | 'name', filterValue: string, filterOperator?: 'ends_with') =>
    (await api.admin.listUsers({ filterField, filterValue, filterOperator: filterOperator ?? 'eq', limit: '100' }))
      .users
  const exact = await (word.includes('@') ? named('email', canonicalEmail(word)) : named('id', word))
  if (exact[0]) return exact[0]
  const called = isMarked(word) ? [] : await named('name', word)
  const ending = called.length > 0 && !isLong(word) ? [] : await named('id', endingOf(word), 'ends_with')
  const others = ending.filter(({ id }) => called.every((user) => user.id !== id))
  return pickOne([...called, ...others], word, { ...naming, ways: [(user) => called.includes(user)] })
}

/** One user, looked up by the one word that there is, for an act that takes this right. */
export const userFor = (right: PlatformRight): Subject<FullUser> => ({
  argument: '<user>',
  summary: userArgument,
  key: 'userId',
  finder: async (ports, _, [word = '']) => {
    const user = await findUser(await ports.signedIn(), word, right)
    return () => user
  },
  words: ({ email }) => ({ word: email }),
})

/** What a screen knows of who asks. */
export interface AdminView {
  readonly me: Pick<FullUser, 'id'> | undefined
}

export const isMe = (users: readonly FullUser[], { me }: AdminView): boolean => users.some(({ id }) => id === me?.id)

/** The address of one, the number of several. */
export const userCount = ([first, ...rest]: readonly FullUser[]): string =>
  rest.length === 0 ? (first?.email ?? 'the user') : `${rest.length + 1} users`
