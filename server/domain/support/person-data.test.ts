import { expect, it } from 'vitest'
import { Failure } from '../../../shared/failure.ts'
import { createApp } from '../../app.ts'
import { adminOf } from '../../testing/admins.ts'
import { done } from '../../testing/organizations.ts'
import { everything } from '../../testing/support-calls.ts'
import { useTestService } from '../../testing/use-service.ts'
import { createVisitor } from '../../testing/visitor.ts'

const service = useTestService()

const names = (rows: readonly Record<string, unknown>[], field: string) => rows.map((row) => row[field])

it('a person gets all that is kept of them, without secrets', async () => {
  const ann = await everything(service)
  await done(ann.post('/update-user', { language: 'es' }))
  const data = await done(ann.post('/export-account'))
  expect(data).toMatchObject({
    user: { id: ann.id, email: ann.email, language: 'es' },
    storedFields: [],
    accounts: [{ providerId: 'credential', provenEmail: ann.email }],
    memberships: [{ role: 'owner' }],
    invitationsTo: [{ email: ann.email, status: 'pending' }],
    invitationsFrom: [{ email: 'guest@example.com' }],
    keys: [{ name: 'deploy' }],
    machines: [{ name: 'pipeline' }],
    secondFactors: [{ createdAt: expect.any(String) }],
    deviceRequests: [{ ipAddress: expect.any(String) }],
    webhooks: [{ host: expect.stringMatching(/^receiver[^/]*$/) }],
  })
  expect(new Set(names(data.mails, 'kind'))).toEqual(new Set(['invitation', 'reset-password']))
  expect(data.sessions.length).toBeGreaterThan(0)
  expect(JSON.stringify(data)).not.toMatch(/token|"password"|hash|argon|secret/i)
})

it('of nobody else', async () => {
  const [ann, bob] = [await everything(service), await everything(service)]
  const own = await done(bob.post('/export-account'))
  expect(JSON.stringify(own)).not.toContain(ann.email)
  const idsOf = (data: unknown) => Array.from(JSON.stringify(data).matchAll(/"id":"([^"]+)"/g), ([, id]) => id)
  const theirs = new Set(idsOf(await done(ann.post('/export-account'))))
  expect(theirs.size).toBeGreaterThan(5)
  expect(idsOf(own).filter((id) => theirs.has(id))).toEqual([])
  expect([own.keys, own.webhooks, own.deviceRequests].map(({ length }) => length)).toEqual([1, 1, 1])
})

it('not of a mailbox that they did not prove, nor of an administrator who was here as them', async () => {
  const { sql } = service.deps
  const [{ email }, guest] = [await everything(service), await service.person()]
  await sql`
    insert into invitations (id, organization_id, email, roles, inviter_id, expires_at)
    select 'to-' || ${guest.email}, m.organization_id, ${guest.email}, '{member}', m.user_id, now() + interval '1 day'
    from members m join users u on u.id = m.user_id where u.email = ${email}
  `
  const admin = await adminOf(service)
  const { body } = await guest.get('/get-session')
  const impersonator = await adminOf(service)
  await done(impersonator.post('/admin/impersonate-user', { userId: body.user.id }))
  const own = await done(guest.post('/export-account'))
  const all = await done(admin.post('/admin/export-user', { userId: body.user.id }))
  expect([own.invitationsTo, own.sessions.length]).toEqual([[], 1])
  expect([all.invitationsTo.length, all.sessions.length]).toEqual([1, 2])
})

it('a copy that is recorded and cannot be read is not said to be safe to ask for again', async () => {
  const [ann, admin] = [await service.person(), await adminOf(service)]
  const { user } = await done(ann.get('/get-session'))
  const together = () => Promise.reject(new Failure('SERVICE_UNAVAILABLE', { cause: 'on purpose', retryAfter: 1 }))
  const sql = new Proxy(service.deps.sql, {
    get: (target, name) => (name === 'together' ? together : Reflect.get(target, name)),
  })
  const asked = createVisitor(createApp({ ...service.deps, sql }), service.deps.config)
  for (const [name, value] of admin.cookies) asked.cookies.set(name, value)
  const answers = async (path: string, input: object) => {
    const { status, headers } = await asked.post(path, input)
    return [status, headers.get('retry-after')]
  }
  expect(await answers('/admin/export-user', { userId: user.id })).toEqual([503, null])
  // Read before it is recorded.
  expect(await answers('/export-account', {})).toEqual([503, '1'])
})

it('each copy is recorded, and an administrator gets the same', async () => {
  const [ann, admin] = [await everything(service), await adminOf(service)]
  const own = await done(ann.post('/export-account'))
  await service.deps.sql`update users set fields = '{"note":"late"}' where id = ${ann.id}`
  expect(await done(admin.post('/admin/export-user', { userId: ann.id }))).toEqual({
    ...own,
    storedFields: [{ name: 'note', value: 'late' }],
  })
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
