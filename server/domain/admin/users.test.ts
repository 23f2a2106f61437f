import { describe, expect, it, onTestFinished } from 'vitest'
import type { Sql } from '../../db/connect.ts'
import { onlyNamedAdmin } from '../../testing/admin-ways.ts'
import { actingAs, adminOf, holderOf, type Somebody, somebody } from '../../testing/admins.ts'
import { canSignIn, isSignedIn, mailsTo, userOf, withHooks } from '../../testing/mailed.ts'
import { found } from '../../testing/organizations.ts'
import { countRows, countSessions } from '../../testing/rows.ts'
import { createTestService, limited, type TestService, testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService()
const admin = useMade(() => adminOf(service))

const another = 'another horse battery staple'
const draft = () => ({ email: `new-${crypto.randomUUID()}@example.com`, password: testPassword, name: 'New' })
const rowOf = async (id: string) => (await service.deps.sql`select * from users where id = ${id}`)[0]!

/** A service whose roles are these besides. */
async function withRoles(
  roles: Record<string, Record<string, readonly string[]>>,
  { DEFAULT_ROLE = 'user', ...settings }: Record<string, string> = {},
): Promise<TestService> {
  const sibling = await service.sibling(settings)
  Object.assign(sibling.deps.config, {
    DEFAULT_ROLE,
    platformRoles: { ...sibling.deps.config.platformRoles, ...roles },
  })
  return sibling
}

describe('create-user', () => {
  it('makes a user who can sign in, signed in nowhere and mailed nothing', async () => {
    const asked = draft()
    const { status, body, setCookies } = await admin.post('/admin/create-user', {
      ...asked,
      email: asked.email.toUpperCase(),
    })
    expect([status, setCookies, body.user]).toMatchObject([
      200,
      [],
      { email: asked.email, name: 'New', image: null, emailVerified: false, role: 'user', banned: null },
    ])
    expect([await countSessions(service, asked.email), await mailsTo(service, asked.email)]).toEqual([0, []])
    expect(await canSignIn(service, asked.email)).toBe(true)
  })

  it('gives the role that sign-ups have, as the settings say', async () => {
    const custom = await withRoles({ guest: {} }, { DEFAULT_ROLE: 'guest' })
    const { user } = (await (await adminOf(custom)).post('/admin/create-user', draft())).body
    expect(user.role).toBe('guest')
    const signedUp = await somebody(custom)
    expect((await rowOf(signedUp.id)).roles).toEqual(['guest'])
  })

  it('honours what `data` may hold, and nothing else of it', async () => {
    const image = 'https://example.com/new.png'
    const data = {
      image,
      emailVerified: true,
      role: ['user', 'admin'],
      banned: true,
      banReason: 'Later',
      banExpires: '2099-01-01T00:00:00.000Z',
    }
    const more = {
      id: 'mine',
      email: 'other@example.com',
      password: 'other password',
      name: 'Other',
      createdAt: '2020-01-01T00:00:00.000Z',
    }
    const asked = draft()
    const { user } = (await admin.post('/admin/create-user', { ...asked, data: { ...data, ...more } })).body
    expect(user).toMatchObject({ ...data, role: 'user,admin', email: asked.email, name: 'New' })
    expect([user.id === 'mine', user.createdAt < '2021']).toEqual([false, false])
    await service.deps.sql`update users set banned = false where id = ${user.id}`
    expect(await canSignIn(service, asked.email)).toBe(true)
  })

  it.each<[string, object, string]>([
    ['a role', { role: 'admin' }, 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE'],
    ['a role among others', { role: 'user,admin' }, 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE'],
    ['a role in a list', { role: ['user', 'admin'] }, 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE'],
    ['a role in `data`', { data: { role: 'admin' } }, 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE'],
    ['a proven address', { data: { emailVerified: true } }, 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE'],
    ['a ban', { data: { banned: true } }, 'YOU_ARE_NOT_ALLOWED_TO_BAN_USERS'],
  ])('%s needs its own right', async (_name, more, code) => {
    const custom = await withRoles({ clerk: { user: ['create'] } })
    const clerk = await holderOf(custom, 'clerk')
    const before = await countRows(service)
    const { status, body } = await clerk.post('/admin/create-user', { ...draft(), ...more })
    expect([status, body.code]).toEqual([403, code])
    expect(await countRows(service)).toEqual(before)
    expect((await clerk.post('/admin/create-user', draft())).status).toBe(200)
  })

  it('makes no administrator whom the settings name by an address for who may not', async () => {
    const email = `boss-${crypto.randomUUID()}@example.com`
    const custom = await withRoles({ clerk: { user: ['create', 'set-role'] } }, { ADMIN_EMAILS: email })
    const clerk = await holderOf(custom, 'clerk')
    const ask = (data: object) => clerk.post('/admin/create-user', { ...draft(), email, data })
    expect((await ask({ emailVerified: true })).status).toBe(403)
    expect((await ask({})).status).toBe(200)
  })
})

it.each<[string, (sql: Sql, userId: string) => PromiseLike<unknown>]>([
  ['ended', (sql, userId) => sql`delete from sessions where user_id = ${userId}`],
  ['ran out', (sql, userId) => sql`update sessions set expires_at = now() where user_id = ${userId}`],
  [
    'was begun by a way in that proves nothing',
    (sql, id) =>
      sql`update sessions s set account_id = a.id from accounts a where s.user_id = ${id} and a.user_id = ${id}`,
  ],
  ['is that of an impersonator', (sql, id) => sql`update sessions set impersonated_by = 'root' where user_id = ${id}`],
])(
  'nobody with less acts as an administrator by an address that only their session has proved, until it %s',
  async (_, change) => {
    const { sql } = service.deps
    const { id: userId, email } = await somebody(service)
    const custom = await withRoles({ actor: { user: ['impersonate'] } }, { ADMIN_EMAILS: email })
    const actor = await holderOf(custom, 'actor')
    await sql`update sessions set account_id = null, proven_email = ${email} where user_id = ${userId}`
    expect((await actor.post('/admin/impersonate-user', { userId })).status).toBe(403)
    await change(sql, userId)
    expect((await actor.post('/admin/impersonate-user', { userId })).status).toBe(200)
  },
)

describe('set-role', () => {
  it('acts on the next request of a live session', async () => {
    const ann = await somebody(service)
    expect((await ann.get('/admin/list-users')).status).toBe(403)
    await admin.post('/admin/set-role', { userId: ann.id, role: 'admin' })
    expect((await ann.get('/admin/list-users')).status).toBe(200)
    expect((await ann.get('/get-session')).body.user.role).toBe('admin')
    await admin.post('/admin/set-role', { userId: ann.id, role: 'user' })
    expect((await ann.get('/admin/list-users')).status).toBe(403)
  })

  it('that changes nothing is told to nobody, and answers the user as they are', async () => {
    const ann = await somebody(service)
    const told = () => service.deps.sql`
      select from audit_events where event = 'user-role-changed' and user_id = ${ann.id}
    `
    const logged = service.logged.length
    const { status, body } = await admin.post('/admin/set-role', { userId: ann.id, role: 'user' })
    expect([status, body.user.id, body.user.role]).toEqual([200, ann.id, 'user'])
    expect([(await told()).length, service.logged.slice(logged).filter(({ event }) => event)]).toEqual([0, []])
    await admin.post('/admin/set-role', { userId: ann.id, role: ['user', 'admin'] })
    expect(await told()).toHaveLength(1)
  })

  it('shows through the cookie cache of the same process at once', async () => {
    const cached = await service.sibling({ COOKIE_CACHE: 'on' })
    const ann = await somebody(cached)
    await ann.get('/get-session')
    await (await adminOf(cached)).post('/admin/set-role', { userId: ann.id, role: ['user', 'admin'] })
    expect((await ann.get('/get-session')).body.user.role).toBe('user,admin')
  })

  it('lets nobody give, or take, more than they have', async () => {
    const custom = await withRoles({
      deputy: { user: ['set-role', 'ban', 'set-password', 'delete'], session: ['revoke'] },
    })
    const deputy = await holderOf(custom, 'deputy')
    const [ann, boss] = [await somebody(custom), await adminOf(custom)]
    const set = (userId: string, role: string) => deputy.post('/admin/set-role', { userId, role })
    expect((await set(ann.id, 'admin')).status).toBe(403)
    expect((await set(deputy.id, 'admin')).status).toBe(403)
    expect((await set(ann.id, 'deputy')).status).toBe(200)
    for (const [name, body] of [
      ['set-role', { role: 'user' }],
      ['ban-user', {}],
      ['unban-user', {}],
      ['set-user-password', { newPassword: another }],
      ['remove-user', {}],
      ['revoke-user-sessions', {}],
    ] as const)
      expect([name, (await deputy.post(`/admin/${name}`, { userId: boss.id, ...body })).status]).toEqual([name, 403])
    const sessionToken = (await boss.get('/get-session')).body.session.id
    expect((await deputy.post('/admin/revoke-user-session', { sessionToken })).status).toBe(403)
    expect([await isSignedIn(boss), await canSignIn(custom, boss.email)]).toEqual([true, true])
  })

  it('of oneself may add, and not take away', async () => {
    const self = await adminOf(service)
    const set = (role: string[]) => self.post('/admin/set-role', { userId: self.id, role })
    expect((await set(['admin', 'user'])).status).toBe(200)
    expect((await set(['user'])).body.code).toBe('YOU_CANNOT_DEMOTE_YOURSELF')
    expect((await set(['admin'])).status).toBe(200)
  })

  it('takes a number for an id, as text', async () => {
    const { sql } = service.deps
    await sql`insert into users (id, email, name) values ('4711', 'number@example.com', 'Number')`
    expect((await admin.post('/admin/set-role', { userId: 4711, role: 'user' })).body.user.id).toBe('4711')
  })
})

it('an address that is declared verified proves the password, and no linked account', async () => {
  const [admin, ann] = [await adminOf(service), await somebody(service)]
  const { sql } = service.deps
  await sql`insert into accounts (id, user_id, provider_id, account_id) values (${ann.id}, ${ann.id}, 'google', ${ann.id})`
  await admin.post('/admin/update-user', { userId: ann.id, data: { emailVerified: true } })
  const proofs =
    await sql`select provider_id, mailbox_proof from accounts where user_id = ${ann.id} order by provider_id`
  expect(proofs.map(({ providerId, mailboxProof }) => [providerId, mailboxProof])).toEqual([
    ['credential', 'admin'],
    ['google', null],
  ])
})

it.each([
  ['each way in has', 'provider', 'admin'],
  ['one of two has not', null, null],
])('a first password by an administrator proves the mailbox where %s', async (_, other, proof) => {
  const [admin, ann] = [await adminOf(service), await somebody(service)]
  const { sql } = service.deps
  await sql`delete from accounts where user_id = ${ann.id}`
  await sql`
    insert into accounts (id, user_id, provider_id, account_id, mailbox_proof, mailbox_proven_at, proven_email)
    select w.id || u.id, u.id, w.id, u.id, w.proof, case when w.proof is not null then now() end,
      case when w.proof is not null then u.email end
    from users u, (values ('google', 'provider'), ('acme', ${other}::text)) as w (id, proof) where u.id = ${ann.id}
  `
  await admin.post('/admin/set-user-password', { userId: ann.id, newPassword: 'another horse battery staple' })
  const rows = await sql`
    select mailbox_proof from accounts where user_id = ${ann.id} and provider_id = 'credential'
  `
  expect(rows).toEqual([{ mailboxProof: proof }])
})

describe('update-user', () => {
  it('lets the last administrator, named by an address, give up neither its proof nor the address', async () => {
    const own = await createTestService()
    onTestFinished(() => own.stop())
    const { only, id, email } = await onlyNamedAdmin(own)
    const change = async (data: object) => (await only.post('/admin/update-user', { userId: id, data })).body.code
    expect(await change({ emailVerified: false })).toBe('THE_LAST_ADMIN_CANNOT_BE_REMOVED')
    expect(await change({ email: 'other@example.com' })).toBe('THE_LAST_ADMIN_CANNOT_BE_REMOVED')
    expect(await change({ email: 'other@example.com', emailVerified: true })).toBe('THE_LAST_ADMIN_CANNOT_BE_REMOVED')
    expect(await userOf(own, email)).toMatchObject({ id, emailVerified: true })
    await adminOf(own)
    expect(await change({ emailVerified: false })).toBeUndefined()
    expect(await userOf(own, email)).toMatchObject({ id, emailVerified: false })
  })
})

it('update-user lets the last administrator exchange the named address only where a password proves the new one', async () => {
  const own = await createTestService()
  onTestFinished(() => own.stop())
  const { only, id, email } = await onlyNamedAdmin(own)
  const also = `also-${email}`
  const named = (await own.sibling({ ADMIN_EMAILS: `${email},${also}` })).copyOf(only)
  const exchange = async () =>
    (await named.post('/admin/update-user', { userId: id, data: { email: also, emailVerified: true } })).body.code
  await own.deps.sql`update accounts set provider_id = 'google' where user_id = ${id}`
  expect(await exchange()).toBe('THE_LAST_ADMIN_CANNOT_BE_REMOVED')
  await own.deps.sql`update accounts set provider_id = 'credential' where user_id = ${id}`
  expect(await exchange()).toBeUndefined()
})

describe('set-user-password', () => {
  it('ends every session, tells the user by mail, and unlocks the account', async () => {
    const guarded = await service.sibling({ ...limited, TRUSTED_PROXIES: '' })
    const ann = await somebody(service)
    const guess = (password: string) => guarded.visitor().post('/sign-in/email', { email: ann.email, password })
    for (let time = 0; time < 11; time += 1) await guess('a wrong passphrase')
    expect((await guess(testPassword)).status).toBe(429)
    const set = { userId: ann.id, newPassword: another }
    expect((await (await adminOf(guarded)).post('/admin/set-user-password', set)).body).toEqual({ status: true })
    expect([await isSignedIn(ann), (await guess(another)).status]).toEqual([false, 200])
    expect((await mailsTo(service, ann.email)).map(({ kind }) => kind)).toEqual(['password-changed'])
    expect(await canSignIn(service, ann.email)).toBe(false)
  })

  it('gives a first password to who has none, and kills reset links', async () => {
    const ann = await somebody(service)
    await service.deps.sql`delete from accounts where user_id = ${ann.id}`
    await service.visitor().post('/forget-password', { email: ann.email })
    await admin.post('/admin/set-user-password', { userId: ann.id, newPassword: another })
    expect(await canSignIn(service, ann.email, another)).toBe(true)
    const left = await service.deps.sql`select from verifications where user_id = ${ann.id}`
    expect(left).toHaveLength(0)
  })

  it('follows the rules for passwords', async () => {
    const ann = await somebody(service, { email: `wilhelmina.${crypto.randomUUID()}@example.com`, name: 'Wilhelmina' })
    for (const newPassword of ['short', 'Wilhelmina1', 'password123', 'x'.repeat(129)])
      expect((await admin.post('/admin/set-user-password', { userId: ann.id, newPassword })).status).toBe(400)
    expect(await canSignIn(service, ann.email)).toBe(true)
  })
})

describe('remove-user', () => {
  it('follows the rules for who deletes their own account, hooks and organizations', async () => {
    const seen: string[] = []
    const hooked = await withHooks(service, {
      beforeDeleteUser: ({ email }) => void seen.push(`before ${email}`),
      afterDeleteUser: ({ email }) => void seen.push(`after ${email}`),
    })
    const by = await adminOf(hooked)
    const [alone, shared] = [await found(hooked), await found(hooked)]
    await shared.join('admin')
    const remove = (userId: string) => by.post('/admin/remove-user', { userId })
    const { status, body } = await remove(alone.owner.userId)
    expect([status, body]).toEqual([
      200,
      { success: true, organizations: [{ id: alone.id, name: 'Acme', slug: alone.slug }] },
    ])
    expect(await isSignedIn(alone.owner)).toBe(false)
    expect((await remove(shared.owner.userId)).body.code).toBe('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    expect(await isSignedIn(shared.owner)).toBe(true)
    expect(seen).toEqual([`before ${alone.owner.email}`, `after ${alone.owner.email}`, `before ${shared.owner.email}`])
  })
})

describe('the sessions of a user', () => {
  it('are listed with handles, those that act as them too, and no ended ones', async () => {
    const { admin: acting, user } = await actingAs(service)
    const { id, token } = (await user.get('/get-session')).body.session
    await service.deps.sql`
      insert into sessions (id, user_id, token_hash, expires_at) values (${crypto.randomUUID()}, ${user.id}, '\\x00', now())
    `
    const { text, body } = await admin.post('/admin/list-user-sessions', { userId: user.id })
    expect(body.sessions).toMatchObject([{ impersonatedBy: acting.id }, { id, token: id, impersonatedBy: null }])
    expect([text.includes(token), body.sessions.length]).toEqual([false, 2])
    expect(
      await isSignedIn({ ...user, get: (path) => service.visitor().get(path, { authorization: `Bearer ${id}` }) }),
    ).toBe(false)
  })

  it.each(['id', 'token'])('end one by one, by the %s', async (field) => {
    const ann = await somebody(service)
    const sessionToken = (await ann.get('/get-session')).body.session[field]
    expect((await admin.post('/admin/revoke-user-session', { sessionToken })).body).toEqual({ success: true })
    expect(await isSignedIn(ann)).toBe(false)
    expect((await admin.post('/admin/revoke-user-session', { sessionToken })).body.code).toBe('SESSION_NOT_FOUND')
  })

  it('end all at once', async () => {
    const ann = await somebody(service)
    await service.visitor().post('/sign-in/email', { email: ann.email, password: testPassword })
    expect((await admin.post('/admin/revoke-user-sessions', { userId: ann.id })).body).toEqual({ success: true })
    expect(await countSessions(service, ann.email)).toBe(0)
  })
})

describe('has-permission', () => {
  const ask = (who: Somebody, body: object) => who.post('/admin/has-permission', body)

  it('tells anybody of themselves, and who may list users of others and of roles', async () => {
    const ann = await somebody(service)
    const permissions = { user: ['list'] }
    expect((await ask(ann, { permissions })).body).toEqual({ error: null, success: false })
    expect((await ask(ann, { userId: ann.id, permissions })).body.success).toBe(false)
    for (const other of [{ userId: admin.id }, { role: 'admin' }, { userId: 'nobody' }])
      expect((await ask(ann, { ...other, permissions })).status).toBe(403)
    expect((await ask(admin, { permissions })).body.success).toBe(true)
    expect((await ask(admin, { userId: ann.id, permissions })).body.success).toBe(false)
    expect((await ask(admin, { role: 'user,admin', permissions })).body.success).toBe(true)
    expect((await ask(admin, { role: 'constructor', permissions })).body.success).toBe(false)
  })

  it('needs exactly one of its two names', async () => {
    const permissions = { user: ['list'] }
    for (const body of [{}, { permissions, permission: permissions }])
      expect((await ask(admin, body)).body.code).toBe('VALIDATION_ERROR')
    expect((await ask(admin, { permissions: {} })).body.success).toBe(false)
  })
})

describe('an organization for somebody else', () => {
  const create = (by: Somebody, userId: string) =>
    by.post('/organization/create', { name: 'Acme', slug: crypto.randomUUID(), userId })

  it('is made by who may create users, and for oneself by everybody else', async () => {
    const ann = await somebody(service)
    expect((await create(admin, ann.id)).body.members[0].userId).toBe(ann.id)
    const other = await somebody(service)
    expect((await create(other, ann.id)).body.members[0].userId).toBe(other.id)
    const named = await service.sibling({ ADMIN_USER_IDS: ann.id })
    const { cookies } = ann
    const there = { ...named.visitor(), ...ann }
    for (const [name, value] of cookies) there.cookies.set(name, value)
    expect((await create(ann, admin.id)).body.members[0].userId).toBe(ann.id)
  })
})
