import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as adminCalls from '../../../shared/contract/admin.ts'
import type { Call } from '../../../shared/contract/call.ts'
import * as supportCalls from '../../../shared/contract/support.ts'
import { actingAs, adminOf, holderOf, type Somebody, somebody } from '../../testing/admins.ts'
import { serverHeaders } from '../../testing/organizations.ts'
import { leaveLink } from '../../testing/outbox.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { inTurn } from '../../testing/rounds.ts'
import { countRows } from '../../testing/rows.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService()

const calls = { ...adminCalls, ...supportCalls }
type Name = keyof typeof calls
type Ask = (who: Visitor, headers?: Record<string, string>) => Promise<Reply>

/** Each call as it would succeed, about somebody new. */
const asks: Record<Name, () => Promise<Ask>> = {
  listUsers: async () => (who, headers) => who.get('/admin/list-users', headers),
  getUser: async () => {
    const { userId } = await target()
    return (who, headers) => who.get(`/admin/get-user?id=${userId}`, headers)
  },
  updateManagedUser: async () => send('update-user', { ...(await target()), data: { name: 'Other' } }),
  createUser: async () =>
    send('create-user', { email: `new-${crypto.randomUUID()}@example.com`, password: testPassword, name: 'New' }),
  setRole: async () => send('set-role', { ...(await target()), role: 'user' }),
  banUser: async () => send('ban-user', await target()),
  unbanUser: async () => send('unban-user', await target()),
  impersonateUser: async () => send('impersonate-user', await target()),
  stopImpersonating: async () => send('stop-impersonating', {}),
  listUserSessions: async () => send('list-user-sessions', await target()),
  revokeUserSession: async () =>
    send('revoke-user-session', { sessionToken: await sessionOf(await somebody(service)) }),
  revokeUserSessions: async () => send('revoke-user-sessions', await target()),
  removeUser: async () => send('remove-user', await target()),
  setUserPassword: async () =>
    send('set-user-password', { ...(await target()), newPassword: 'another horse battery staple' }),
  exportUser: async () => send('export-user', await target()),
  viewUser: async () => {
    const { userId } = await target()
    return (who, headers) => who.get(`/admin/view-user?userId=${userId}`, headers)
  },
  unlockUser: async () => send('unlock-user', await target()),
  listMails: async () => (who, headers) => who.get('/admin/list-mails', headers),
  resendMail: async () => send('resend-mail', { mailId: await leaveLink(service) }),
  releaseMails: async () => send('release-mails', {}),
  hasPlatformPermission: async () => send('has-permission', { ...(await target()), permissions: { user: ['list'] } }),
}
const target = async () => ({ userId: (await somebody(service)).id })
const send =
  (name: string, body: object): Ask =>
  (who, headers) =>
    who.post(`/admin/${name}`, body, headers)

async function sessionOf(person: Visitor): Promise<string> {
  return (await person.get('/get-session')).body.session.id
}

/** What each call needs; null where it is about the session itself. */
const needed: Record<Name, string | null> = {
  listUsers: 'user:list',
  getUser: 'user:list',
  updateManagedUser: 'user:update',
  createUser: 'user:create',
  setRole: 'user:set-role',
  banUser: 'user:ban',
  unbanUser: 'user:ban',
  impersonateUser: 'user:impersonate',
  stopImpersonating: null,
  listUserSessions: 'session:list',
  revokeUserSession: 'session:revoke',
  revokeUserSessions: 'session:revoke',
  removeUser: 'user:delete',
  setUserPassword: 'user:set-password',
  exportUser: 'user:export',
  viewUser: 'user:list',
  unlockUser: 'user:unlock',
  listMails: 'mail:list',
  resendMail: 'mail:resend',
  releaseMails: 'mail:release',
  hasPlatformPermission: 'user:list',
}
const names = Object.keys(asks) as Name[]

/** A service whose platform has a role for each single permission. */
async function withSingleRoles(): Promise<TestService> {
  const sibling = await service.sibling()
  const single = [...new Set(Object.values(needed))].filter((permission) => permission !== null)
  const roles = single.map((permission) => {
    const [resource = '', action = ''] = permission.split(':')
    return [roleOf(permission), { [resource]: [action] }]
  })
  Object.assign(sibling.deps.config, { platformRoles: { user: {}, ...Object.fromEntries(roles) } })
  return sibling
}
const roleOf = (permission: string) => permission.replace(':', '-')

/** What comes of a call: the status, the code, and whether nothing was written nor set. */
const outcomeOf = async (ask: Ask, who: Visitor, headers?: Record<string, string>) => {
  const before = await countRows(service)
  const { status, body, setCookies } = await ask(who, headers)
  const isUnchanged = isDeepStrictEqual(await countRows(service), before) && setCookies.length === 0
  return { status, isUnchanged, isUnderstood: body?.code !== 'VALIDATION_ERROR' }
}
const refused = (status: number) => ({ status, isUnchanged: true, isUnderstood: true })

describe.each(inTurn(names))('%s', (name) => {
  const isOwn = name === 'stopImpersonating'

  it('is refused to who is signed out, and to a trusted server', async () => {
    const ask = await asks[name]()
    expect(await outcomeOf(ask, service.visitor())).toEqual(refused(401))
    expect(await outcomeOf(ask, service.visitor(), serverHeaders)).toEqual(refused(401))
  })

  it('is refused to a user, whatever their session', async () => {
    const [ask, ann] = [await asks[name](), await somebody(service)]
    expect(await outcomeOf(ask, ann)).toEqual(refused(isOwn ? 400 : 403))
    const bearer = { authorization: `Bearer ${await tokenOf(ann)}`, cookie: '' }
    expect(await outcomeOf(ask, service.visitor(), bearer)).toEqual(refused(isOwn ? 400 : 403))
  })

  it('is refused to a banned administrator', async () => {
    const [ask, admin] = [await asks[name](), await adminOf(service)]
    await service.deps.sql`update users set banned = true where id = ${admin.id}`
    expect(await outcomeOf(ask, admin)).toEqual(refused(401))
  })

  it('is granted to an administrator', async () => {
    const ask = await asks[name]()
    const admin = isOwn ? (await actingAs(service)).admin : await adminOf(service)
    expect((await ask(admin)).status).toBe(200)
  })
})

describe.each(
  inTurn(
    names.filter((name) => needed[name] !== null),
    1,
  ),
)('%s', (name) => {
  it('is refused to an administrator who acts as a user', async () => {
    const ask = await asks[name]()
    const { admin } = await actingAs(service)
    expect(await outcomeOf(ask, admin)).toEqual(refused(403))
  })

  it('is refused to who acts as a user who is an administrator by now', async () => {
    const ask = await asks[name]()
    const { admin, user } = await actingAs(service)
    await service.deps.sql`update users set roles = '{admin}' where id = ${user.id}`
    expect(await outcomeOf(ask, admin)).toEqual(refused(403))
  })

  it('needs exactly its own permission of a role of the config file', async () => {
    const custom = await withSingleRoles()
    const permission = needed[name] ?? ''
    const others = [...new Set(Object.values(needed))].filter((other) => other !== null && other !== permission)
    const without = await holderOf(custom, ...others.map((other) => roleOf(other ?? '')))
    expect(await outcomeOf(await asks[name](), without)).toEqual(refused(403))
    expect((await (await asks[name]())(await holderOf(custom, roleOf(permission)))).status).toBe(200)
    expect((await (await asks[name]())(await adminOf(custom))).status).toBe(403)
  })
})

const tokenOf = async (person: Somebody): Promise<string> => (await person.get('/get-session')).body.session.token

it('covers every call of the contract', () => {
  const paths = (Object.values(calls) as Call[]).map(({ path }) => path)
  expect(paths.every((path) => path.startsWith('/admin/'))).toBe(true)
  expect(names.toSorted()).toEqual(Object.keys(calls).toSorted())
})

it('the settings name administrators: by id, and by an address once it is verified', async () => {
  const [ann, bob] = [await somebody(service), await somebody(service)]
  const named = await service.sibling({ ADMIN_USER_IDS: ann.id, ADMIN_EMAILS: ` ${bob.email.toUpperCase()} ` })
  const list = (person: Somebody) =>
    named.visitor().get('/admin/list-users', { cookie: [...person.cookies].map((pair) => pair.join('=')).join('; ') })
  expect([(await list(ann)).status, (await list(bob)).status]).toEqual([200, 403])
  await proveAddress(service.deps.sql, bob.email)
  expect((await list(bob)).status).toBe(200)
  expect((await ann.get('/admin/list-users')).status).toBe(403)
})

it('a role is one of a list: a comma in a name makes no administrator', async () => {
  const admin = await adminOf(service)
  const userId = (await somebody(service)).id
  for (const role of ['', ' ', [], 'king', 'user,', 'user,king', ['user', ''], 'Admin', 'constructor', '__proto__'])
    expect([role, (await admin.post('/admin/set-role', { userId, role })).body]).toMatchObject([
      role,
      { code: 'ROLE_NOT_FOUND' },
    ])
  const reply = await admin.post('/admin/set-role', { userId, role: 'user, admin' })
  expect([reply.status, reply.body.user.role]).toEqual([200, 'user,admin'])
})
