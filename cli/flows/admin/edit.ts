import type { FullUser } from '../../../shared/entities.ts'
import { emailField, languageField, languageIn, languageOptions, languageWord } from '../account/fields.ts'
import type { Flow } from '../flow.ts'
import { ownFieldsFlag, ownValuesIn } from '../own-fields.ts'
import { addressTaken } from './user-acts.ts'
import { type AdminView, type ListedUser, listedUserFields, toListedUser, userFor } from './users.ts'

const fields = {
  name: { kind: 'text', label: 'Name', flag: '--name <name>', summary: 'what they are called', isOptional: true },
  email: {
    ...emailField,
    flag: '--new-email <email>',
    summary: 'their new address; the old one is told, and mailed links end',
    key: 'email',
    isOptional: true,
    isNeverEmpty: true,
    refusals: ['USER_ALREADY_EXISTS', 'INVALID_EMAIL'],
  },
  verified: {
    kind: 'choice',
    label: 'Address verified',
    flag: '--verified <state>',
    summary: 'on: their address counts as verified; off: it does not. A new one does not unless this says so',
    values: ['on', 'off'],
    key: 'emailVerified',
    isOptional: true,
  },
  language: languageField,
  fields: ownFieldsFlag,
} as const

export const editUser: Flow<FullUser, typeof fields, AdminView, ListedUser> = {
  command: 'admin user edit',
  summary: 'Change the name, the address, the language or the fields of a user',
  title: 'Edit the user',
  isEdit: true,
  subject: userFor('user:update'),
  fields,
  own: { of: 'user', by: 'admin', valuesOf: ({ fields: own }) => own },
  call: '/admin/update-user',
  answer: listedUserFields,
  examples: [
    'ann@example.com --name "Ann Lee"',
    'ann@example.com --new-email ann@example.org --verified on',
    'ann@example.com --verified off',
    'ann@example.com --language de',
    'ann@example.com --field plan=pro',
  ],
  options: () => languageOptions(),
  initial: ([user]) =>
    user
      ? {
          name: user.name,
          email: user.email,
          verified: user.emailVerified ? 'on' : 'off',
          language: languageWord(user),
        }
      : {},
  run: async (context, { id: userId }, { name, email, verified, language, fields: given }) => {
    const { api } = await context.signedIn()
    const data = {
      ...(name !== undefined && { name }),
      ...(email && { email }),
      ...(verified && { emailVerified: verified === 'on' }),
      ...languageIn(language),
      ...ownValuesIn(given),
    }
    const user = await api.admin.updateManagedUser({ userId, data }).catch(addressTaken(email ?? ''))
    return { sentence: `Updated ${user.email}`, status: 'updated', resource: toListedUser(user) }
  },
}
