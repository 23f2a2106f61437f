import { isMachineAddress } from '../../../shared/email.ts'
import type { FullUser, User } from '../../../shared/entities.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import { ownFieldsField } from '../own-fields.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

export const userFields = {
  id: { title: 'ID', type: 'text' },
  email: { title: 'Email', type: 'text' },
  name: { title: 'Name', type: 'text' },
  image: { title: 'Image', type: 'text?' },
  emailVerified: { title: 'Verified', type: 'flag' },
  language: { title: 'Language', type: 'text?', inDetail: ({ language }) => language ?? 'auto' },
  createdAt: { title: 'Created', type: 'date' },
  updatedAt: { title: 'Updated', type: 'date' },
  fields: ownFieldsField,
} as const satisfies FieldsOf<User, User>

export const fullUserFields = {
  ...userFields,
  role: { title: 'Role', type: 'text?' },
  banned: { title: 'Banned', type: 'flag?' },
  banReason: { title: 'Ban reason', type: 'text?' },
  banExpires: { title: 'Banned until', type: 'date?' },
} as const satisfies FieldsOf<FullUser, ShownUser>

/** A short label for a user. The address of a machine would tell people nothing. */
export const shortLabel = ({ email, name }: Pick<User, 'email' | 'name'>): string =>
  isMachineAddress(email) ? `machine ${name}` : email

/** The user as shown, with roles as one text. */
export type ShownUser = Omit<FullUser, 'role'> & { readonly role: string | null }

export const toShownUser = (user: FullUser): ShownUser => ({ ...user, role: user.role && formatRoles(user.role) })

export const userColumns = columnsOf<ShownUser>(fullUserFields, [
  'id',
  'email',
  'emailVerified',
  'name',
  'image',
  'language',
  'role',
  'createdAt',
  'updatedAt',
  'fields',
])

/** `alice@example.com (Alice)`, or the address alone. */
export const userLabel = ({ email, name }: Pick<User, 'email' | 'name'>): string =>
  name ? `${email} (${name})` : email

/** `Ada Lovelace  ada@example.com` */
export const memberLine = ({ name, email }: Pick<User, 'name' | 'email'>): string => `${name}  ${email}`
