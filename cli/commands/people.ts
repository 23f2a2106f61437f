import type { FullUser, Session, User } from '../../shared/entities.ts'
import { textOfRoles } from '../../shared/role-text.ts'
import type { Connection } from '../connect.ts'
import type { Context } from '../context.ts'
import type { Column } from '../output/cell.ts'
import type { FieldType } from '../output/json.ts'
import { signedOut } from '../refusal.ts'

export const userFields = {
  id: 'text',
  email: 'text',
  name: 'text',
  image: 'text?',
  emailVerified: 'flag',
  createdAt: 'date',
  updatedAt: 'date',
} satisfies Record<keyof User, FieldType>

export const fullUserFields = {
  ...userFields,
  role: 'text?',
  banned: 'flag?',
  banReason: 'text?',
  banExpires: 'date?',
} satisfies Record<keyof ShownUser, FieldType>

/** The full user as it is shown: its roles as one text. */
export type ShownUser = Omit<FullUser, 'role'> & { readonly role: string | null }

export const shownUser = (user: FullUser): ShownUser => ({ ...user, role: user.role && textOfRoles(user.role) })

export const userColumns: readonly Column<ShownUser>[] = [
  { header: 'ID', value: (user) => user.id },
  { header: 'Email', value: (user) => user.email },
  { header: 'Verified', value: (user) => user.emailVerified },
  { header: 'Name', value: (user) => user.name },
  { header: 'Image', value: (user) => user.image },
  { header: 'Role', value: (user) => user.role },
  { header: 'Created', value: (user) => user.createdAt },
  { header: 'Updated', value: (user) => user.updatedAt },
]

/** `alice@example.com (Alice)`, or the address alone. */
export const nameOf = ({ email, name }: Pick<User, 'email' | 'name'>): string => (name ? `${email} (${name})` : email)

export interface ShownSession {
  readonly session: Session
  readonly user: ShownUser
}

/** The session of this run; exit 4 when the service no longer knows it. */
export async function requireSession(
  context: Context,
  { api, server }: Connection,
  query: { readonly disableCookieCache?: 'true' } = {},
): Promise<ShownSession> {
  const view = await api.session.getSession(query)
  if (view) return { session: view.session, user: shownUser(view.user) }
  const { account, from } = await context.identity()
  throw account === undefined
    ? signedOut(
        `The token of ${from} is no session of ${server}`,
        'Is it expired or revoked? Make a new one: postern sign-in',
      )
    : signedOut(
        `The session of ${account} at ${server} has expired or was revoked`,
        `postern sign-in --email ${account}`,
      )
}
