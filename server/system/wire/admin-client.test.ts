import { randomUUID } from 'node:crypto'
import { adminClient } from 'better-auth/client/plugins'
import { expect, it } from 'vitest'
import { pathsOf, signUpWith } from '../../testing/reference-client.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService, useWire } from '../../testing/use-service.ts'

const service = useTestService()
const wire = useWire(service)

/** Paths that the client asked for. */
const asked = new Set<string>()

const person = async () => {
  const { methods: admin, ...person } = await signUpWith(wire.origin, 'admin', adminClient(), asked)
  return { ...person, admin }
}

it('the reference client administers users by every method that it has', async () => {
  const [ann, bob] = [await person(), await person()]
  expect((await ann.admin.listUsers!({ query: {} })).error).toMatchObject({
    status: 403,
    code: 'YOU_ARE_NOT_ALLOWED_TO_LIST_USERS',
  })
  await service.deps.sql`update users set roles = '{admin}' where id = ${ann.id}`

  const listed = await ann.ask('listUsers', {
    query: { limit: 1, offset: 1, sortBy: 'createdAt', searchValue: '@example' },
  })
  expect(listed).toMatchObject({ users: [{ id: bob.id, createdAt: expect.any(Date) }], total: 2, limit: 1, offset: 1 })

  const email = `New-${randomUUID()}@example.com`
  const { user } = await ann.ask('createUser', { email, password: testPassword, name: 'New', role: 'user' })
  expect(user).toMatchObject({ email: email.toLowerCase(), role: 'user', emailVerified: false })
  expect((await ann.admin.createUser!({ email, password: testPassword, name: 'New' })).error).toMatchObject({
    status: 400,
    code: 'USER_ALREADY_EXISTS',
  })
  expect(await ann.ask('setRole', { userId: user.id, role: ['user', 'admin'] })).toMatchObject({
    user: { role: 'user,admin' },
  })
  expect(await ann.ask('hasPermission', { permissions: { user: ['ban'], session: ['list'] } })).toEqual({
    error: null,
    success: true,
  })
  expect(await ann.ask('hasPermission', { permission: { user: ['fly'] } })).toMatchObject({ success: false })
  expect(ann.admin.checkRolePermission({ role: 'admin', permissions: { user: ['ban'] } })).toBe(true)

  const banned = await ann.ask('banUser', { userId: user.id, banReason: 'Spam', banExpiresIn: 3600 })
  expect(banned.user).toMatchObject({ banned: true, banReason: 'Spam', banExpires: expect.any(Date) })
  expect((await bob.client.signIn.email({ email, password: testPassword })).error).toMatchObject({
    status: 403,
    code: 'BANNED_USER',
  })
  expect(await ann.ask('unbanUser', { userId: user.id })).toMatchObject({ user: { banned: false, banExpires: null } })
  expect((await ann.admin.banUser!({ userId: ann.id })).error).toMatchObject({ code: 'YOU_CANNOT_BAN_YOURSELF' })

  expect(await ann.ask('setUserPassword', { userId: user.id, newPassword: 'another horse battery staple' })).toEqual({
    status: true,
  })
  const signedIn = await bob.client.signIn.email({ email, password: 'another horse battery staple' })
  expect(signedIn.error).toBeNull()
  const { sessions } = await ann.ask('listUserSessions', { userId: user.id })
  expect(sessions).toMatchObject([{ userId: user.id, impersonatedBy: null, expiresAt: expect.any(Date) }])
  expect(await ann.ask('revokeUserSession', { sessionToken: sessions[0].token })).toEqual({ success: true })
  expect((await bob.client.getSession()).data).toBeNull()
  expect(await ann.ask('revokeUserSessions', { userId: user.id })).toEqual({ success: true })

  expect(await ann.ask('impersonateUser', { userId: bob.id })).toMatchObject({
    session: { impersonatedBy: ann.id },
    user: { id: bob.id },
  })
  expect((await ann.client.getSession()).data).toMatchObject({ user: { id: bob.id } })
  expect(await ann.ask('stopImpersonating')).toMatchObject({ user: { id: ann.id } })
  expect((await ann.client.getSession()).data).toMatchObject({ user: { id: ann.id } })

  expect(await ann.ask('removeUser', { userId: user.id })).toEqual({ success: true })
  expect((await ann.admin.removeUser!({ userId: user.id })).error).toMatchObject({ status: 404 })
})

/** Ours, or those of other parts. */
const beside = [
  'list-audit-events',
  'rotate-keys',
  'get-user',
  'update-user',
  'export-user',
  'view-user',
  'unlock-user',
  'list-mails',
  'resend-mail',
  'release-mails',
]

it('has asked every call that the reference has', () => {
  expect(asked).toEqual(pathsOf('admin', beside))
})
