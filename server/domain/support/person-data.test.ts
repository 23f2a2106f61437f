import { afterAll, beforeAll, expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { done } from '../../testing/organizations.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { everything } from '../../testing/support-calls.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService()
})
afterAll(() => service.stop())

const names = (rows: readonly Record<string, unknown>[], field: string) => rows.map((row) => row[field])

it('a person gets all that is kept of them, without secrets', async () => {
  const ann = await everything(service)
  const data = await done(ann.post('/export-account'))
  expect(data).toMatchObject({
    user: { id: ann.id, email: ann.email },
    accounts: [{ providerId: 'credential', provenEmail: ann.email }],
    memberships: [{ role: 'owner' }],
    invitationsTo: [{ email: ann.email, status: 'pending' }],
    invitationsFrom: [{ email: 'guest@example.com' }],
    keys: [{ name: 'deploy' }],
    deviceRequests: [{ ipAddress: expect.any(String) }],
    webhooks: [{ url: expect.stringContaining('receiver') }],
    incomplete: [],
  })
  expect(names(data.mails, 'kind').toSorted()).toEqual(['invitation', 'reset-password'])
  expect(data.sessions.length).toBeGreaterThan(0)
  expect(JSON.stringify(data)).not.toMatch(/token|password"|hash|argon|secret/i)
})

it('of nobody else', async () => {
  const [ann, bob] = [await everything(service), await everything(service)]
  expect(JSON.stringify(await done(bob.post('/export-account')))).not.toContain(ann.email)
})

it('each copy is recorded, and an administrator gets the same', async () => {
  const [ann, admin] = [await everything(service), await adminOf(service)]
  const own = await done(ann.post('/export-account'))
  expect(await done(admin.post('/admin/export-user', { userId: ann.id }))).toEqual(own)
  const { sql } = service.deps
  expect(
    await sql`select event, actor_id from audit_events where user_id = ${ann.id} and event like '%-exported' order by id`,
  ).toEqual([
    { event: 'account-exported', actorId: ann.id },
    { event: 'user-exported', actorId: admin.id },
  ])
})

it('a list with very many rows says that it is cut', async () => {
  const ann = await service.person()
  const { sql } = service.deps
  await sql`
    insert into sessions (id, user_id, token_hash, expires_at)
    select 'many-' || n, (select id from users where email = ${ann.email}), sha256(convert_to(n::text, 'UTF8')), now() + interval '1 h'
    from generate_series(1, 1001) n
  `
  const data = await done(ann.post('/export-account'))
  expect([data.sessions.length, data.incomplete]).toEqual([1000, ['sessions']])
})
