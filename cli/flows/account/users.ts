import { isMachineAddress } from '../../../shared/email.ts'
import type { FullUser, User } from '../../../shared/entities.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'

export const userFields = {
  id: 'text',
  email: 'text',
  name: 'text',
  image: 'text?',
  emailVerified: 'flag',
  createdAt: 'date',
  updatedAt: 'date',
} as const satisfies Record<keyof User, FieldType>

export const fullUserFields = {
  ...userFields,
  role: 'text?',
  banned: 'flag?',
  banReason: 'text?',
  banExpires: 'date?',
} as const satisfies Record<keyof FullUser, FieldType>

/** As whom somebody is shown where there is little room: a machine's address says nothing to people. */
export const shortLabel = ({ email, name }: Pick<User, 'email' | 'name'>): string =>
  isMachineAddress(email) ? `machine ${name}` : email

/** The full user as it is shown: its roles as one text. */
export type ShownUser = Omit<FullUser, 'role'> & { readonly role: string | null }

export const shownUser = (user: FullUser): ShownUser => ({ ...user, role: user.role && textOfRoles(user.role) })

export const userColumns: readonly Column<ShownUser>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'Email', value: ({ email }) => email },
  { header: 'Verified', value: ({ emailVerified }) => emailVerified },
  { header: 'Name', value: ({ name }) => name },
  { header: 'Image', value: ({ image }) => image },
  { header: 'Role', value: ({ role }) => role },
  { header: 'Created', value: ({ createdAt }) => createdAt },
  { header: 'Updated', value: ({ updatedAt }) => updatedAt },
]

/** `alice@example.com (Alice)`, or the address alone. */
export const userLabel = ({ email, name }: Pick<User, 'email' | 'name'>): string =>
  name ? `${email} (${name})` : email
