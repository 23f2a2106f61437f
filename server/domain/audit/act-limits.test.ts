import { afterEach, describe, expect, it } from 'vitest'
import { createApp } from '../../app.ts'
import { PoolLoad } from '../../db/pool-load.ts'
import { createMetrics } from '../../metrics/create-metrics.ts'
import type { RateLimitSettings } from '../../settings/rate-limits.ts'
import { actingAs } from '../../testing/admins.ts'
import { userOf } from '../../testing/mailed.ts'
import { done, found, newSlug, serverHeaders } from '../../testing/organizations.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'

let service: TestService
afterEach(() => service.stop())
const start = async (limits: RateLimitSettings): Promise<void> => {
  service = await createTestService({ RATE_LIMIT: 'on' }, { limits: { passwordCalls: { max: 1000 }, ...limits } })
}

const createTeam = (visitor: Visitor, organizationId: string, headers?: Record<string, string>) =>
  visitor.post('/organization/create-team', { organizationId, name: crypto.randomUUID() }, headers)
const rowsBy = async ({ email }: { email: string }) => {
  const { id } = await userOf(service, email)
  return (await service.deps.sql`select from audit_events where actor_id = ${id}`).count
}
const teamsOf = async (organizationId: string) =>
  (await service.deps.sql`select from teams where organization_id = ${organizationId}`).count
const refused = { status: 429, body: { message: 'Too many requests. Please try again later.' } }

/** Until it is refused; how many were done. */
async function flood(act: () => Promise<Reply>): Promise<number> {
  for (let times = 0; times < 50; times += 1) {
    const reply = await act()
    if (reply.status === 200) continue
    expect(reply).toMatchObject(refused)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(reply.headers.get('x-retry-after')).toBe(reply.headers.get('retry-after'))
    return times
  }
  return Infinity
}

describe('the rows of one person', () => {
  it('are bounded: an act beyond them is refused as a whole, and what was done has its row', async () => {
    await start({ acts: { max: 9 } })
    const acme = await found(service)
    const before = { rows: await rowsBy(acme.owner), teams: await teamsOf(acme.id) }
    const times = await flood(() => createTeam(acme.owner, acme.id))
    expect(await rowsBy(acme.owner)).toBe(before.rows + times)
    expect(await teamsOf(acme.id)).toBe(before.teams + times)
    expect(times).toBeLessThan(9)
    const other = await found(service)
    expect((await createTeam(other.owner, other.id)).status).toBe(200)
    // What a trusted server does for somebody counts for nobody.
    expect((await createTeam(acme.owner, acme.id, serverHeaders)).status).toBe(200)
  })

  it('are bounded over a day, too', async () => {
    await start({ actsDaily: { max: 9, window: '1d' } })
    const acme = await found(service)
    expect(await flood(() => createTeam(acme.owner, acme.id))).toBeLessThan(9)
    const reply = await createTeam(acme.owner, acme.id)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(80_000)
  })

  it('leave room to end what a thief has', async () => {
    await start({ acts: { max: 9 } })
    const acme = await found(service)
    const thief = service.visitor()
    await done(thief.post('/sign-in/email', { email: acme.owner.email, password: testPassword }))
    const url = 'https://thief.example.com/'
    const { id: webhookId } = await done(thief.post('/webhook/create', { url, organizationId: acme.id }))
    const { id: keyId } = await done(thief.post('/key/create', { name: 'ci', expiresIn: 86_400 }))
    await flood(() => createTeam(thief, acme.id))
    expect((await createTeam(acme.owner, acme.id)).status).toBe(429)
    await done(acme.owner.post('/key/revoke', { keyId }))
    await done(acme.owner.post('/webhook/delete', { webhookId }))
    await done(acme.owner.post('/revoke-other-sessions'))
    expect((await createTeam(thief, acme.id)).status).toBe(401)
    await done(acme.owner.post('/sign-out'))
    await done(acme.owner.post('/sign-in/email', { email: acme.owner.email, password: testPassword }))
    const newPassword = 'another horse battery staple'
    await done(acme.owner.post('/change-password', { currentPassword: testPassword, newPassword }))
  })

  it('leave room to end an impersonation', async () => {
    await start({ acts: { max: 5 } })
    const { admin } = await actingAs(service)
    const desk = service.visitor()
    await done(desk.post('/sign-in/email', { email: admin.email, password: testPassword }))
    expect(await flood(() => desk.post('/organization/create', { name: 'Acme', slug: newSlug() }))).toBeLessThan(5)
    await done(admin.post('/admin/stop-impersonating'))
  })

  it('are none of who is impersonated: the end of it counts for the administrator', async () => {
    await start({ acts: { max: 9 } })
    const [{ admin, user }, other] = [await actingAs(service), await service.person()]
    await done(admin.post('/admin/stop-impersonating'))
    await done(admin.post('/admin/impersonate-user', { userId: user.id }))
    await done(admin.post('/admin/stop-impersonating'))
    const create = (visitor: Visitor) => visitor.post('/organization/create', { name: 'Acme', slug: newSlug() })
    expect(await flood(() => create(user))).toBe(await flood(() => create(other)))
  })

  it('do not count what was refused', async () => {
    await start({ acts: { max: 9 } })
    const [acme, stranger] = [await found(service), await service.person()]
    for (let time = 0; time < 20; time += 1) expect((await createTeam(stranger, acme.id)).status).toBe(403)
  })
})

describe('the rows of one organization', () => {
  it('are bounded, and what others do uses up the share of nobody', async () => {
    await start({ organizationActs: { max: 12 }, organizationActsEach: { max: 4 } })
    const acme = await found(service)
    const [bob, eve] = [await acme.join('admin'), await acme.join('admin')]
    const rename = (visitor: Visitor) =>
      visitor.post('/organization/update', { organizationId: acme.id, data: { name: crypto.randomUUID() } })
    // Founding was one; what a trusted server did, who let them in, is nobody's.
    expect(await flood(() => rename(bob))).toBe(11)
    expect(await flood(() => rename(eve))).toBe(4)
    expect(await flood(() => rename(acme.owner))).toBe(3)
  })

  it('do not count strangers', async () => {
    await start({ organizationActs: { max: 3 }, organizationActsEach: { max: 1 } })
    const [acme, stranger] = [await found(service), await service.person()]
    for (let time = 0; time < 9; time += 1) await createTeam(stranger, acme.id)
    expect(await flood(() => createTeam(acme.owner, acme.id))).toBe(2)
  })
})

describe('what is refused', () => {
  it('takes no connection and locks nothing: the room is looked at before', async () => {
    await start({ organizationActs: { max: 6 }, acts: { max: 9 } })
    const acme = await found(service)
    const bob = await acme.join('member')
    const { organizationId } = { organizationId: acme.id }
    await flood(() => createTeam(acme.owner, acme.id))
    const keys = { name: 'ci', organizationId, role: 'member' }
    const acts = [
      () => createTeam(acme.owner, acme.id),
      () =>
        acme.owner.post('/organization/invite-member', { organizationId, email: 'eve@example.com', role: 'member' }),
      () =>
        acme.owner.post('/organization/update-member-role', { organizationId, memberId: bob.memberId, role: 'admin' }),
      () => acme.owner.post('/organization/remove-member', { organizationId, memberIdOrEmail: bob.email }),
      () => acme.owner.post('/key/create', keys),
    ]
    for (const act of acts) {
      service.statements.forget()
      expect(await act()).toMatchObject(refused)
      expect(
        service.statements.list.filter((statement) => /begin|for (no key )?update|insert/i.test(statement)),
      ).toEqual([])
    }
  })
})

it('what was refused is a number by limit, and a line of the log', async () => {
  await start({ acts: { max: 3 } })
  const { deps } = service
  const pool = new PoolLoad(1)
  const metrics = createMetrics({ passwords: deps.passwords, pool, outbox: async () => null, version: '0' })
  const app = createApp({ ...deps, observer: metrics.observer }, service.state)
  const acme = await found(service)
  const visitor = createVisitor(app, deps.config)
  for (const [name, value] of acme.owner.cookies) visitor.cookies.set(name, value)
  await flood(() => createTeam(visitor, acme.id))
  expect(await metrics.text()).toContain('postern_acts_refused_total{limit="acts"} 1\n')
  metrics.stop()
  expect(service.logged).toContainEqual(
    expect.objectContaining({ event: 'request-throttled', userId: acme.owner.userId }),
  )
})
