import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Sql } from '../db/connect.ts'
import { claimSweepTurn, passSweepTurn } from '../db/sweep-turns.ts'
import { signUpReaders, startLoad } from '../testing/load.ts'
import { type ServiceProcess, startProcess } from '../testing/process.ts'
import { enoughToSweep, sweptRows } from '../testing/rounds.ts'
import { createTestService, type TestService } from '../testing/service.ts'
import { type SweepOptions, startSweeper, sweep, sweptTables } from './sweeper.ts'

/** Of statements that make a million rows. Milliseconds. */
const deadlines = { queue: 30_000, query: 500_000 }

let service: TestService
let serving: ServiceProcess | undefined
beforeEach(async () => {
  service = await createTestService({ LOG_LEVEL: 'debug' }, { deadlines })
})
afterEach(async () => {
  await serving?.kill()
  serving = undefined
  await service.stop()
})

const expired = '90 days'
const alive = '-90 days'
const kinds = [
  'sessions',
  'rate_limits',
  'verifications',
  'device_requests',
  'outbox',
  'invitations',
  'ended_imports',
] as const

/** So many rows of every kind, whose time came so long ago. */
async function insert(sql: Sql, rows: number, age: string): Promise<void> {
  const name = `${age} ${Math.random()}`
  const numbers = sql`generate_series(1, ${rows}::integer) n`
  const then = sql`now() - ${age}::interval`
  await sql`
    with owner as (insert into users (id, email, name) values (${name}, ${name}, 'Ann') returning id)
    insert into organizations (id, name, slug) select ${name}, 'Acme', md5(${name}) from owner
  `
  await sql`
    insert into sessions (id, user_id, token_hash, expires_at)
    select ${name} || n, ${name}, sha256((${name} || n)::bytea), ${then} from ${numbers}
  `
  await sql`insert into rate_limits (key, count, expires_at) select sha256((${name} || n)::bytea), 1, ${then} from ${numbers}`
  await sql`
    insert into verifications (id, identifier, value, expires_at)
    select ${name} || n, ${name} || n, '', ${then} from ${numbers}
  `
  await sql`
    insert into device_requests (id, device_code_hash, user_code_mac, client_id, ip_address, user_agent, expires_at)
    select ${name} || n, sha256((${name} || n)::bytea), sha256((${name} || n)::bytea), 'x', '', '', ${then} from ${numbers}
  `
  await sql`insert into outbox (id, kind, payload, created_at) select ${name} || n, 'x', '', ${then} from ${numbers}`
  await sql`
    insert into invitations (id, organization_id, email, roles, inviter_id, expires_at)
    select ${name} || n, ${name}, ${name} || n, '{member}', ${name}, ${then} from ${numbers}
  `
  await sql`insert into ended_imports (token_hash, expires_at) select sha256((${name} || n)::bytea), ${then} from ${numbers}`
}

/** Rows of each table whose time came; and, of those that `insert` made, whose time is still to come. */
async function counts(): Promise<Record<string, readonly [expired: number, alive: number]>> {
  const { sql } = service.deps
  const found: [string, [number, number]][] = []
  for (const table of kinds) {
    const time = sql(table === 'outbox' ? 'created_at' : 'expires_at')
    const [row] = await sql<{ old: number; young: number }[]>`
      select count(*) filter (where ${time} < now() - interval '80 days')::integer as old,
        count(*) filter (where ${time} > now() + interval '80 days')::integer as young
      from ${sql(table)}
    `
    found.push([table, [row!.old, row!.young]])
  }
  return Object.fromEntries(found)
}

/** Without a rest, where a test is about something else. */
const busily = { share: 1 } satisfies SweepOptions

const all = (old: number, young: number) => Object.fromEntries(kinds.map((table) => [table, [old, young]]))

it('sweeps every table there is to sweep here', () => {
  expect(Object.keys(sweptTables(service.deps.config))).toEqual(expect.arrayContaining([...kinds]))
})

it('deletes a mass of expired rows, two at once, while everybody is served as themselves', enoughToSweep, async () => {
  const { sql } = service.deps
  const each = Math.ceil(sweptRows / kinds.length)
  await insert(sql, each, expired)
  await insert(sql, 500, alive)
  expect(await counts()).toEqual(all(each, 500))
  serving = await startProcess(service.database)
  const readers = await signUpReaders(serving.url)
  const load = startLoad(readers.ask, 4)
  const { deps } = await service.sibling()
  await Promise.all([sweep(service.deps, busily), sweep(deps, busily)])
  await load.stop()
  expect(await counts()).toEqual(all(0, 500))
  expect(load.outcomes.filter(({ status }) => status !== 200)).toEqual([])
  expect([readers.wrong, load.outcomes.length > 0]).toEqual([[], true])
  expect(service.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

it('keeps a mail that was not sent for a week', async () => {
  const { sql } = service.deps
  await sql`
    insert into outbox (id, kind, payload, created_at)
    select hours, 'x', '', now() - make_interval(hours => hours::integer) from (values ('167'), ('169')) t (hours)
  `
  await sweep(service.deps, busily)
  expect(await sql`select id from outbox`).toEqual([{ id: '167' }])
})

it('tells how far it came, to the log and to who counts', async () => {
  await insert(service.deps.sql, 1100, expired)
  const counted: [string, number][] = []
  const observer = { swept: (table: string, rows: number) => void counted.push([table, rows]) }
  await sweep({ ...service.deps, observer: observer as never }, busily)
  for (const table of kinds) {
    expect(counted.filter(([name]) => name === table).map(([, rows]) => rows)).toEqual([1000, 100])
    expect(service.logged.filter((line) => line.table === table)).toMatchObject([
      { level: 20, msg: 'swept', rows: 1000 },
      { level: 20, msg: 'swept', rows: 100 },
    ])
  }
})

it('goes on with the others when one fails, says which, and tries it again', async () => {
  const { sql } = service.deps
  await insert(sql, 10, expired)
  await sql`alter table sessions rename to away`
  await sweep(service.deps, busily)
  await sql`alter table away rename to sessions`
  expect(await counts()).toEqual({ ...all(0, 0), sessions: [10, 0] })
  expect(service.logged.filter(({ level }) => level === 40)).toMatchObject([
    { msg: 'sweep failed; the next one tries again', table: 'sessions' },
  ])
  await sweep(service.deps, busily)
  expect(await counts()).toEqual(all(0, 0))
})

it('stops between two batches', async () => {
  await insert(service.deps.sql, 3000, expired)
  const leaving = new AbortController()
  const observer = { swept: () => leaving.abort() }
  await sweep({ ...service.deps, observer: observer as never }, { ...busily, signal: leaving.signal })
  expect(await counts()).toEqual({ ...all(3000, 0), sessions: [2000, 0] })
})

it('sweeps again and again, until it is stopped', async () => {
  const stop = startSweeper(service.deps, { interval: 5, ...busily })
  for (let time = 0; time < 3; time += 1) {
    await insert(service.deps.sql, 10, expired)
    await expect.poll(counts).toEqual(all(0, 0))
  }
  await stop()
  service.statements.forget()
  await insert(service.deps.sql, 10, expired)
  expect(await counts()).toEqual(all(10, 0))
})

it.each(kinds)('finds the rows of %s by an index, oldest first', async (table) => {
  const { sql, config } = service.deps
  await insert(sql, 2000, expired)
  await insert(sql, 10_000, alive)
  await sql`analyze`
  const deletion = sweptTables(config)[table]
  const plan = await sql<Record<string, string>[]>`explain ${deletion(sql, 1000)}`
  const lines = plan.flatMap(Object.values).join('\n')
  expect(lines).toMatch(new RegExp(`Index Scan using ${table}_(expires|created)_at_idx`))
  expect(lines).not.toMatch(/Sort|Seq Scan/)
})

it.each([
  ['twenty-four times as long as it swept', 100, 2.4],
  ['half an hour at most, also after it stood still', 3_600_000, 1800],
])('rests %s', async (_, swept, rest) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const observer = { swept: (table: string) => table === 'sessions' && vi.advanceTimersByTime(swept) }
  const { sql } = service.deps
  const due = sql`clock_timestamp() + make_interval(secs => ${rest})`
  const [before] = await sql<{ due: Date }[]>`select ${due} as due`
  await sweep({ ...service.deps, observer: observer as never })
  vi.useRealTimers()
  const [turn] = await sql<{ due: Date; latest: Date }[]>`
    select due_at as due, ${due} as latest from sweep_turns
  `
  expect([turn!.due >= before!.due, turn!.due <= turn!.latest]).toEqual([true, true])
})

it('takes turns with the other processes: one sweeps, and the others wait until the rest is over', async () => {
  const { sql } = service.deps
  const { sql: other } = (await service.sibling()).deps
  const waits = await Promise.all(Array.from({ length: 16 }, (_, n) => claimSweepTurn(n % 2 ? sql : other)))
  expect(waits.filter((wait) => wait === 0)).toHaveLength(1)
  await passSweepTurn(sql, 50_000)
  const wait = await claimSweepTurn(other)
  expect([wait > 10_000, wait <= 50_000]).toEqual([true, true])
  await passSweepTurn(other, 0)
  expect([await claimSweepTurn(sql), (await claimSweepTurn(other)) > 0]).toEqual([0, true])
  // Whoever has the turn dies.
  await sql`update sweep_turns set due_at = due_at - interval '2 minutes'`
  expect(await claimSweepTurn(other)).toBe(0)
})

it('takes a turn that no rest explains, as after the clock of the database was set back', async () => {
  const { sql } = service.deps
  await claimSweepTurn(sql)
  await passSweepTurn(sql, 1_800_000)
  expect(await claimSweepTurn(sql)).toBeGreaterThan(0)
  await sql`update sweep_turns set due_at = due_at + interval '1 year'`
  expect(await claimSweepTurn(sql)).toBe(0)
  expect(await claimSweepTurn(sql)).toBeGreaterThan(0)
})

it('makes due what no wait explains, mails and webhooks, and leaves alone what waits its time', async () => {
  const { sql } = service.deps
  const times = sql`(values ('near', now() + interval '75 minutes'), ('far', now() + interval '1 day')) t (id, at)`
  await sql`insert into outbox (id, kind, payload, next_attempt_at) select id, 'x', '', at from ${times}`
  await sql`insert into outbox (id, kind, payload, next_attempt_at) values ('kept', 'x', '', 'infinity')`
  await sql`
    insert into webhooks (id, url, secret, cursor, created_by, next_at) select id, '', '', '', '', at from ${times}
  `
  await sweep(service.deps)
  expect(await sql`select id from outbox where next_attempt_at <= now()`).toEqual([{ id: 'far' }])
  expect(await sql`select id from webhooks where next_at <= now()`).toEqual([{ id: 'far' }])
})

it('waits for its turn, and leaves when the service stops meanwhile', async () => {
  const { sql } = service.deps
  await insert(sql, 10, expired)
  await claimSweepTurn(sql)
  const leaving = new AbortController()
  const sweeping = sweep(service.deps, { signal: leaving.signal })
  leaving.abort()
  await sweeping
  expect(await counts()).toEqual(all(10, 0))
  const waiting = sweep(service.deps)
  await passSweepTurn(sql, 0)
  await sql`update sweep_turns set due_at = due_at - interval '2 minutes'`
  await waiting
  expect(await counts()).toEqual(all(0, 0))
})
