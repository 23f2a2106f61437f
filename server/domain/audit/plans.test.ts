import { beforeAll, expect, it } from 'vitest'
import { auditEventsNamed } from '../../../shared/audit-events.ts'
import { type AuditFilter, type AuditReader, followAuditEvents, listAuditEvents } from '../../db/audit-list.ts'
import type { Sql } from '../../db/connect.ts'
import { wakeWebhooks } from '../../db/webhook-feed.ts'
import { useTestService } from '../../testing/use-service.ts'

const rows = 120_000

const service = useTestService()
beforeAll(async () => {
  const { sql } = service.deps
  // Few people do much, many little; one event is rare; time goes on.
  await sql`
    insert into audit_events (id, event, actor_id, impersonator_id, user_id, organization_id, request_id, created_at)
    select 'event-' || n, case when n % 40000 = 7 then 'team-deleted' when n % 3 = 0 then 'sign-in-failed' else 'sign-in-done' end,
      'user-' || n % 997, case when n % 500 = 1 then 'user-3' end, 'user-' || n % 1009,
      case when n % 2 = 0 then 'organization-' || n % 101 end, 'r', now() - make_interval(secs => ${rows} - n)
    from generate_series(1, ${rows}) n
  `
  await sql`insert into organizations (id, name, slug) values ('organization-4', 'Acme', 'acme')`
  await sql`insert into users (id, name, email) values ('user-5', 'Ann', 'ann@example.com')`
  await sql`
    insert into members (id, organization_id, user_id, roles) values ('member-1', 'organization-4', 'user-5', '{owner}')
  `
  await sql`analyze audit_events`
})

const none: AuditFilter = {
  events: null,
  userId: null,
  actorId: null,
  organizationId: null,
  since: null,
  until: null,
}
const all: AuditReader = { kind: 'all' }
const person: AuditReader = { kind: 'person', userId: 'user-5' }
const organization: AuditReader = { kind: 'organization', userId: 'user-5', organizationId: 'organization-4' }
const hour = new Date(Date.now() - 3_600_000)

/** Rows that the connection has read so far: by walking the table, and by its indexes. */
async function readSoFar(tx: Sql): Promise<{ walked: number; fetched: number }> {
  const [row] = await tx<{ walked: number; fetched: number }[]>`
    select seq_tup_read::integer as walked, idx_tup_fetch::integer as fetched
    from pg_stat_xact_user_tables where relname = 'audit_events'
  `
  return row!
}

/** Often enough for the plan that is kept for all parameters. */
const times = 8

/** What a list found, and how many rows it read for that. */
async function readIn(work: (tx: Sql) => Promise<{ events: readonly unknown[] }>) {
  const { sql } = service.deps
  return sql.begin(async (connection) => {
    const tx = Object.assign(connection as unknown as Sql, { distrust: sql.distrust })
    const before = await readSoFar(tx)
    let found = 0
    for (let time = 0; time < times; time += 1) found = (await work(tx)).events.length
    const after = await readSoFar(tx)
    return { found, walked: after.walked - before.walked, fetched: (after.fetched - before.fetched) / times }
  })
}

it.each<[string, AuditReader, Partial<AuditFilter>, number]>([
  ['everything', all, {}, 110],
  ['everything before a time', all, { until: hour }, 110],
  ['some events', all, { events: auditEventsNamed('sign-in') }, 700],
  ['a rare event', all, { events: ['team-deleted'] }, 10],
  ['who it concerns', all, { userId: 'user-7' }, 250],
  ['who did it', all, { actorId: 'user-3' }, 500],
  ['an organization', all, { organizationId: 'organization-8' }, 700],
  ['an event in an organization', all, { organizationId: 'organization-8', events: ['sign-in-failed'] }, 700],
  ['a person', person, {}, 250],
  ['a person’s events', person, { events: ['sign-in-failed'] }, 300],
  ['an organization’s own', organization, {}, 110],
  ['an organization’s own about one', organization, { userId: 'user-9' }, 700],
])('the list of %s reads few rows of many', async (_name, reader, filter, most) => {
  const query = { reader, filter: { ...none, ...filter }, limit: 100 }
  const { found, walked, fetched } = await readIn((tx) => listAuditEvents(tx, query, null))
  expect(found).toBeGreaterThan(0)
  expect([walked, fetched <= most, fetched]).toEqual([0, true, fetched])
  const before = { createdAt: hour, id: 'event-1' }
  const later = await readIn((tx) => listAuditEvents(tx, query, before))
  expect([later.walked, later.fetched <= most, later.fetched]).toEqual([0, true, later.fetched])
})

it.each([
  ['everybody', all],
  ['a person', person],
  ['an organization', organization],
])('who follows the trail of %s reads what is new', async (_name, reader) => {
  const { sql } = service.deps
  const query = { reader, filter: none, limit: 100 }
  const { snapshot, copy } = await listAuditEvents(sql, { ...query, limit: 1 }, null)
  await sql`
    insert into audit_events (id, event, user_id, organization_id, request_id)
    values (${crypto.randomUUID()}, 'team-created', 'user-5', 'organization-4', 'r')
  `
  const seen = await readIn((tx) => followAuditEvents(tx, query, { copy: copy!, seen: snapshot, part: null }))
  expect([seen.found, seen.walked, seen.fetched < 10]).toEqual([1, 0, true])
})

it('who follows the trail reads nothing again that was written beside a transaction which stays open', async () => {
  const { sql } = service.deps
  const query = { reader: all, filter: none, limit: 100 }
  await sql`insert into webhooks (id, url, secret, cursor, created_by) values ('hook', 'https://a.example', '', '', 'user-5')`
  const open = await sql.reserve()
  try {
    await open`begin`
    await open`insert into audit_events (id, event, request_id) values ('late', 'team-created', 'r')`
    await sql`
      insert into audit_events (id, event, request_id) select 'beside-' || n, 'team-created', 'r' from generate_series(1, 2000) n
    `
    const { snapshot, copy } = await listAuditEvents(sql, { ...query, limit: 1 }, null)
    await sql`insert into audit_events (id, event, request_id) values ('new', 'team-created', 'r')`
    const mark = { copy: copy!, seen: snapshot, part: null }
    const beside = await readIn((tx) => followAuditEvents(tx, query, mark))
    expect([beside.found, beside.walked, beside.fetched < 10]).toEqual([1, 0, true])
    await sql`update webhook_feed set seen = ${snapshot}, copy = ${copy}`
    const woken = await readIn(async (tx) => ({ events: await wakeWebhooks(tx) }))
    expect([woken.walked, woken.fetched < 10]).toEqual([0, true])
    await open`commit`
    const { events } = await followAuditEvents(sql, query, mark)
    expect(events.map(({ id }) => id)).toEqual(['late', 'new'])
  } finally {
    open.release()
  }
})
