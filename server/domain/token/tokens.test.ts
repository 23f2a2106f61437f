import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { tokenAlgorithms } from '../../../shared/token.ts'
import { HookRefusal } from '../../settings/hook-refusal.ts'
import { withHooks } from '../../testing/mailed.ts'
import { done, found } from '../../testing/organizations.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { keysAt, tokenOf, verifyAt } from '../../testing/tokens.ts'
import { useTestService } from '../../testing/use-service.ts'
import { cookieHeader, type Visitor } from '../../testing/visitor.ts'

const service = useTestService()

const origin = 'http://localhost:4100'
const header = 'set-auth-jwt'
const headerOf = async (visitor: Visitor, query = '') => (await visitor.get(`/get-session${query}`)).headers.get(header)
/** The same session at another instance of the service. */
const at = (other: TestService, { cookies }: Visitor) => ({
  get: (path: string) => other.visitor().get(path, { cookie: cookieHeader(cookies) }),
})
const userIn = async (visitor: Visitor) => (await visitor.get('/get-session')).body.user

it.each(tokenAlgorithms)('signs with %s, and says so with the key', async (JWT_ALGORITHM) => {
  const fresh = await createTestService({ JWT_ALGORITHM })
  const ann = await fresh.person()
  const { payload, protectedHeader } = await verifyAt(fresh, await tokenOf(ann))
  const { keys } = await keysAt(fresh)
  expect(protectedHeader).toEqual({ alg: JWT_ALGORITHM, kid: keys[0]?.kid, typ: 'JWT' })
  expect(keys).toMatchObject([{ alg: JWT_ALGORITHM, use: 'sig', kid: expect.any(String) }])
  expect(payload.sub).toBe((await userIn(ann)).id)
  await fresh.stop()
})

describe('a token', () => {
  it('is for whoever is signed in', async () => {
    expect((await service.visitor().get('/token')).status).toBe(401)
  })

  it('tells the whole user, from whom and for whom it is, and lives 15 minutes', async () => {
    const ann = await service.person()
    const user = await userIn(ann)
    const { iat = 0, exp = 0, ...claims } = (await verifyAt(service, await tokenOf(ann))).payload
    expect(claims).toEqual({ ...user, iss: origin, aud: origin, sub: user.id })
    expect(exp - iat).toBe(900)
  })

  it('tells the active organization and what the user is there, as it is now', async () => {
    const acme = await found(service)
    const admin = await acme.join('admin')
    const organizationOf = async () => (await verifyAt(service, await tokenOf(admin))).payload.organization
    expect(await organizationOf()).toEqual({ id: acme.id, slug: acme.slug, roles: ['admin'] })
    const { memberId } = admin
    await done(acme.owner.post('/organization/update-member-role', { memberId, role: 'member' }))
    expect(await organizationOf()).toEqual({ id: acme.id, slug: acme.slug, roles: ['member'] })
    expect(decodeJwt((await headerOf(admin))!).organization).toMatchObject({ roles: ['member'] })
    await done(admin.post('/organization/set-active', { organizationId: null }))
    expect(await organizationOf()).toBeUndefined()
  })

  it('says nothing of an organization that the user has left', async () => {
    const acme = await found(service)
    const member = await acme.join('member')
    expect(decodeJwt(await tokenOf(member))).toHaveProperty('organization')
    await service.deps.sql`delete from members where id = ${member.memberId}`
    expect(decodeJwt(await tokenOf(member))).not.toHaveProperty('organization')
  })

  it('names who really acts, where somebody acts as the user', async () => {
    const [ann, root] = [await service.person(), await userIn(await service.person())]
    await service.deps.sql`
      update sessions set impersonated_by = ${root.id} where user_id = ${(await userIn(ann)).id}
    `
    for (const token of [await tokenOf(ann), (await headerOf(ann))!])
      expect(decodeJwt(token)).toMatchObject({ sub: (await userIn(ann)).id, act: { sub: root.id } })
  })

  it.each(['banned', 'deleted'])('is not made for somebody who is %s', async (what) => {
    const ann = await service.person()
    await ann.get('/get-session')
    const { sql } = service.deps
    await (what === 'banned'
      ? sql`update users set banned = true where email = ${ann.email}`
      : sql`delete from users where email = ${ann.email}`)
    expect((await ann.get('/get-session')).headers.get(header)).toBeNull()
    expect((await ann.get('/token')).status).toBe(401)
  })

  it('is for, from and as long as the settings say', async () => {
    const settings = { JWT_ISSUER: 'accounts', JWT_AUDIENCE: 'shop,mail', JWT_EXPIRES_IN: '2m', JWT_CLAIMS: 'minimal' }
    const other = await service.sibling(settings)
    const ann = await service.person()
    const { iat = 0, exp = 0, ...claims } = decodeJwt((await at(other, ann).get('/token')).body.token)
    expect(claims).toEqual({ iss: 'accounts', aud: ['shop', 'mail'], sub: (await userIn(ann)).id })
    expect(exp - iat).toBe(120)
  })

  it('carries no picture of its own bytes: it has to fit into headers', async () => {
    const ann = await service.person()
    const image = `data:image/png;base64,${'A'.repeat(1600)}`
    await done(ann.post('/update-user', { image }))
    expect((await userIn(ann)).image).toBe(image)
    expect(decodeJwt(await tokenOf(ann)).image).toBeNull()
    await done(ann.post('/update-user', { image: 'https://example.com/ann.png' }))
    expect(decodeJwt(await tokenOf(ann)).image).toBe('https://example.com/ann.png')
  })
})

describe("the application's own claims", () => {
  const asked = async (defineTokenPayload: (about: { user: { email: string }; organization: unknown }) => unknown) => {
    const own = await withHooks(service, { defineTokenPayload })
    return at(own, await service.person())
  }

  it('take the place of the user, and of nothing that is ours to say', async () => {
    const stolen = { sub: 'x', iss: 'x', aud: 'x', iat: 1, exp: 9_999_999_999, nbf: 1, jti: 'x', act: { sub: 'x' } }
    const ann = await asked(({ user }) => Promise.resolve({ domain: user.email.split('@')[1], ...stolen }))
    const { sub, iat = 0, exp = 0, ...claims } = decodeJwt((await ann.get('/token')).body.token)
    expect(claims).toEqual({ domain: 'example.com', iss: origin, aud: origin })
    expect([sub === 'x', exp - iat]).toEqual([false, 900])
  })

  it('refuse the token in their own words; the session is told without it', async () => {
    const defineTokenPayload = () => {
      throw new HookRefusal('Pay first', { status: 402 })
    }
    const own = await withHooks(service, { defineTokenPayload })
    const person = await service.person()
    const ann = at(own, person)
    const cookie = cookieHeader(person.cookies)
    const refused = await own.app.request(`${origin}/api/auth/token`, { headers: { cookie } })
    expect([refused.status, await refused.json()]).toEqual([402, { code: 'PAY_FIRST', message: 'Pay first' }])
    const { status, body, headers } = await ann.get('/get-session')
    expect([status, body.user.name, headers.get(header)]).toEqual([200, 'Ann', null])
  })

  it.each([[null], ['text'], [['list']], [undefined]])('have to be an object, not %j', async (answer) => {
    const ann = await asked(() => answer)
    expect((await ann.get('/token')).status).toBe(500)
    expect((await ann.get('/get-session')).status).toBe(200)
  })
})

describe('get-session', () => {
  it('sends a token along, which pages of trusted origins may read', async () => {
    const ann = await service.person()
    const { headers, body } = await ann.get('/get-session', { origin })
    expect((await verifyAt(service, headers.get(header)!)).payload.sub).toBe(body.user.id)
    expect(headers.get('access-control-expose-headers')).toMatch(/set-auth-token.*set-auth-jwt/)
  })

  it('stays one statement, and writes nothing', async () => {
    const { owner } = await found(service)
    await owner.get('/get-session')
    service.statements.forget()
    await owner.get('/get-session')
    expect(service.statements.list).toEqual([expect.stringMatching(/^select asked\.hash/)])
  })

  it('sends the same again for a short while, a new one when it would say something else', async () => {
    const time = { passed: 0 }
    const clock = await createTestService({}, { now: () => new Date(Date.now() + time.passed) })
    const ann = await clock.person()
    const first = await headerOf(ann)
    expect(await headerOf(ann)).toBe(first)
    await done(ann.post('/update-user', { name: 'Anna' }))
    const renamed = await headerOf(ann)
    expect(decodeJwt(renamed!).name).toBe('Anna')
    time.passed = 61_000
    const later = await headerOf(ann)
    expect(decodeJwt(later!).iat).toBeGreaterThan(decodeJwt(renamed!).iat! + 59)
    await clock.stop()
  })

  it('sends a new one when the clock was set back', async () => {
    const time = { passed: 3_600_000 }
    const clock = await createTestService({}, { now: () => new Date(Date.now() + time.passed) })
    const ann = await clock.person()
    const ahead = await headerOf(ann)
    time.passed = 0
    const right = await headerOf(ann)
    expect(decodeJwt(right!).iat).toBeLessThan(decodeJwt(ahead!).iat! - 3000)
    await clock.stop()
  })

  it('says at once that the session has proved the address', async () => {
    const ann = await service.person()
    const { user } = (await ann.get('/get-session')).body
    await service.deps.sql`update users set email_verified = true where id = ${user.id}`
    const says = async () => decodeJwt((await headerOf(ann))!).emailVerified
    expect(await says()).toBe(false)
    await service.deps.sql`update sessions set proven_email = ${user.email} where user_id = ${user.id}`
    expect(await says()).toBe(true)
  })

  it('is not remembered once it can no longer be sent again', async () => {
    const time = { passed: 0 }
    const clock = await createTestService({}, { now: () => new Date(Date.now() + time.passed) })
    const [ann, bob] = [await clock.person(), await clock.person()]
    const { session } = (await ann.get('/get-session')).body
    const { tokens } = clock.deps.tokenMemory
    expect(tokens.get(session.id)).toBeDefined()
    for (const _minute of [1, 2]) {
      time.passed += 60_000
      await bob.get('/get-session')
    }
    expect(tokens.get(session.id)).toBeUndefined()
    await clock.stop()
  })

  it.each([
    ['nobody is signed in', {}, (other: TestService) => other.visitor()],
    ['it is turned off', { JWT_HEADER: 'off' }, (other: TestService) => other.person()],
  ])('sends none when %s', async (_name, settings, visitor) => {
    const other = await service.sibling(settings)
    expect(await headerOf(await visitor(other))).toBeNull()
  })

  it('sends none with what comes from the cookie', async () => {
    const cached = await service.sibling({ COOKIE_CACHE: 'on' })
    const ann = await cached.person()
    expect(await headerOf(ann)).not.toBeNull()
    expect(await headerOf(ann)).toBeNull()
    expect(await headerOf(ann, '?disableCookieCache=true')).not.toBeNull()
  })

  it('sends none that would be too long for the headers of proxies', async () => {
    const ann = await service.person()
    await done(ann.post('/update-user', { image: `https://example.com/${'a'.repeat(2000)}.png` }))
    const { status, headers } = await ann.get('/get-session')
    expect([status, headers.get(header)]).toEqual([200, null])
    expect(decodeJwt(await tokenOf(ann)).image).toMatch(/^https/)
  })
})
