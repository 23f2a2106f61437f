import { describe, expect, it } from 'vitest'
import { Failure } from '../../../shared/failure.ts'
import { createApp } from '../../app.ts'
import { actingAs, adminOf, holderOf, type Somebody, somebody } from '../../testing/admins.ts'
import { isSignedIn } from '../../testing/mailed.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { ageSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import { createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'

const service = useTestService()

const session = async (who: Visitor) => (await who.get('/get-session')).body
const impersonate = (admin: Visitor, { id }: { id: string }) => admin.post('/admin/impersonate-user', { userId: id })
const stop = (who: Visitor, headers = {}) => who.post('/admin/stop-impersonating', {}, headers)
const nobody = { session: null, user: null }

describe('an impersonation', () => {
  it.each([true, false])('has the address proven where a way in of the user has: %s', async (isProven) => {
    const [admin, user] = [await adminOf(service), await somebody(service)]
    if (isProven) await proveAddress(service.deps.sql, user.email)
    await impersonate(admin, user)
    expect((await session(admin)).session).toMatchObject({ userId: user.id, addressProven: isProven })
  })

  it('is a short session of its own, marked and hidden from its user, and the way back is kept', async () => {
    const [admin, user] = [await adminOf(service), await somebody(service)]
    const own = await session(admin)
    const { status, body, setCookies } = await impersonate(admin, user)
    expect([status, body.user.id, body.session]).toMatchObject([
      200,
      user.id,
      { userId: user.id, impersonatedBy: admin.id, activeOrganizationId: null },
    ])
    const life = (Date.parse(body.session.expiresAt) - Date.parse(body.session.createdAt)) / 1000
    expect(life).toBe(3600)
    expect(setCookies.map((line) => line.replace(/=[^;]*/, ''))).toEqual([
      'postern.session_token; Path=/; HttpOnly; SameSite=Lax',
      'postern.dont_remember; Path=/; HttpOnly; SameSite=Lax',
      'postern.admin_session; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax',
    ])
    const seen = await session(admin)
    expect(seen).toEqual(body)
    expect(seen.session.token).not.toBe(own.session.token)
    const listed = (await user.get('/list-sessions')).body as { id: string }[]
    expect(listed.map(({ id }) => id)).not.toContain(body.session.id)
  })

  it('stops and leads back to the very session, remembered as it was', async () => {
    const [admin, user] = [await adminOf(service), await somebody(service)]
    const own = await session(admin)
    const { body: begun } = await impersonate(admin, user)
    const { status, body, setCookies } = await stop(admin)
    expect([status, body.session.id, body.session.token, body.user.id]).toEqual([
      200,
      own.session.id,
      own.session.token,
      admin.id,
    ])
    expect(
      setCookies.map((line) => line.replace(/=[^;]*/, '').replace(/Max-Age=(604800|604[5-7]\d\d)/, 'Max-Age=days')),
    ).toEqual([
      'postern.session_token; Max-Age=days; Path=/; HttpOnly; SameSite=Lax',
      'postern.dont_remember; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
      'postern.admin_session; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ])
    expect(await session(admin)).toMatchObject({ session: { id: own.session.id } })
    const dead = service.visitor()
    expect((await dead.get('/get-session', { authorization: `Bearer ${begun.session.token}` })).body).toBeNull()
    expect((await stop(admin)).body.code).toBe('YOU_ARE_NOT_IMPERSONATING_ANYONE')
  })

  it("goes on when the administrator's session cannot be found: stopped again, it leads back there", async () => {
    const admin = await adminOf(service)
    const own = await session(admin)
    await impersonate(admin, await somebody(service))
    const { provenSessions } = service.deps
    const add = (token: string) => {
      if (token === own.session.token) throw new Failure('SERVICE_UNAVAILABLE', { cause: 'on purpose', retryAfter: 1 })
      provenSessions.add(token)
    }
    const faulty = createVisitor(
      createApp({ ...service.deps, provenSessions: { ...provenSessions, add } }),
      service.deps.config,
    )
    for (const [name, value] of admin.cookies) faulty.cookies.set(name, value)
    const { status, headers, setCookies } = await stop(faulty)
    expect([status, headers.get('retry-after'), setCookies]).toEqual([503, '1', []])
    expect((await session(admin)).session.impersonatedBy).toBe(admin.id)
    expect((await stop(admin)).body.session.id).toBe(own.session.id)
  })

  it('of a browser that does not remember leads back to a session that it does not remember', async () => {
    const { email, id } = await adminOf(service)
    const admin = service.visitor()
    await admin.post('/sign-in/email', { email, password: testPassword, rememberMe: false })
    await impersonate(admin, await somebody(service))
    const { setCookies, body } = await stop(admin)
    expect(body.user.id).toBe(id)
    expect(setCookies.some((line) => /dont_remember=[^;]+; Path/.test(line))).toBe(true)
    expect(setCookies.some((line) => /session_token=[^;]+; Path/.test(line))).toBe(true)
  })

  it('works with a bearer token alone: then it just ends', async () => {
    const { admin: signedIn, user } = { admin: await adminOf(service), user: await somebody(service) }
    const { token: own } = (await session(signedIn)).session
    const bearer = (token: string) => ({ authorization: `Bearer ${token}`, cookie: '' })
    const { body, setCookies, headers } = await service
      .visitor()
      .post('/admin/impersonate-user', { userId: user.id }, bearer(own))
    expect(setCookies.join()).not.toContain('admin_session')
    expect(headers.get('set-auth-token')).toContain(body.session.token)
    const stopped = await stop(service.visitor(), bearer(body.session.token))
    expect([stopped.status, stopped.body]).toEqual([200, nobody])
    expect((await service.visitor().get('/list-sessions', bearer(body.session.token))).status).toBe(401)
    expect((await service.visitor().get('/list-sessions', bearer(own))).status).toBe(200)
  })

  it('has prefixed cookies on https', async () => {
    const secure = await service.sibling({ BASE_URL: 'https://id.example.com' })
    const admin = await adminOf(secure)
    const { setCookies } = await impersonate(admin, await somebody(secure))
    expect(setCookies.map((line) => line.replace(/=.*/, ''))).toContain('__Secure-postern.admin_session')
  })

  const kept = 'postern.admin_session'

  it('does not lead back by the cookie of another impersonation: signed out', async () => {
    const { admin } = await actingAs(service)
    const before = admin.cookies.get(kept)!
    await stop(admin)
    await impersonate(admin, await somebody(service))
    admin.cookies.set(kept, before)
    expect((await stop(admin)).body).toEqual(nobody)
    expect([...admin.cookies.keys()].filter((key) => /session|dont/.test(key))).toEqual([])
  })

  it('does not lead back by a changed cookie, or that of somebody else: signed out', async () => {
    const foreign = (await actingAs(service)).admin.cookies.get(kept)!
    const changed = (own: string) => own.replace(/^./, (letter) => (letter === 'x' ? 'y' : 'x'))
    for (const change of [changed, () => foreign]) {
      const { admin } = await actingAs(service)
      admin.cookies.set(kept, change(admin.cookies.get(kept)!))
      const { status, body } = await stop(admin)
      expect([status, body]).toEqual([200, nobody])
      expect([...admin.cookies.keys()].filter((key) => /session|dont/.test(key))).toEqual([])
    }
  })

  it('is neither fresh nor extended, however old', async () => {
    const long = await service.sibling({ SESSION_FRESH_AGE: '0', SESSION_UPDATE_AGE: '0' })
    const { admin, user } = await actingAs(long)
    const { id, expiresAt } = (await session(admin)).session
    await ageSessions(long, user.email, 60)
    const { session: later } = await session(admin)
    expect([later.id, Date.parse(expiresAt) - Date.parse(later.expiresAt)]).toEqual([id, 60_000])
    const [row] = await service.deps.sql`select authenticated_at, remembered from sessions where id = ${id}`
    expect([row!.remembered, row!.authenticatedAt.getFullYear() < 2000]).toEqual([false, true])
  })

  it('lives no longer than the session it was begun in, and as long as the settings say', async () => {
    const admin = await adminOf(service)
    await service.deps.sql`
      update sessions set remembered = false, expires_at = now() + interval '10 minutes' where user_id = ${admin.id}
    `
    const { expiresAt } = (await session(admin)).session
    expect((await impersonate(admin, await somebody(service))).body.session.expiresAt).toBe(expiresAt)
    const short = await service.sibling({ IMPERSONATION_SESSION_DURATION: '5m' })
    const { body } = await impersonate(await adminOf(short), await somebody(short))
    expect(Date.parse(body.session.expiresAt) - Date.parse(body.session.createdAt)).toBe(300_000)
  })

  it('is read from the database each time, also where sessions are cached', async () => {
    const cached = await service.sibling({ COOKIE_CACHE: 'on' })
    const { admin } = await actingAs(cached)
    const { setCookies, body } = await admin.get('/get-session')
    expect([body.session.impersonatedBy, setCookies]).toEqual([admin.id, []])
  })
})

describe('nobody acts as', () => {
  const refusal = ({ status, body, setCookies }: Reply) => [status, body.code, setCookies.length]

  it('who may do anything on the platform, themselves included', async () => {
    const admin = await adminOf(service)
    expect(refusal(await impersonate(admin, await adminOf(service)))).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS', 0])
    expect(refusal(await impersonate(admin, admin))).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS', 0])
    const custom = await service.sibling()
    const roles = { ...custom.deps.config.platformRoles, helper: { session: ['list'] } }
    Object.assign(custom.deps.config, { platformRoles: roles })
    const helper = await holderOf(custom, 'helper')
    expect(refusal(await impersonate(await adminOf(custom), helper))).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS', 0])
    const named = await service.sibling({ ADMIN_USER_IDS: (await somebody(service)).id })
    const [id = ''] = named.deps.config.ADMIN_USER_IDS
    expect(refusal(await impersonate(await adminOf(named), { id }))).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS', 0])
  })

  it('who is banned, nor who is not there', async () => {
    const [admin, user] = [await adminOf(service), await somebody(service)]
    await admin.post('/admin/ban-user', { userId: user.id })
    expect(refusal(await impersonate(admin, user))).toEqual([403, 'BANNED_USER', 0])
    expect(refusal(await impersonate(admin, { id: 'nobody' }))).toEqual([404, 'USER_NOT_FOUND', 0])
  })
})

describe('it ends at once', () => {
  const ways: Record<string, (admin: Somebody, user: Somebody, own: string) => Promise<unknown>> = {
    'when the administrator signs out': (_admin, _user, own) =>
      service.visitor().post('/sign-out', {}, { authorization: `Bearer ${own}` }),
    'when their session is revoked': async (admin, _user, own) =>
      service
        .visitor()
        .post('/revoke-other-sessions', {}, { authorization: `Bearer ${own}` })
        .then(() => service.deps.sql`delete from sessions where user_id = ${admin.id}`),
    'when they are banned': async ({ id }) => (await adminOf(service)).post('/admin/ban-user', { userId: id }),
    'when they are removed': async ({ id }) => (await adminOf(service)).post('/admin/remove-user', { userId: id }),
    'when they lose the right': async ({ id }) =>
      (await adminOf(service)).post('/admin/set-role', { userId: id, role: 'user' }),
    'when the user becomes an administrator': async (_admin, { id }) =>
      (await adminOf(service)).post('/admin/set-role', { userId: id, role: 'admin' }),
    'when the user is banned': async (_admin, { id }) =>
      (await adminOf(service)).post('/admin/ban-user', { userId: id }),
    'when the user ends all sessions': (_admin, user) => user.post('/revoke-sessions'),
    'when its time is over': (_admin, { email }) => ageSessions(service, email, 3601),
  }

  it.each(Object.keys(ways))('%s', async (way) => {
    const [admin, user] = [await adminOf(service), await somebody(service)]
    const { token: own } = (await session(admin)).session
    expect((await impersonate(admin, user)).status).toBe(200)
    expect(await isSignedIn(admin)).toBe(true)
    await ways[way]!(admin, user, own)
    expect(await isSignedIn(admin)).toBe(false)
    expect((await stop(admin)).status).toBe(401)
  })

  it.each<[string, (root: Visitor, admin: Somebody, user: Somebody) => Promise<Reply>]>([
    ['another role', (root, { id }) => root.post('/admin/set-role', { userId: id, role: ['admin', 'user'] })],
    ['another name', (root, { id }) => root.post('/admin/update-user', { userId: id, data: { name: 'New' } })],
    ["the user's other role", (root, _, { id }) => root.post('/admin/set-role', { userId: id, role: 'guest' })],
    [
      "the user's other name",
      (root, _, { id }) => root.post('/admin/update-user', { userId: id, data: { name: 'New' } }),
    ],
  ])('and is not ended by what has nothing to do with it: %s', async (_what, change) => {
    const { admin, user } = await actingAs(service)
    const custom = await service.sibling()
    const { platformRoles } = custom.deps.config
    Object.assign(custom.deps.config, { platformRoles: { ...platformRoles, guest: {} } })
    const { status } = await change(await adminOf(custom), admin, user)
    expect([status, await isSignedIn(admin)]).toEqual([200, true])
  })
})

it('whoever signs out while acting as a user signs out of their own session, too, which their browser forgets', async () => {
  const { admin, user } = await actingAs(service)
  const elsewhere = service.visitor()
  await elsewhere.post('/sign-in/email', { email: admin.email, password: testPassword })
  expect((await admin.post('/sign-out')).status).toBe(200)
  const left = await service.deps.sql`select from sessions where user_id = ${admin.id}`
  expect([left.length, await isSignedIn(elsewhere), await isSignedIn(user)]).toEqual([1, true, true])
})
