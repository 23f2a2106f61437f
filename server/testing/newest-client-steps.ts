import type { Json } from './visitor.ts'

export type Who = 'ann' | 'bob' | 'device'
/** What earlier steps answered, and what the sides start with. */
export type Kept = Record<string, Json>

export interface Step {
  readonly label: string
  readonly who: Who
  /** The client's method. */
  readonly method: string
  readonly fields?: (kept: Kept) => object | Promise<object>
  /** The name under which later steps find the data. */
  readonly keep?: string
  readonly after?: (kept: Kept) => unknown
}

type Fields = NonNullable<Step['fields']>
type More = Omit<Partial<Step>, 'fields'> & { readonly who?: Who }

/** A step with the label of its method, unless another is given. Ann takes it unless another person is named. */
export const step = (method: string, fields?: Fields, more: More = {}): Step => ({
  label: method,
  who: 'ann',
  method,
  ...(fields ? { fields } : {}),
  ...more,
})

export const bob = { who: 'bob' } as const
const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
const polled = ({ device }: Kept) => ({ grant_type: grantType, device_code: device.device_code, client_id: 'cli' })
const userCode = ({ device }: Kept) => ({ userCode: device.user_code })
const credentialsOf =
  (who: 'ann' | 'bob'): Fields =>
  ({ emails, password }) => ({ email: emails[who], password })

export const accountSteps: readonly Step[] = [
  step('signUp.email', ({ emails, password }) => ({ name: 'Ann', email: emails.ann, password }), { keep: 'ann' }),
  step('signUp.email', ({ emails, password }) => ({ name: 'Bob', email: emails.bob, password }), {
    ...bob,
    label: 'signUp.email, another',
    keep: 'bob',
  }),
  step('signUp.email', ({ emails, password }) => ({ name: 'Ann', email: emails.ann, password }), {
    label: 'signUp.email, a taken address',
    who: 'device',
  }),
  step('signUp.email', () => ({ name: 'Ann', email: 'cy@example.com', password: 'short' }), {
    label: 'signUp.email, a short password',
    who: 'device',
  }),
  step('signUp.email', ({ password }) => ({ name: 'Ann', email: 'no address', password }), {
    label: 'signUp.email, no address',
    who: 'device',
  }),
  step('sendVerificationEmail', ({ emails }) => ({ email: emails.ann, callbackURL: '/verified' })),
  step('sendVerificationEmail', ({ emails }) => ({ email: emails.bob }), {
    ...bob,
    label: 'sendVerificationEmail, bob',
  }),
  step('verifyEmail', async ({ tokenFor, emails }) => ({
    query: { token: await tokenFor('verify-email', emails.ann) },
  })),
  step(
    'verifyEmail',
    async ({ tokenFor, emails }) => ({ query: { token: await tokenFor('verify-email', emails.bob) } }),
    {
      ...bob,
      label: 'verifyEmail, bob',
    },
  ),
  step('verifyEmail', () => ({ query: { token: 'x' } }), { label: 'verifyEmail, an invalid token' }),
  step('signIn.email', credentialsOf('ann')),
  step('signIn.email', ({ emails }) => ({ email: emails.ann, password: 'wrong horse battery staple' }), {
    label: 'signIn.email, a wrong password',
  }),
  step('sendVerificationEmail', ({ emails }) => ({ email: emails.ann }), {
    label: 'sendVerificationEmail, a verified address',
  }),
  step('getSession'),
  step('listSessions', undefined, { keep: 'ended' }),
  step('signIn.email', credentialsOf('ann'), { label: 'signIn.email, once more' }),
  step('revokeSession', ({ ended: [{ token }] }) => ({ token }), { label: 'revokeSession, one that ended' }),
  step('signIn.email', credentialsOf('ann'), { label: 'signIn.email, on a second device', who: 'device' }),
  step('listSessions', undefined, { label: 'listSessions, two', keep: 'live' }),
  step('getSession', undefined, { label: 'getSession, once more', keep: 'own' }),
  step('revokeSession', ({ live, own }) => ({
    token: live.find((one: Json) => one.id !== own.session.id).token,
  })),
  step('updateUser', () => ({ name: 'Anna' })),
  step('updateUser', () => ({ name: 'Anna', role: 'admin' }), { label: 'updateUser, a role' }),
  step('updateUser', () => ({ image: '/avatars/1.png' }), { label: 'updateUser, a relative image' }),
  step('changeEmail', ({ emails }) => ({ newEmail: emails.bob }), { label: 'changeEmail, a taken address' }),
  step('changeEmail', () => ({ newEmail: 'no address' }), { label: 'changeEmail, no address' }),
  step('updateSession', () => ({ theme: 'dark' })),
  step('listAccounts', undefined, { keep: 'accounts' }),
  step('accountInfo', ({ accounts }) => ({ query: { accountId: accounts[0].id } })),
  step('getAccessToken', () => ({ accountId: 'no-such-account' })),
  step('refreshToken', () => ({ accountId: 'no-such-account' })),
  step('unlinkAccount', () => ({ accountId: 'no-such-account' })),
  step('signIn.social', () => ({ provider: 'google' })),
  step('signIn.social', () => ({ provider: 'nope' }), { label: 'signIn.social, an unknown provider' }),
  step('linkSocial', () => ({ provider: 'google' })),
  step('linkSocial', () => ({ provider: 'google', disableRedirect: true, loginHint: 'ann@example.com' }), {
    label: 'linkSocial, without a redirect',
  }),
  step('changePassword', ({ password }) => ({
    currentPassword: password,
    newPassword: `${password} 1`,
    revokeOtherSessions: true,
  })),
  step('changePassword', ({ password }) => ({ currentPassword: password, newPassword: `${password} 2` }), {
    label: 'changePassword, a wrong password',
  }),
  step('requestPasswordReset', ({ emails }) => ({ email: emails.ann, redirectTo: '/reset' })),
  step('resetPassword', async ({ tokenFor, emails, password }) => ({
    newPassword: password,
    token: await tokenFor('reset-password', emails.ann),
  })),
  step('resetPassword', ({ password }) => ({ newPassword: password, token: 'x' }), {
    label: 'resetPassword, an invalid token',
  }),
  step('signIn.email', credentialsOf('ann'), { label: 'signIn.email, after the reset' }),
  step('token'),
  step('jwks'),
]

const listings = {
  'sorted by name': { sortBy: 'name' },
  'sorted by role': { sortBy: 'role' },
  'sorted by updatedAt': { sortBy: 'updatedAt' },
  'sorted by banned': { sortBy: 'banned' },
  'a name with a text': { filterField: 'name', filterOperator: 'contains', filterValue: 'nn' },
  'a name that starts': { filterField: 'name', filterOperator: 'starts_with', filterValue: 'An' },
  'a name that ends': { filterField: 'name', filterOperator: 'ends_with', filterValue: 'na' },
  'two roles': { filterField: 'role', filterOperator: 'in', filterValue: ['admin', 'user'] },
  'not these roles': { filterField: 'role', filterOperator: 'not_in', filterValue: ['user'] },
  'changed since': { filterField: 'updatedAt', filterOperator: 'gt', filterValue: '2020-01-01' },
  'a search': { searchField: 'name', searchOperator: 'contains', searchValue: 'nn' },
}

const admin: readonly Step[] = [
  step('admin.listUsers', () => ({ query: {} }), {
    label: 'admin.listUsers, without the right',
    after: ({ makeAdmin, ann }) => makeAdmin(ann.user.id),
  }),
  step('admin.listUsers', () => ({ query: { limit: 1 } })),
  ...Object.entries(listings).map(([label, query]) =>
    step('admin.listUsers', () => ({ query }), { label: `admin.listUsers, ${label}` }),
  ),
  step('admin.getUser', ({ bob: { user } }) => ({ query: { id: user.id } })),
  step('admin.getUser', () => ({ query: { id: 'x' } }), { label: 'admin.getUser, an unknown one' }),
  step('admin.createUser', ({ password }) => ({ email: 'new@example.com', password, name: 'New', role: 'user' }), {
    keep: 'created',
  }),
  step('admin.createUser', () => ({ email: 'newer@example.com', name: 'New' }), {
    label: 'admin.createUser, without a password',
  }),
  step('admin.createUser', ({ password }) => ({ email: 'new@example.com', password, name: 'New' }), {
    label: 'admin.createUser, a taken address',
  }),
  step('admin.updateUser', ({ created: { user } }) => ({ userId: user.id, data: { name: 'Newer' } })),
  step('admin.updateUser', ({ created: { user } }) => ({ userId: user.id, data: {} }), {
    label: 'admin.updateUser, nothing',
  }),
  step('admin.updateUser', () => ({ userId: 'x', data: { name: 'Newer' } }), {
    label: 'admin.updateUser, an unknown one',
  }),
  step('admin.setRole', ({ created: { user } }) => ({ userId: user.id, role: 'admin' })),
  step('admin.hasPermission', () => ({ permissions: { user: ['ban'] } })),
  step('admin.banUser', ({ created: { user } }) => ({ userId: user.id, banReason: 'Spam', banExpiresIn: 3600 })),
  step('admin.unbanUser', ({ created: { user } }) => ({ userId: user.id })),
  step('admin.banUser', ({ ann: { user } }) => ({ userId: user.id }), { label: 'admin.banUser, oneself' }),
  step('admin.setUserPassword', ({ created: { user }, password }) => ({
    userId: user.id,
    newPassword: `${password} 3`,
  })),
  step('admin.listUserSessions', ({ bob: { user } }) => ({ userId: user.id }), { keep: 'listed' }),
  step('admin.impersonateUser', ({ bob: { user } }) => ({ userId: user.id })),
  step('getSession', undefined, { label: 'getSession, impersonated' }),
  step('admin.stopImpersonating'),
  step('admin.revokeUserSession', ({ listed }) => ({ sessionToken: listed.sessions[0].token })),
  step('admin.revokeUserSessions', ({ bob: { user } }) => ({ userId: user.id })),
  step('admin.removeUser', ({ created: { user } }) => ({ userId: user.id })),
]

const device: readonly Step[] = [
  step('device.code', () => ({ client_id: 'cli' }), { keep: 'device' }),
  step('device.token', polled, { label: 'device.token, pending', who: 'device' }),
  step('device', ({ device: { user_code } }) => ({ query: { user_code } })),
  step('device.approve', userCode),
  step('device.token', polled, { who: 'device' }),
  step('device.code', () => ({ client_id: 'cli' }), { label: 'device.code, another', keep: 'device' }),
  step('device', ({ device: { user_code } }) => ({ query: { user_code } }), { label: 'device, another' }),
  step('device.deny', userCode),
  step('device.token', polled, { label: 'device.token, denied', who: 'device' }),
]

const end: readonly Step[] = [
  step('multiSession.listDeviceSessions', undefined, { keep: 'onDevice' }),
  step('multiSession.setActive', ({ onDevice: [{ session }] }) => ({ sessionToken: session.token })),
  step('multiSession.setActive', () => ({ sessionToken: 'x' }), { label: 'multiSession.setActive, an unknown one' }),
  step('multiSession.revoke', () => ({ sessionToken: 'x' }), { label: 'multiSession.revoke, an unknown one' }),
  step('revokeOtherSessions'),
  step('signIn.email', credentialsOf('bob'), { label: 'signIn.email, a second account' }),
  step('multiSession.listDeviceSessions', undefined, {
    label: 'multiSession.listDeviceSessions, two accounts',
    keep: 'onDevice',
  }),
  step(
    'multiSession.setActive',
    ({ onDevice, ann }) => ({
      sessionToken: onDevice.find((one: Json) => one.user.id === ann.user.id).session.token,
    }),
    { label: 'multiSession.setActive, the first account' },
  ),
  step('getSession', undefined, { label: 'getSession, the first account' }),
  step(
    'multiSession.revoke',
    ({ onDevice, ann }) => ({
      sessionToken: onDevice.find((one: Json) => one.user.id === ann.user.id).session.token,
    }),
    {},
  ),
  step('getSession', undefined, { label: 'getSession, the second account' }),
  step('signOut'),
  step('signOut', undefined, { label: 'signOut, signed out' }),
  step('getSession', undefined, { label: 'getSession, signed out' }),
  step('updateUser', () => ({ name: 'Nobody' }), { label: 'updateUser, signed out' }),
  step('signIn.email', credentialsOf('bob'), { ...bob, label: 'signIn.email, bob' }),
  step('revokeSessions', undefined, bob),
  step('signIn.email', credentialsOf('bob'), { ...bob, label: 'signIn.email, bob again' }),
  step('changeEmail', () => ({ newEmail: 'moved@example.com' }), bob),
  step('deleteUser', ({ password }) => ({ password }), bob),
]

export const laterSteps: readonly Step[] = [...admin, ...device, ...end]
