import { emailField, newPasswordField } from '../account/fields.ts'
import { type Flow, noSubject } from '../flow.ts'
import { type ListedUser, listedUser, listedUserFields } from './users.ts'

const fields = {
  email: { ...emailField, summary: 'address of the new user' },
  name: { kind: 'text', label: 'Name', flag: '--name <name>', summary: 'what they are called' },
  password: { ...newPasswordField, label: 'Password', summary: 'file that holds their password, - for stdin' },
  roles: {
    kind: 'list',
    label: 'Roles',
    flag: '--role <role>',
    summary: 'platform roles they get, comma-separated; default: that of sign-ups',
    key: 'role',
    isOptional: true,
  },
  isVerified: {
    kind: 'toggle',
    label: 'Address verified',
    flag: '--verified',
    summary: 'their address counts as proven',
    key: 'emailVerified',
  },
} as const

export const createUser: Flow<undefined, typeof fields, unknown, ListedUser> = {
  command: 'admin user create',
  summary: 'Create a user with a password; nobody is mailed or signed in',
  title: 'Create a user',
  writes: true,
  needsSession: true,
  subject: noSubject,
  fields,
  call: '/admin/create-user',
  answer: listedUserFields,
  examples: [
    '--email ann@example.com --name Ann',
    '--email ann@example.com --name Ann --role admin --verified --password-file - < password.txt',
  ],
  run: async (ports, _, { email, name, password, roles, isVerified }) => {
    const { api } = await ports.signedIn()
    const { user } = await api.admin.createUser({
      email,
      name,
      password,
      ...(roles && roles.length > 0 && { role: [...roles] }),
      ...(isVerified && { data: { emailVerified: true } }),
    })
    return { sentence: `Created ${user.email}`, status: 'created', resource: listedUser(user) }
  },
}
