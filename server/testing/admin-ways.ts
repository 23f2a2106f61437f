import type { FailureName } from '../../shared/errors.ts'
import { adminOf, holderOf, type Somebody, somebody } from './admins.ts'
import { userOf, verifiedPerson } from './mailed.ts'
import { found } from './organizations.ts'
import { type TestService, testPassword } from './service.ts'
import type { Reply } from './visitor.ts'

type Ways = Record<string, Partial<Record<FailureName, () => Promise<Reply>>>>

/** The only administrator that there is. */
export async function lastAdmin(service: TestService): Promise<Somebody> {
  const admin = await adminOf(service)
  await service.deps.sql`update users set roles = '{user}' where id <> ${admin.id} and roles <> '{user}'`
  return admin
}

/** The only administrator that there is, by a proven address that the settings name. */
export async function onlyNamedAdmin(service: TestService) {
  const email = `only-${crypto.randomUUID()}@example.com`
  const named = await service.sibling({ ADMIN_EMAILS: email })
  const only = await verifiedPerson(named, { email })
  await service.deps.sql`update users set roles = '{user}' where roles <> '{user}'`
  return { only, named, email, id: (await userOf(service, email)).id }
}

const newUser = (more: object = {}) => ({
  email: `new-${crypto.randomUUID()}@example.com`,
  password: testPassword,
  name: 'New',
  ...more,
})

/** How each listed failure of each call of administrators is reached. */
export function adminWays(service: () => TestService): Ways {
  const asUser = async (name: string, body: object = {}) => (await somebody(service())).post(`/admin/${name}`, body)
  const asAdmin = async (name: string, body: object = {}) => (await adminOf(service())).post(`/admin/${name}`, body)
  const toSelf = async (name: string, more: object = {}) => {
    const admin = await adminOf(service())
    return admin.post(`/admin/${name}`, { userId: admin.id, ...more })
  }
  /** By a role that may do one thing only. */
  const withOnly = async (action: string | string[], name: string, body: object) => {
    const custom = await service().sibling()
    Object.assign(custom.deps.config, {
      platformRoles: { user: {}, admin: { user: ['list'] }, one: { user: [action].flat() } },
    })
    return (await holderOf(custom, 'one')).post(`/admin/${name}`, body)
  }
  const unknown = { userId: 'nobody' }
  const someone = async () => ({ userId: (await somebody(service())).id })
  const create = (more: object) => asAdmin('create-user', newUser(more))
  const setPassword = async (newPassword: string) =>
    asAdmin('set-user-password', { userId: (await somebody(service())).id, newPassword })
  return {
    listUsers: { USER_LIST_FORBIDDEN: async () => (await somebody(service())).get('/admin/list-users') },
    getUser: {
      USER_VIEW_FORBIDDEN: async () => (await somebody(service())).get('/admin/get-user?id=nobody'),
      NO_SUCH_USER: async () => (await adminOf(service())).get('/admin/get-user?id=nobody'),
    },
    updateManagedUser: {
      USER_UPDATE_FORBIDDEN: () => asUser('update-user', { ...unknown, data: { name: 'Other' } }),
      USER_EMAIL_FORBIDDEN: async () =>
        withOnly('update', 'update-user', { ...(await someone()), data: { email: 'other@example.com' } }),
      USER_ROLE_FORBIDDEN: async () =>
        withOnly(['update', 'set-email'], 'update-user', { ...(await someone()), data: { emailVerified: true } }),
      INVALID_EMAIL: () => asAdmin('update-user', { ...unknown, data: { email: 'ann' } }),
      USER_EXISTS_ALREADY: async () =>
        asAdmin('update-user', { ...(await someone()), data: { email: (await somebody(service())).email } }),
      LAST_ADMIN: async () => {
        const { only, id } = await onlyNamedAdmin(service())
        return only.post('/admin/update-user', { userId: id, data: { emailVerified: false } })
      },
      NO_DATA_TO_UPDATE: () => asAdmin('update-user', { ...unknown, data: {} }),
      NO_SUCH_USER: () => asAdmin('update-user', { ...unknown, data: { name: 'Other' } }),
    },
    createUser: {
      USER_CREATE_FORBIDDEN: () => asUser('create-user', newUser()),
      USER_ROLE_FORBIDDEN: () => withOnly('create', 'create-user', newUser({ role: 'admin' })),
      USER_BAN_FORBIDDEN: () => withOnly('create', 'create-user', newUser({ data: { banned: true } })),
      INVALID_EMAIL: () => create({ email: 'ann' }),
      ROLE_NOT_FOUND: () => create({ role: 'king' }),
      PASSWORD_TOO_SHORT: () => create({ password: '1234567' }),
      PASSWORD_TOO_LONG: () => create({ password: 'x'.repeat(129) }),
      PASSWORD_TOO_COMMON: () => create({ password: 'password123' }),
      USER_EXISTS_ALREADY: async () => create({ email: (await somebody(service())).email.toUpperCase() }),
    },
    setRole: {
      USER_ROLE_FORBIDDEN: () => asUser('set-role', { ...unknown, role: 'admin' }),
      ROLE_NOT_FOUND: () => asAdmin('set-role', { ...unknown, role: 'king' }),
      NO_SUCH_USER: () => asAdmin('set-role', { ...unknown, role: 'user' }),
      SELF_DEMOTION: () => toSelf('set-role', { role: 'user' }),
    },
    banUser: {
      USER_BAN_FORBIDDEN: () => asUser('ban-user', unknown),
      SELF_BAN: () => toSelf('ban-user'),
      NO_SUCH_USER: () => asAdmin('ban-user', unknown),
    },
    unbanUser: {
      USER_BAN_FORBIDDEN: () => asUser('unban-user', unknown),
      NO_SUCH_USER: () => asAdmin('unban-user', unknown),
    },
    impersonateUser: {
      USER_IMPERSONATION_FORBIDDEN: () => asUser('impersonate-user', unknown),
      NO_SUCH_USER: () => asAdmin('impersonate-user', unknown),
      ADMIN_IMPERSONATION: () => toSelf('impersonate-user'),
      BANNED_USER: async () => {
        const { id: userId } = await somebody(service())
        await asAdmin('ban-user', { userId })
        return asAdmin('impersonate-user', { userId })
      },
    },
    stopImpersonating: { NOT_IMPERSONATING: () => asUser('stop-impersonating') },
    listUserSessions: {
      USER_SESSIONS_LIST_FORBIDDEN: () => asUser('list-user-sessions', unknown),
      NO_SUCH_USER: () => asAdmin('list-user-sessions', unknown),
    },
    revokeUserSession: {
      USER_SESSIONS_REVOKE_FORBIDDEN: () => asUser('revoke-user-session', { sessionToken: 'x' }),
      SESSION_NOT_FOUND: () => asAdmin('revoke-user-session', { sessionToken: 'x' }),
    },
    revokeUserSessions: {
      USER_SESSIONS_REVOKE_FORBIDDEN: () => asUser('revoke-user-sessions', unknown),
      NO_SUCH_USER: () => asAdmin('revoke-user-sessions', unknown),
    },
    removeUser: {
      USER_DELETE_FORBIDDEN: () => asUser('remove-user', unknown),
      SELF_REMOVAL: () => toSelf('remove-user'),
      NO_SUCH_USER: () => asAdmin('remove-user', unknown),
      ONLY_OWNER: async () => {
        const acme = await found(service())
        await acme.join('admin')
        return asAdmin('remove-user', { userId: acme.owner.userId })
      },
    },
    setUserPassword: {
      USER_PASSWORD_FORBIDDEN: () => asUser('set-user-password', { ...unknown, newPassword: testPassword }),
      PASSWORD_TOO_SHORT: () => setPassword('1234567'),
      PASSWORD_TOO_LONG: () => setPassword('x'.repeat(129)),
      PASSWORD_TOO_COMMON: () => setPassword('password123'),
      NO_SUCH_USER: () => asAdmin('set-user-password', { ...unknown, newPassword: testPassword }),
    },
    hasPlatformPermission: {
      USER_LIST_FORBIDDEN: () => asUser('has-permission', { ...unknown, permissions: { user: ['list'] } }),
      SUBJECT_NOT_FOUND: () => asAdmin('has-permission', { ...unknown, permissions: { user: ['list'] } }),
    },
  }
}
