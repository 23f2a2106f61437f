import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { insertAuditEvent } from '../../db/audit-events.ts'
import { closeAuditMonth, dropAuditMonth, pastAuditMonths } from '../../db/audit-months.ts'
import type { Sql } from '../../db/connect.ts'
import { sweep } from '../../process/sweeper.ts'
import { adminOf } from '../../testing/admins.ts'
import { testEvent } from '../../testing/client.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { done, found } from '../../testing/organizations.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import type { Visitor } from '../../testing/visitor.ts'

interface Page {
  readonly events: readonly { readonly id: string; readonly count: number }[]
  readonly next: string | null
  readonly latest: string
}

let service: TestService
let sql: Sql
let admin: Visitor
beforeEach(async () => {
  service = await createTestService({ DATABASE_POOL: '12' })
  ;({ sql } = service.deps)
  admin = await adminOf(service)
})
afterEach(() => service.stop())

const list = (query: Record<string, string>): Promise<Page> =>
  done(admin.get(`/admin/list-audit-events?${new URLSearchParams(query).toString()}`))
const ids = ({ events }: Page) => events.map(({ id }) => id)

/** Every page, in turn. */
async function walk(from: string | null = ''): Promise<readonly string[]> {
  const seen: string[] = []
  for (let cursor = from; cursor !== null; ) {
    const page: Page = await list({ limit: '3', ...(cursor === '' ? {} : { cursor }) })
    seen.push(...ids(page))
    cursor = page.next
  }
  return seen
}

/** Events of the month so many before this one. */
const tellOf = (ago: number) => sql`
  insert into audit_events (id, event, user_id, request_id, created_at)
  select ${`ago-${ago}-`} || n, 'team-created', 'ann', 'r',
    date_trunc('month', now(), 'UTC') - make_interval(months => ${ago}) + n * interval '1 day'
  from generate_series(1, 4) n
`
/** An act that has equal ones. */
const tell = (tx: Sql = sql, target = 't') =>
  insertAuditEvent(tx, testEvent('team-created', { userId: null, organizationId: 'o', target }))
const months = () => pastAuditMonths(sql)
const nameOf = async (ago: number) => {
  const [row] = await sql<{ name: string }[]>`
    select 'audit_events_' || to_char((now() at time zone 'UTC') - make_interval(months => ${ago}), 'YYYY_MM') as name
  `
  return row!.name
}
/** Gives so many past months a table each. */
async function makeMonths(count: number): Promise<void> {
  for (let ago = count; ago > 0; ago -= 1) {
    await tellOf(ago)
    await sql`alter table audit_events disable trigger audit_events_append_only`
    await sql`update only audit_events set created_at = now() - make_interval(months => ${ago}) where id not like 'ago-%'`
    await sql`alter table audit_events enable trigger audit_events_append_only`
    expect(await closeAuditMonth(sql)).toBe(await nameOf(ago))
  }
}

describe('a month that is over', () => {
  it('gets a table of its own, and every reader finds the same, and goes on from where they stand', async () => {
    for (const ago of [3, 2, 1]) await tellOf(ago)
    await found(service)
    const before = { whole: await walk(), page: await list({ limit: '5' }) }
    expect(await closeAuditMonth(sql)).toBe(await nameOf(3))
    expect(await closeAuditMonth(sql)).toBeNull()
    expect(await walk()).toEqual(before.whole)
    expect([...ids(before.page), ...(await walk(before.page.next))]).toEqual(before.whole)
    expect(ids(await list({ after: before.page.latest }))).toEqual([])
    await tell()
    const [news, whole] = [await list({ after: before.page.latest }), await walk()]
    expect([news.events.length, whole]).toEqual([1, [...ids(news), ...before.whole]])
  })

  it('leaves a table that is the same in all but its rows', async () => {
    await sql`create role plain`.catch(() => undefined)
    await sql`grant select, insert on audit_events to plain with grant option`
    await sql`grant select on audit_events to public`
    await sql`grant select (event, created_at) on audit_events to plain`
    await sql`create policy "some" on audit_events as restrictive for select to plain using (organization_id = 'o')`
    await sql`create policy news on audit_events for insert with check (event <> '')`
    await sql`alter table audit_events enable row level security`
    await sql`alter table audit_events set (autovacuum_vacuum_scale_factor = 0.01, fillfactor = 90)`
    const look = () => sql`
      select array(select pg_get_indexdef(indexrelid) from pg_index where indrelid = c.oid order by 1) as indexes,
        array(select pg_get_constraintdef(oid) || conname from pg_constraint where conrelid = c.oid and contype = 'p') as key,
        array(select pg_get_triggerdef(oid) from pg_trigger where tgrelid = c.oid order by 1) as triggers,
        array(
          select concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
            col_description(c.oid, a.attnum))
          from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 order by a.attnum
        ) as columns,
        array(select a::text from aclexplode(c.relacl) a order by 1) as privileges,
        array(
          select concat_ws(' ', attname, a::text) from pg_attribute cross join aclexplode(attacl) a where attrelid = c.oid order by 1
        ) as "columnPrivileges",
        array(select concat_ws(' ', policyname, permissive, roles, cmd, qual, with_check) from pg_policies
          where tablename = 'audit_events' order by 1) as policies,
        c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
        c.relowner, obj_description(c.oid, 'pg_class') as comment
      from pg_class c where c.oid = 'audit_events'::regclass
    `
    const [before] = await look()
    await tellOf(1)
    expect(await closeAuditMonth(sql)).not.toBeNull()
    const [after] = await look()
    expect(after).toEqual(before)
    expect(before).toMatchObject({
      indexes: { length: 9 },
      triggers: { length: 2 },
      policies: { length: 2 },
      columnPrivileges: { length: 2 },
    })
  })

  it('ends with an index that somebody else made, which its successor has, too', async () => {
    await sql`create index report_by_request on audit_events (request_id)`
    for (const ago of [2, 1]) {
      await tellOf(ago)
      expect(await closeAuditMonth(sql)).toBe(await nameOf(ago))
    }
    const indexes = await sql<{ name: string }[]>`
      select indexname as name from pg_indexes where indexname ~ 'report' order by tablename
    `
    expect(indexes.map(({ name }) => name)).toEqual([
      'report_by_request',
      `${await nameOf(2)}_report_by_request`,
      `${await nameOf(1)}_report_by_request`,
    ])
  })

  it('ends with indexes whose names are alike until where they have to be cut', async () => {
    for (const last of ['1', '2'])
      await sql`create index ${sql(`${'by_'.repeat(20)}${last}`)} on audit_events (request_id)`
    await tellOf(1)
    expect(await closeAuditMonth(sql)).toBe(await nameOf(1))
  })

  it('gives by default nobody what the trail did not give them, and keeps what its owner has', async () => {
    await sql`alter default privileges grant select, delete on tables to pg_monitor, public`
    await tellOf(1)
    expect(await closeAuditMonth(sql)).toBe(await nameOf(1))
    const may = ['select', 'delete'].map((right) => sql`has_table_privilege('pg_monitor', 'audit_events', ${right})`)
    expect(await sql`select ${may[0]!} as reads, ${may[1]!} as deletes`).toEqual([{ reads: false, deletes: false }])
    const owners = await sql<{ may: string }[]>`
      select a.privilege_type as may from pg_class c cross join aclexplode(c.relacl) a
      where c.oid = 'audit_events'::regclass and a.grantee = c.relowner
    `
    expect(owners.map((one) => one.may)).toEqual(expect.arrayContaining(['SELECT', 'INSERT', 'UPDATE', 'DELETE']))
  })

  it('takes over no policy of a table of the same name in another schema', async () => {
    await sql`create schema other`
    await sql`create table other.audit_events ()`
    await sql`create policy theirs on other.audit_events`
    await tellOf(1)
    expect(await closeAuditMonth(sql)).toBe(await nameOf(1))
    expect(await sql`select from pg_policy where polrelid = 'audit_events'::regclass`).toHaveLength(0)
  })

  it('stays append-only', async () => {
    await makeMonths(1)
    const [month] = await months()
    for (const text of [`update ${month} set event = 'x'`, `delete from ${month}`, `truncate ${month}`])
      await expect(sql.unsafe(text)).rejects.toThrow('audit_events is append-only')
  })

  it(
    'is closed once, however many processes sweep, while acts go on; none is lost or counted twice',
    enough,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        await tellOf(rounds - round)
        const { latest } = await list({ limit: '1' })
        const acts = Array.from({ length: 24 }, (_, n) => () => tell(sql, n % 2 ? `equal-${round}` : `${round}-${n}`))
        const closers = Array.from({ length: 6 }, () => () => closeAuditMonth(sql))
        const answers = await Promise.all(
          [...closers, ...acts].toSorted(() => Math.random() - 0.5).map(async (work) => work()),
        )
        // Acts may have kept the table from everybody: then the next sweep closes it.
        const closed = [...answers, await closeAuditMonth(sql)].filter((answer) => typeof answer === 'string')
        expect(closed).toHaveLength(1)
        expect(await closeAuditMonth(sql)).toBeNull()
        const { events } = await list({ after: latest, limit: '100' })
        expect(events.reduce((all, { count }) => all + count, 0)).toBe(24)
        expect(new Set(ids({ events } as Page)).size).toBe(events.length)
      }
      expect(await months()).toHaveLength(rounds)
    },
  )

  it('waits for whoever uses the trail for long, without making others wait for long', async () => {
    await tellOf(1)
    await sql.begin(async (tx) => {
      await tx`select from audit_events`
      expect(await closeAuditMonth(sql)).toBeNull()
      await tell()
    })
    expect(await closeAuditMonth(sql)).toBe(await nameOf(1))
  })

  it('needs no sweep to be told of: a new month begins in the same table, and is closed with the one before', async () => {
    await tellOf(2)
    await tellOf(1)
    await tell()
    expect((await walk()).length).toBeGreaterThan(8)
    await sweep(service.deps)
    expect(await months()).toEqual([await nameOf(2)])
    expect(service.logged.filter(({ msg }) => msg === 'closed a month of the audit trail')).toMatchObject([
      { level: 30, table: await nameOf(2) },
    ])
    await tellOf(2)
    expect(await closeAuditMonth(sql)).toBe(`${await nameOf(2)}_more`)
  })
})

describe('the retention', () => {
  /** Seconds since the second day of a month, whose last event was later. */
  const secondsSince = async (ago: number): Promise<number> => {
    const [row] = await sql<{ seconds: number }[]>`
      select extract(epoch from now() - (date_trunc('month', now(), 'UTC') - make_interval(months => ${ago}) + interval '1 day'))::integer
        as seconds
    `
    return row!.seconds
  }

  it('drops the months whose last event is older, deletes no row of them, and keeps all others', async () => {
    await makeMonths(5)
    const whole = await walk()
    const sweeping = await service.sibling({ AUDIT_RETENTION: `${await secondsSince(3)}s` })
    await sweep(sweeping.deps)
    expect(await months()).toEqual([await nameOf(3), await nameOf(2), await nameOf(1)])
    expect(await walk()).toEqual(whole.slice(0, 3 * 4))
    expect(sweeping.logged.filter(({ msg }) => msg === 'dropped a month of the audit trail')).toHaveLength(2)
    expect(sweeping.logged.filter(({ table, rows }) => table === 'audit_events' && rows)).toEqual([])
  })

  it('keeps a month for a minute after its last event, which may count equal acts until then', async () => {
    await makeMonths(1)
    const [month] = await months()
    const [last] = await sql<{ age: number }[]>`
      select extract(epoch from now() - max(created_at))::float8 as age from ${sql(month!)}
    `
    expect(await dropAuditMonth(sql, month!, last!.age - 1)).toBe(false)
    expect(await dropAuditMonth(sql, month!, last!.age - 60)).toBe(true)
  })

  it('of zero drops nothing', async () => {
    await makeMonths(2)
    const sweeping = await service.sibling({ AUDIT_RETENTION: '0' })
    await sweep(sweeping.deps)
    expect(await months()).toHaveLength(2)
  })

  it('leaves a month that somebody reads to the next sweep, and drops it once for all who sweep', async () => {
    await makeMonths(4)
    const [oldest, next] = await months()
    const kept = await secondsSince(2)
    await sql.begin(async (tx) => {
      await tx`select from ${tx(oldest!)}`
      expect(await dropAuditMonth(sql, oldest!, kept)).toBe(false)
      expect(await dropAuditMonth(sql, next!, kept)).toBe(true)
    })
    const dropped = await Promise.all(Array.from({ length: 6 }, () => dropAuditMonth(sql, oldest!, kept)))
    expect(dropped.filter(Boolean)).toHaveLength(1)
    expect(await months()).not.toContain(oldest)
  })

  it('drops every month but one that a view of somebody else reads, and says which it is', async () => {
    await makeMonths(4)
    const [oldest, ...later] = await months()
    await sql`create view report as select id from ${sql(oldest!)}`
    const sweeping = await service.sibling({ AUDIT_RETENTION: `${await secondsSince(1)}s` })
    await sweep(sweeping.deps)
    expect(await months()).toEqual([oldest, later.at(-1)])
    const warned = () => sweeping.logged.filter(({ level }) => level === 40)
    expect(warned()).toMatchObject([
      { msg: `${oldest} was not dropped; the next sweep tries again`, err: { code: '2BP01' } },
    ])
    await sql`drop view report`
    await sweep(sweeping.deps)
    expect(await months()).toEqual([later.at(-1)])
  })

  it('keeps a month that somebody is just taking out of the trail', async () => {
    await makeMonths(2)
    const [oldest] = await months()
    // Not given up before anybody saw it wait.
    await sql.unsafe("alter function drop_audit_month(text, interval) set lock_timeout = '60s'")
    const dropped = await sql.begin(async (tx) => {
      await tx`alter table ${tx(oldest!)} no inherit audit_events`
      const dropping = dropAuditMonth(sql, oldest!, await secondsSince(1))
      await untilWaiting(service)
      return { dropping }
    })
    expect(await dropped.dropping).toBe(false)
    expect(await sql`select count(*)::integer as events from ${sql(oldest!)}`).toEqual([{ events: 5 }])
  })

  it('drops no month whose events a policy hides from the service', async () => {
    await makeMonths(2)
    const [oldest] = await months()
    const dropping = sql.begin(async (tx) => {
      await tx`create role months_keeper`
      await tx`grant months_keeper to current_user`
      await tx`alter table ${tx(oldest!)} owner to months_keeper`
      await tx`alter table ${tx(oldest!)} enable row level security, force row level security`
      await tx`set local role months_keeper`
      await tx`select drop_audit_month(${oldest!}, '1 day')`
    })
    await expect(dropping).rejects.toThrow('row-level security')
  })

  it('goes on where no month can end', async () => {
    await makeMonths(2)
    await sql`alter function close_audit_month() rename to no_longer`
    const sweeping = await service.sibling({ AUDIT_RETENTION: `${await secondsSince(1)}s` })
    await sweep(sweeping.deps)
    expect(await months()).toEqual([await nameOf(1)])
  })
})
