import { expect, it } from 'vitest'
import { insertAuditEvent } from '../../db/audit-events.ts'
import type { Sql } from '../../db/connect.ts'
import { releaseCopyMails } from '../../db/database-copies.ts'
import { claimMail, outboxDepth } from '../../db/outbox.ts'
import { deleteExpiredVerifications } from '../../db/verifications.ts'
import { adminOf } from '../../testing/admins.ts'
import { testEvent } from '../../testing/client.ts'
import { done } from '../../testing/organizations.ts'
import { leaveLink } from '../../testing/outbox.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { useTestService } from '../../testing/use-service.ts'
import { detectCopy } from './detect-copy.ts'

const service = useTestService({ DATABASE_POOL: '12' })

/** As if the rows had come from elsewhere. */
const becomeCopy = () => service.deps.sql`update database_copies set identity = 'elsewhere'`
const copies = async () => (await service.deps.sql`select from database_copies`).count
const told = () => service.logged.filter(({ msg }) => String(msg).startsWith('this database is a copy')).length
const write = (tx: Sql) =>
  insertAuditEvent(tx, testEvent('team-created', { userId: null, organizationId: 'o', target: crypto.randomUUID() }))

it('a copy is noted once, whoever looks first', enough, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const before = { copies: await copies(), told: told() }
    await becomeCopy()
    await Promise.all(Array.from({ length: 8 }, () => detectCopy(service.deps)))
    expect([await copies(), told()]).toEqual([before.copies + 1, before.told + 1])
  }
  await detectCopy(service.deps)
  expect(told()).toBe(rounds)
})

it('what is being written just then is done before, so that no new reader misses it', async () => {
  const { sql } = service.deps
  const admin = await adminOf(service)
  await becomeCopy()
  let noticing: Promise<void> | undefined
  await sql.begin(async (tx) => {
    await write(tx as unknown as Sql)
    noticing = detectCopy(service.deps)
    await expect.poll(async () => (await sql`select from pg_locks where not granted`).count).toBeGreaterThan(0)
  })
  await noticing
  const { latest } = await done(admin.get('/admin/list-audit-events?limit=1'))
  await write(sql)
  expect((await done(admin.get(`/admin/list-audit-events?after=${latest}`))).events).toHaveLength(1)
})

it('a copy that took the place of the database under a running service is noticed by the first who reads the trail', async () => {
  const admin = await adminOf(service)
  const { latest } = await done(admin.get('/admin/list-audit-events?limit=1'))
  await becomeCopy()
  const before = told()
  const refused = await admin.get(`/admin/list-audit-events?after=${latest}`)
  expect([refused.status, refused.body.code, told()]).toEqual([409, 'CURSOR_OF_ANOTHER_DATABASE', before + 1])
  expect((await admin.get('/admin/list-audit-events')).status).toBe(200)
})

it('a cursor of a server that was set back to a backup of its files is refused', async () => {
  const admin = await adminOf(service)
  const { latest } = await done(admin.get('/admin/list-audit-events?limit=1'))
  const [copy] = JSON.parse(Buffer.from(latest, 'base64url').toString()) as [string]
  const later = Buffer.from(JSON.stringify([copy, '900000000:900000000:', null])).toString('base64url')
  expect((await admin.get(`/admin/list-audit-events?after=${later}`)).status).toBe(409)
})

it('a cursor of a version that named no database is refused in the same way', async () => {
  const admin = await adminOf(service)
  const old = Buffer.from(JSON.stringify(['700:700:', null])).toString('base64url')
  const { status, body } = await admin.get(`/admin/list-audit-events?after=${old}`)
  expect([status, body.code]).toEqual([409, 'CURSOR_OF_ANOTHER_DATABASE'])
})

it('held mails outlive their links, which live anew when they are sent', async () => {
  const { sql } = service.deps
  const id = await leaveLink(service)
  await becomeCopy()
  await detectCopy(service.deps)
  expect(await claimMail(sql, 60)).toBeNull()
  await sql`update verifications set expires_at = now() - interval '1 hour'`
  await deleteExpiredVerifications(sql, 100)
  expect(await releaseCopyMails(sql)).toMatchObject({ count: 1 })
  expect(await claimMail(sql, 60)).toMatchObject({ id, attempts: 1 })
  expect((await sql`select from verifications where id = ${id} and expires_at > now()`).count).toBe(1)
})

it('holds what the original would still send, and leaves alone what it gave up or keeps', async () => {
  const { sql } = service.deps
  await sql`delete from outbox`
  await leaveLink(service)
  await sql`insert into outbox (id, kind, payload, next_attempt_at) values ('kept', 'x', '', 'infinity')`
  await sql`insert into outbox (id, kind, payload, parked_at) values ('given-up', 'x', '', now())`
  const reason = 'The receiver answered 410'
  await sql`
    insert into webhooks (id, url, secret, cursor, created_by, parked_at, last_error)
    values ('given-up', '', '', '', '', now(), ${reason})
  `
  await becomeCopy()
  await detectCopy(service.deps)
  expect(await outboxDepth(sql)).toMatchObject({ waiting: 0, parked: 1, held: 1 })
  expect(await sql`select last_error from webhooks`).toEqual([{ lastError: reason }])
  expect(await releaseCopyMails(sql)).toMatchObject({ count: 1 })
})
