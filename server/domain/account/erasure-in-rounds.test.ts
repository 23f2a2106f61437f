import { afterEach, beforeEach, expect, it } from 'vitest'
import { eraseDeletedPeople } from '../../db/audit-events.ts'
import { closeAuditMonth } from '../../db/audit-months.ts'
import { sweep } from '../../process/sweeper.ts'
import { adminOf, type Somebody } from '../../testing/admins.ts'
import { userOf } from '../../testing/mailed.ts'
import { done } from '../../testing/organizations.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'

let service: TestService
let admin: Somebody
beforeEach(async () => {
  service = await createTestService()
  admin = await adminOf(service)
})
afterEach(() => service.stop())

const many = 12_000
/** Of the events that the deletion itself goes through. */
const mostAtOnce = 2000

/**
 * Somebody who did very much, half of it in a month that is over: as themselves, unknown to the service, and while
 * impersonating. In between, an administrator did something to them, and a bystander was there.
 */
async function busyPerson(): Promise<string> {
  const { sql } = service.deps
  const { id } = await userOf(service, (await service.person()).email)
  const insert = (past: string) => sql`
    insert into audit_events (id, event, actor_id, impersonator_id, user_id, details, ip_address, user_agent, request_id, created_at)
    select ${id} || ${past} || n || kind, 'user-updated', actor, impersonator, person, '{"label": "Heart of Gold"}', '203.0.113.77', 'Betelgeuse', 'r',
      now() - ${past}::interval - make_interval(secs => n)
    from generate_series(1, ${many / 2}::integer) n,
    lateral (
      select 'own' as kind, case when n % 3 > 0 then ${id} end as actor, null as impersonator, ${id} as person where n % 4 > 0
      union all select 'impersonating', 'somebody', ${id}, 'somebody' where n % 4 = 0
      union all select 'acted on', ${id}, ${admin.id}, ${id} where n % 500 = 0
      union all select 'bystander', 'bystander', null, 'bystander' where n % 500 = 0
    ) as done
  `
  await insert('40 days')
  await closeAuditMonth(sql)
  await insert('0 days')
  return id
}

/** Events with an origin: those that the person did, and those that they have no part in or that were done to them. */
async function origins(id: string): Promise<{ readonly own: number; readonly others: number }> {
  const isOwn = service.deps.sql`coalesce(impersonator_id, actor_id, user_id) = ${id}`
  const [row] = await service.deps.sql<{ own: number; others: number }[]>`
    select count(*) filter (where ${isOwn})::integer as own, count(*) filter (where not ${isOwn})::integer as others
    from audit_events
    where request_id = 'r' and (ip_address is not null or user_agent is not null or details ? 'label')
  `
  return row!
}

const remove = (userId: string) => done(admin.post('/admin/remove-user', { userId }))
/** Those whose events are not all gone through. */
const waiting = async () =>
  (await service.deps.sql`select user_id from erasures where after_at = '-infinity'`).map(({ userId }) =>
    String(userId),
  )
const others = (many / 500) * 2

it('goes through a bounded number of events in the deletion, and the sweep through all others', async () => {
  const id = await busyPerson()
  expect(await origins(id)).toEqual({ own: many, others })
  await remove(id)
  const { own } = await origins(id)
  expect(own).toBeGreaterThanOrEqual(many - mostAtOnce)
  expect(own).toBeLessThan(many - mostAtOnce + 100)
  expect(await waiting()).toEqual([id])
  const rounds: number[] = []
  const observer = { swept: (table: string, rows: number) => void (table === 'erasures' && rounds.push(rows)) }
  await sweep({ ...service.deps, observer: observer as never }, { share: 1 })
  // More than ten where the machine is slow: a round ends after a while.
  expect([rounds.length > 10, new Set(rounds.slice(0, -1))]).toEqual([true, new Set([1000])])
  expect(await origins(id)).toEqual({ own: 0, others })
  expect(await waiting()).toEqual([])
})

it('of somebody usual nothing is left to the sweep', async () => {
  const { id } = await userOf(service, (await service.person()).email)
  await remove(id)
  expect(await waiting()).toEqual([])
})

it('shows nobody the origins that are still to go', async () => {
  const id = await busyPerson()
  await remove(id)
  const list = async (query: string) => {
    const { events } = await done(admin.get(`/admin/list-audit-events?limit=100&${query}`))
    return events as Record<string, unknown>[]
  }
  const until = new Date(Date.now() - 39 * 86_400_000).toISOString()
  const seen = [...(await list(`actorId=${id}&until=${until}`)), ...(await list(`userId=${id}&until=${until}`))]
  const own = seen.filter(({ impersonatorId, actorId, userId }) => (impersonatorId ?? actorId ?? userId) === id)
  expect(own.length).toBeGreaterThan(150)
  const told = own.map(({ ipAddress, userAgent, details }) => JSON.stringify([ipAddress, userAgent, details]))
  expect(new Set(told)).toEqual(new Set(['[null,null,{}]']))
  const bystander = await list(`actorId=bystander&until=${until}`)
  expect(bystander.map(({ ipAddress }) => ipAddress)).toEqual(Array(many / 1000).fill('203.0.113.77'))
})

it('goes on after a round that was interrupted, and after a stop between two', async () => {
  const { sql } = service.deps
  const id = await busyPerson()
  await remove(id)
  const before = await origins(id)
  await expect(
    sql.begin(async (tx) => {
      expect(await eraseDeletedPeople(tx as never, 1000)).toEqual({ count: 1000 })
      throw new Error('the process dies')
    }),
  ).rejects.toThrow('the process dies')
  expect(await origins(id)).toEqual(before)
  const leaving = new AbortController()
  const observer = { swept: (table: string) => table === 'erasures' && leaving.abort() }
  await sweep({ ...service.deps, observer: observer as never }, { share: 1, signal: leaving.signal })
  expect((await origins(id)).own).toBeLessThan(before.own)
  expect(await waiting()).toEqual([id])
  await sweep((await service.sibling()).deps, { share: 1 })
  expect(await origins(id)).toEqual({ own: 0, others })
})

it('leaves a person to the process that has them, and takes the next', async () => {
  const { sql } = service.deps
  const [one, other] = [await busyPerson(), await busyPerson()]
  await remove(one)
  await remove(other)
  const before = await origins(other)
  await sql.begin(async (tx) => {
    await eraseDeletedPeople(tx as never, 1000)
    await eraseDeletedPeople(sql, 1000)
    expect((await origins(other)).own).toBeLessThan(before.own)
  })
  await sweep(service.deps, { share: 1 })
  expect(await waiting()).toEqual([])
  expect([(await origins(one)).own, (await origins(other)).own]).toEqual([0, 0])
})

it('takes the origin of an event that came late, in a pass of its own, and is done', async () => {
  const { sql } = service.deps
  const { id } = await userOf(service, (await service.person()).email)
  await remove(id)
  await sql`
    insert into audit_events (id, event, actor_id, user_id, ip_address, user_agent, request_id, created_at) values
      ('late', 'user-updated', ${id}, ${id}, '203.0.113.77', 'Betelgeuse', 'r', now() + interval '1 second'),
      ('under way', 'user-updated', ${id}, ${id}, '203.0.113.77', null, 'r', now() - interval '1 minute')
  `
  await sweep(service.deps, { share: 1 })
  expect((await origins(id)).own).toBe(2)
  await sql`update erasures set due_at = now()`
  await sweep(service.deps, { share: 1 })
  expect((await origins(id)).own).toBe(0)
  expect(await sql`select from erasures`).toEqual([])
})

/** From now on, what happens when an event of somebody is changed. */
const whenChanged = (userId: string, act: string) =>
  service.deps.sql.unsafe(`
    create function happen() returns trigger language plpgsql as 'begin ${act}; return new; end';
    create trigger happen before update on audit_events for each row when (old.user_id = '${userId}') execute function happen()
  `)

/** Somebody who is deleted, with so many events to go through. */
async function deleted(id: string, events: number): Promise<void> {
  const { sql } = service.deps
  await sql`
    insert into audit_events (id, event, user_id, ip_address, request_id)
    select ${id} || n, 'user-updated', ${id}, '203.0.113.77', 'r' from generate_series(1, ${events}::integer) n
  `
  await sql`insert into erasures (user_id) values (${id})`
}

it('ends soon where each event takes long, so that the next round goes on', async () => {
  await deleted('slow', 300)
  await whenChanged('slow', 'perform pg_sleep(0.01)')
  expect(await eraseDeletedPeople(service.deps.sql, 1000)).toEqual({ count: 1000 })
  expect(await origins('slow')).toMatchObject({ own: 200 })
})

it('puts off whoever takes longer than a statement may, and goes on with the others', async () => {
  const { sql } = service.deps
  await deleted('slow', 10)
  await deleted('other', 10)
  await whenChanged('slow', 'perform pg_sleep(60)')
  const told = await sql.begin(async (tx) => {
    await tx.unsafe(`set local statement_timeout = ${300 * slack}`)
    return eraseDeletedPeople(tx as never, 1000).catch(String)
  })
  expect(told).toContain('slow: canceling statement due to statement timeout')
  await sweep(service.deps, { share: 1 })
  expect([await waiting(), (await origins('other')).own]).toEqual([['slow'], 0])
})

it('is not held up by somebody whose events cannot be changed', async () => {
  const { sql } = service.deps
  const [other, stuck] = [await busyPerson(), await busyPerson()]
  await remove(stuck)
  await remove(other)
  await whenChanged(stuck, "raise ''no such luck''")
  await sweep(service.deps, { share: 1 })
  const told = service.logged.filter(({ table }) => table === 'erasures').map((line) => JSON.stringify(line))
  expect(told).toEqual([expect.stringContaining(`${stuck}: no such luck`)])
  await sweep(service.deps, { share: 1 })
  expect([await waiting(), (await origins(other)).own]).toEqual([[stuck], 0])
  // Cascade: soon after the first of a month the sweep has made last month's events a table of their own by now.
  await sql`drop function happen cascade`
  await sql`update erasures set due_at = now()`
  await sweep(service.deps, { share: 1 })
  expect([await waiting(), (await origins(stuck)).own]).toEqual([[], 0])
})

it('begins again when the same id is deleted again meanwhile', async () => {
  const { sql } = service.deps
  const id = await busyPerson()
  await remove(id)
  await sql`insert into users (id, email, name) values (${id}, 'again@example.com', 'Again')`
  await sql`
    insert into audit_events (id, event, actor_id, user_id, ip_address, request_id)
    values ('again', 'user-updated', ${id}, ${id}, '203.0.113.77', 'r')
  `
  await remove(id)
  await sweep(service.deps, { share: 1 })
  expect(await origins(id)).toEqual({ own: 0, others })
})
