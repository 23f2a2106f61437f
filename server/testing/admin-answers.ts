import { actingAs, adminOf, somebody } from './admins.ts'
import { found } from './organizations.ts'
import { type TestService, testPassword } from './service.ts'
import type { Reply } from './visitor.ts'

/** One answer of each call of administrators, with everything in it that it can have. */
export function adminAnswers(service: () => TestService): Record<string, () => Promise<Reply>> {
  const post = async (name: string, body: object, userId?: string) => {
    const [admin, id] = [await adminOf(service()), userId ?? (await somebody(service())).id]
    return admin.post(`/admin/${name}`, { userId: id, ...body })
  }
  return {
    listUsers: async () => (await adminOf(service())).get('/admin/list-users?limit=1&offset=0'),
    getUser: async () => (await adminOf(service())).get(`/admin/get-user?id=${(await somebody(service())).id}`),
    updateManagedUser: () => post('update-user', { data: { name: 'Other' } }),
    createUser: async () => {
      const email = `new-${crypto.randomUUID()}@example.com`
      return (await adminOf(service())).post('/admin/create-user', { email, password: testPassword, name: 'New' })
    },
    setRole: () => post('set-role', { role: ['admin', 'user'] }),
    banUser: () => post('ban-user', { banExpiresIn: 3600 }),
    unbanUser: async () => {
      const { id } = await somebody(service())
      await post('ban-user', {}, id)
      return post('unban-user', {}, id)
    },
    impersonateUser: () => post('impersonate-user', {}),
    stopImpersonating: async () => (await actingAs(service())).admin.post('/admin/stop-impersonating'),
    listUserSessions: () => post('list-user-sessions', {}),
    revokeUserSession: async () => {
      const { id } = (await (await somebody(service())).get('/get-session')).body.session
      return (await adminOf(service())).post('/admin/revoke-user-session', { sessionToken: id })
    },
    revokeUserSessions: () => post('revoke-user-sessions', {}),
    removeUser: async () => post('remove-user', {}, (await found(service())).owner.userId),
    setUserPassword: () => post('set-user-password', { newPassword: 'another horse battery staple' }),
    hasPlatformPermission: () => post('has-permission', { permissions: { user: ['list'] } }),
  }
}
