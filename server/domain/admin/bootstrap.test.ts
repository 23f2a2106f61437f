import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lastAdmin } from '../../testing/admin-ways.ts'
import { somebody } from '../../testing/admins.ts'
import { canSignIn, mailsTo } from '../../testing/mailed.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { bootstrapAdmin } from './bootstrap.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  await service.deps.sql`update users set roles = '{user}'`
})

const bootstrap = (email: string, isForced = false) => bootstrapAdmin(service.deps, { email, isForced })

describe('the first administrator', () => {
  it('is a user whom the address names, signed in or not', async () => {
    const ann = await somebody(service)
    expect(await bootstrap(ann.email.toUpperCase())).toMatchObject({
      outcome: 'done',
      user: { id: ann.id, role: ['user', 'admin'] },
      link: null,
    })
    expect((await ann.get('/admin/list-users')).status).toBe(200)
    const trail = await service.deps
      .sql`select event, actor_id, details from audit_events where user_id = ${ann.id} and event like 'user-%'`
    expect(trail).toEqual([{ event: 'user-role-changed', actorId: null, details: { from: 'user', to: 'user,admin' } }])
  })

  it('is made where there is no such user, with a link that sets a password', async () => {
    const email = `new-${crypto.randomUUID()}@example.com`
    const made = await bootstrap(email)
    if (made.outcome !== 'done' || made.link === null) throw new Error(`Bootstrap: ${JSON.stringify(made)}`)
    expect(made.user).toMatchObject({ email, role: ['admin'], emailVerified: false })
    expect((await mailsTo(service, email)).map(({ kind, url }) => [kind, url])).toEqual([['reset-password', made.link]])
    const [, token] = /reset-password\/(\w+)/.exec(made.link) ?? []
    const newPassword = 'another horse battery staple'
    expect((await service.visitor().post('/reset-password', { token, newPassword })).status).toBe(200)
    expect(await canSignIn(service, email, newPassword)).toBe(true)
  })

  it('is the first: with one there already it has to be forced', async () => {
    await lastAdmin(service)
    const ann = await somebody(service)
    expect(await bootstrap(ann.email)).toEqual({ outcome: 'admin-exists' })
    expect(await bootstrap(ann.email, true)).toMatchObject({ outcome: 'done' })
  })

  it('counts who is named in the settings, and not who is banned', async () => {
    const [ann, bob] = [await somebody(service), await somebody(service)]
    const named = await service.sibling({ ADMIN_USER_IDS: ann.id })
    expect(await bootstrapAdmin(named.deps, { email: bob.email, isForced: false })).toEqual({ outcome: 'admin-exists' })
    await service.deps.sql`update users set banned = true where id = ${ann.id}`
    expect(await bootstrapAdmin(named.deps, { email: bob.email, isForced: false })).toMatchObject({ outcome: 'done' })
  })

  it('is nobody banned, unless forced: then the ban is lifted', async () => {
    const ann = await somebody(service)
    await service.deps.sql`update users set banned = true where id = ${ann.id}`
    expect(await bootstrap(ann.email)).toEqual({ outcome: 'banned' })
    expect(await bootstrap(ann.email, true)).toMatchObject({ outcome: 'done', user: { banned: false } })
  })

  it('needs an address, and a role that there is', async () => {
    expect(await bootstrap('ann')).toEqual({ outcome: 'invalid-email' })
    const custom = await service.sibling()
    Object.assign(custom.deps.config, { platformRoles: { user: {} } })
    expect(await bootstrapAdmin(custom.deps, { email: 'ann@example.com', isForced: true })).toEqual({
      outcome: 'no-admin-role',
    })
  })

  it('is one, when two are made at once', async () => {
    const [ann, bob] = [await somebody(service), await somebody(service)]
    const outcomes = await Promise.all([bootstrap(ann.email), bootstrap(bob.email)])
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['admin-exists', 'done'])
  })
})
