import { expect, it } from 'vitest'
import { labelHeader } from '../../../shared/text-rules.ts'
import { adminOf } from '../../testing/admins.ts'
import { userOf } from '../../testing/mailed.ts'
import { done, found } from '../../testing/organizations.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { dumpTables } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'
import { webhookOf } from '../../testing/webhook-calls.ts'

const service = useTestService({ TRUSTED_PROXIES: '10.0.0.0/8', RATE_LIMIT: 'off' })

const from = { 'x-forwarded-for': '203.0.113.77', 'user-agent': 'Betelgeuse/7', [labelHeader]: 'Heart of Gold' }
const names = ['zaphod@example.com', 'Zaphod', '203.0.113.77', 'Betelgeuse', 'Heart of Gold']

/** Somebody who has done a bit of everything, from an address and a device of their own. */
async function zaphod(): Promise<Visitor & { readonly id: string }> {
  const visitor = service.visitor()
  const post = (path: string, body: object) => done(visitor.post(path, body, from))
  await post('/sign-up/email', { email: 'zaphod@example.com', password: testPassword, name: 'Zaphod' })
  const { id } = await userOf(service, 'zaphod@example.com')
  await proveAddress(service.deps.sql, 'zaphod@example.com')
  const acme = await found(service)
  await post('/organization/accept-invitation', { invitationId: await acme.invite('zaphod@example.com') })
  const other = await found(service)
  await other.invite('zaphod@example.com')
  await post('/key/create', { name: 'deploy' })
  await post('/update-user', { name: 'Zaphod B' })
  await post('/forget-password', { email: 'zaphod@example.com' })
  await visitor.post('/sign-in/email', { email: 'zaphod@example.com', password: 'wrong horse battery' }, from)
  await post('/sign-in/email', { email: 'zaphod@example.com', password: testPassword })
  await webhookOf(acme)
  return Object.assign(visitor, { id })
}

const ways: Readonly<Record<string, (who: Visitor & { readonly id: string }) => Promise<unknown>>> = {
  'their own deletion': (who) => done(who.post('/delete-user', { password: testPassword }, from)),
  'the deletion by an administrator': async ({ id }) =>
    done((await adminOf(service)).post('/admin/remove-user', { userId: id })),
}

it.each(Object.keys(ways))('no table names the person after %s, and the trail keeps what was done', async (way) => {
  const who = await zaphod()
  const before = await dumpTables(service)
  expect(names.filter((word) => !before.includes(word))).toEqual([])
  const trail = () => service.deps.sql`
    select event, created_at, count from audit_events
    where ${who.id} in (user_id, actor_id) and event not in ('account-deleted', 'user-removed') order by id
  `
  const facts = [...(await trail())]
  await ways[way]?.(who)
  const after = await dumpTables(service)
  expect(names.flatMap((word) => after.split('\n').filter((row) => row.includes(word)))).toEqual([])
  expect([...(await trail())]).toEqual(facts)
})

it('where others acted on them is kept, and a stranger takes no invitation of the mailbox along', async () => {
  const ann = await service.person()
  const { id } = await userOf(service, ann.email)
  const acme = await found(service)
  await acme.invite(ann.email)
  const admin = await adminOf(service)
  await done(admin.post('/admin/ban-user', { userId: id }, { 'x-forwarded-for': '203.0.113.99' }))
  await done(admin.post('/admin/remove-user', { userId: id }, { 'x-forwarded-for': '203.0.113.99' }))
  const { sql } = service.deps
  expect(
    await sql`select event, ip_address from audit_events where user_id = ${id} and actor_id <> ${id} order by id`,
  ).toEqual([
    { event: 'user-banned', ipAddress: '203.0.113.99' },
    { event: 'user-removed', ipAddress: '203.0.113.99' },
  ])
  expect(await sql`select from invitations where email = ${ann.email}`).toHaveLength(1)
})

it('nothing else of the trail changes by the way', async () => {
  const { sql } = service.deps
  await expect(
    sql.begin(async (tx) => {
      await tx`select set_config('postern.audit_erasure', 'on', true)`
      await tx`update audit_events set ip_address = null, user_agent = null, equality = null, event = 'sign-out-done'`
    }),
  ).rejects.toThrow('append-only')
})
