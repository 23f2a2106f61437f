import { beforeEach, describe, expect, it } from 'vitest'
import { lastAdmin } from '../../testing/admin-ways.ts'
import { somebody } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { canSignIn, mailsTo } from '../../testing/mailed.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { useTestService } from '../../testing/use-service.ts'
import { bootstrapAdmin } from './bootstrap.ts'

const service = useTestService()
beforeEach(async () => {
  await service.deps.sql`update users set roles = '{user}'`
})

const newPassword = 'another horse battery staple'

async function statusOfReset(link: string): Promise<number> {
  const [, token] = /reset-password\/(\w+)/.exec(link) ?? []
  return (await service.visitor().post('/reset-password', { token, newPassword })).status
}

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
    const trail = await service.deps
      .sql`select event, actor_id, details from audit_events where user_id = ${made.user.id} and event like 'user-%'`
    expect(trail).toEqual([{ event: 'user-created', actorId: null, details: { role: 'admin' } }])
    expect((await mailsTo(service, email)).map(({ kind, url }) => [kind, url])).toEqual([['reset-password', made.link]])
    expect(await statusOfReset(made.link)).toBe(200)
    expect(await canSignIn(service, email, newPassword)).toBe(true)
  })

  it('gets no link where passwords sign nobody in', async () => {
    const email = `new-${crypto.randomUUID()}@example.com`
    const deps = { ...service.deps, config: { ...service.deps.config, EMAIL_PASSWORD: false } }
    const withoutLink = { outcome: 'done', link: null, lacksPassword: false }
    expect(await bootstrapAdmin(deps, { email, isForced: false })).toMatchObject({ ...withoutLink, change: 'created' })
    expect(await bootstrapAdmin(deps, { email, isForced: true })).toMatchObject({ ...withoutLink, change: 'unchanged' })
    expect(await mailsTo(service, email)).toEqual([])
  })

  it('whose link was lost gets another one, when forced, until there is something to sign in with', async () => {
    const email = `new-${crypto.randomUUID()}@example.com`
    const made = await bootstrap(email)
    if (made.outcome !== 'done' || made.link === null) throw new Error(`Bootstrap: ${JSON.stringify(made)}`)
    expect(await bootstrap(email)).toMatchObject({ change: 'unchanged', link: null, lacksPassword: true })
    expect(await mailsTo(service, email)).toHaveLength(1)
    const again = await bootstrap(email, true)
    if (again.outcome !== 'done' || again.link === null) throw new Error(`Bootstrap: ${JSON.stringify(again)}`)
    expect(again).toMatchObject({ change: 'unchanged', user: { email } })
    const links = () => service.deps.sql`
      select from verifications where user_id = ${again.user.id} and identifier like 'reset-password:%'
    `
    expect(await links()).toHaveLength(1)
    expect(await statusOfReset(made.link)).toBe(400)
    const asked = await service.deps
      .sql`select actor_id from audit_events where user_id = ${again.user.id} and event = 'password-reset-asked'`
    expect(asked).toEqual([{ actorId: null }])
    expect(await statusOfReset(again.link)).toBe(200)
    expect(await canSignIn(service, email, newPassword)).toBe(true)
    expect(await bootstrap(email, true)).toMatchObject({ change: 'unchanged', link: null, lacksPassword: false })
  })

  it('gets no link after all who has just set a password', async () => {
    const email = `new-${crypto.randomUUID()}@example.com`
    const made = await bootstrap(email)
    if (made.outcome !== 'done') throw new Error(made.outcome)
    const { id } = made.user
    const again = await service.deps.sql.begin(async (tx) => {
      await tx`update users set updated_at = now() where id = ${id}`
      await tx`insert into accounts (id, user_id, provider_id, account_id) values (${`of ${id}`}, ${id}, 'credential', ${id})`
      const asking = bootstrap(email, true)
      await untilWaiting(service)
      return { asking }
    })
    expect(await again.asking).toMatchObject({ change: 'unchanged', link: null, lacksPassword: false })
  })

  it('is not made where only somebody who is there shall be one', async () => {
    const email = `typo-${crypto.randomUUID()}@example.com`
    const asked = { email, isForced: true, only: 'existing' } as const
    expect(await bootstrapAdmin(service.deps, asked)).toEqual({ outcome: 'no-such-user' })
    expect(await service.deps.sql`select id from users where email = ${email}`).toEqual([])
  })

  it('is nobody who has taken the address since it was free', async () => {
    const ann = await somebody(service)
    expect(await bootstrapAdmin(service.deps, { email: ann.email, isForced: true, only: 'new' })).toEqual({
      outcome: 'user-exists',
    })
    const email = `late-${crypto.randomUUID()}@example.com`
    const made = await service.deps.sql.begin(async (tx) => {
      await tx`insert into users (id, name, email) values (${email}, 'Late', ${email})`
      const making = bootstrap(email)
      await untilWaiting(service)
      return { making }
    })
    expect(await made.making).toEqual({ outcome: 'user-exists' })
    expect(await service.deps.sql`select email from users where 'admin' = any(roles)`).toEqual([])
  })

  it('is who they are already: nothing changes, and nothing is told', async () => {
    const ann = await somebody(service)
    await bootstrap(ann.email)
    const trail = () => service.deps.sql`select id from audit_events where user_id = ${ann.id}`
    const before = await trail()
    for (const isForced of [false, true])
      expect(await bootstrap(ann.email, isForced)).toMatchObject({ outcome: 'done', change: 'unchanged' })
    expect(await trail()).toEqual(before)
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

  it('counts an address in the settings only once its mailbox is proven', async () => {
    const [ann, bob, proven] = [await somebody(service), await somebody(service), await somebody(service)]
    await proveAddress(service.deps.sql, proven.email)
    for (const [named, expected] of [
      [proven, { outcome: 'admin-exists' }],
      [ann, { outcome: 'done' }],
    ] as const) {
      const { deps } = await service.sibling({ ADMIN_EMAILS: named.email })
      expect(await bootstrapAdmin(deps, { email: bob.email, isForced: false })).toMatchObject(expected)
    }
  })

  it('is nobody banned, unless forced: then the ban is lifted', async () => {
    const ann = await somebody(service)
    await service.deps.sql`update users set banned = true where id = ${ann.id}`
    expect(await bootstrap(ann.email)).toEqual({ outcome: 'banned' })
    const events = () => service.deps.sql`
      select event from audit_events, generate_series(1, count) where user_id = ${ann.id} and event like 'user-%'
    `
    expect(await bootstrap(ann.email, true)).toMatchObject({ outcome: 'done', user: { banned: false } })
    const names = async () => (await events()).map(({ event }) => String(event)).toSorted()
    expect(await names()).toEqual(['user-role-changed', 'user-unbanned'])
    await service.deps.sql`update users set banned = true where id = ${ann.id}`
    expect(await bootstrap(ann.email, true)).toMatchObject({ outcome: 'done', change: 'updated' })
    expect(await names()).toEqual(['user-role-changed', 'user-unbanned', 'user-unbanned'])
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
