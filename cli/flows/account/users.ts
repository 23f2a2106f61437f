import type { FullUser, User } from '../../../shared/entities.ts'
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

export const userColumns: readonly Column<FullUser>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'Email', value: ({ email }) => email },
  { header: 'Verified', value: ({ emailVerified }) => emailVerified },
  { header: 'Name', value: ({ name }) => name },
  { header: 'Image', value: ({ image }) => image },
  { header: 'Role', value: ({ role }) => role },
  { header: 'Created', value: ({ createdAt }) => createdAt },
  { header: 'Updated', value: ({ updatedAt }) => updatedAt },
]
