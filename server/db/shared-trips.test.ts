import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openClone, patience } from '../testing/database.ts'
import { openRewired } from '../testing/rewired.ts'
import { slack } from '../testing/slack.ts'
import { findRow } from './checked-row.ts'
import { connect, type Database, type PoolOptions, type Sql } from './connect.ts'
import { findOrganizationOf } from './full-organization.ts'
import { findMember, findRolesOfMember } from './members.ts'
import { findActor } from './organization-actors.ts'
import { inSharedTrip } from './shared-trips.ts'

let database: Database
let killer: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ database, sql: killer, close } = await openClone({ connections: 2, prepare: false }))
  await killer`create table things (id text primary key, name text not null)`
  await killer`insert into things select n, 'thing ' || n from generate_series(1, 200) n`
  await killer`create table others as select * from things`
})
afterAll(() => close())

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

interface Pool {
  readonly sql: Sql
  readonly count: { trips: number; statements: number; divisions: number; distrusted: number }
}

async function open(options: Partial<PoolOptions> = {}, at = database): Promise<Pool> {
  const count = { trips: 0, statements: 0, divisions: 0, distrusted: 0 }
  const sql = connect(at, {
    connections: 2,
    prepare: true,
    deadlines: patience,
    onTrip: () => (count.trips += 1),
    onStatement: (text) => {
      if (text.includes('from things')) count.statements += 1
      if (text.includes('1 /')) count.divisions += 1
    },
    onDistrust: () => (count.distrusted += 1),
    ...options,
  })
  endings.push(() => sql.end({ timeout: 0 }))
  // Each connection is open and has prepared the statements.
  for (let time = 0; time < 3; time += 1) await Promise.all(numbers(8).map((n) => nameOf(sql, n)))
  Object.assign(count, { trips: 0, statements: 0, divisions: 0, distrusted: 0 })
  return { sql, count }
}

/** A pool without limits of its own, on a database that has this one. */
async function openLimited(limit: string): Promise<Pool> {
  const [row] = await killer<{ name: string }[]>`select current_database() as name`
  const name = killer(row!.name)
  await killer.unsafe(`alter database "${row!.name}" set ${limit} = ${500 * slack}`)
  const pool = await open({ connections: 2, prepare: false })
  await killer`alter database ${name} reset all`
  return pool
}

const numbers = (length: number, from = 1) => Array.from({ length }, (_, n) => from + n)
const find = (one: Sql, n: number) =>
  findRow<{ name: string }>(one, String(n), one`select name from things where id = ${String(n)}`)
const nameOf = (sql: Sql, n: number) => inSharedTrip(sql, async (one) => (await find(one, n))?.name)
const own = (list: readonly number[]) => list.map((n) => (n > 200 ? undefined : `thing ${n}`))
const divide = (sql: Sql) => inSharedTrip(sql, (one) => one`select 1 / ${0}::integer`)

/** Waits until so many statements of others wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = async () => {
    const rows = await killer`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `
    return rows.length
  }
  await expect.poll(waiting).toBe(count)
}

/** Ends the connections whose statements wait; resolves once they are gone. */
const end = () => killer`
  select pg_terminate_backend(pid, 60000) from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'
`

describe.each([true, false])('reads that are sent at the same time, with prepare %s', (prepare) => {
  it('share few trips, and each gets its own answer', async () => {
    const { sql, count } = await open({ prepare })
    const list = numbers(25, 190)
    expect(await Promise.all(list.map((n) => nameOf(sql, n)))).toEqual(own(list))
    // The first one is sent at once, and eight each share the others.
    expect([count.trips, count.statements]).toEqual([4, 25])
  })

  it('are answered each with its own, whoever else asks when, and for whatever', async () => {
    const { sql, count } = await open({ prepare, connections: 3 })
    const wrong: unknown[] = []
    const failed: unknown[] = []
    const live = async (start: number) => {
      for (let turn = 0; turn < 60; turn += 1) {
        const n = 1 + ((start * 97 + turn * 31) % 220)
        if (n % 11 === 0) failed.push(await divide(sql).catch((error: { code: string }) => error.code))
        const name = await nameOf(sql, n)
        if (name !== own([n])[0]) wrong.push([n, name])
      }
    }
    await Promise.all(numbers(30).map(live))
    expect([wrong, new Set(failed), count.distrusted]).toEqual([[], new Set(['22012']), 0])
  })

  it('fail alone when the statement of one fails, and are asked for once more without it', async () => {
    const { sql, count } = await open({ prepare })
    const asked = [nameOf(sql, 1), nameOf(sql, 2), divide(sql), nameOf(sql, 3)]
    const settled = await Promise.allSettled(asked)
    const failed = { status: 'rejected', reason: { code: '22012' } }
    expect(settled).toMatchObject([{ value: 'thing 1' }, { value: 'thing 2' }, failed, { value: 'thing 3' }])
    // The first, the trip that failed, and the two others alone, not the one that failed.
    expect([count.trips, count.divisions]).toEqual([4, 1])
  })
})

it('a read that throws before it sends anything, or sends nothing, fails alone', async () => {
  const { sql } = await open()
  const breakOff = () => {
    throw new Error('broken')
  }
  const asked = [nameOf(sql, 1), nameOf(sql, 2), inSharedTrip(sql, breakOff), inSharedTrip(sql, async () => 'nothing')]
  const broken = { status: 'rejected', reason: { message: 'broken' } }
  const values = ['thing 1', 'thing 2', broken, 'nothing', 'thing 3'].map((value) =>
    typeof value === 'string' ? { value } : value,
  )
  expect(await Promise.allSettled([...asked, nameOf(sql, 3)])).toMatchObject(values)
})

const other = (one: Sql) => one<{ name: string }[]>`select name from others where id = '1'`

it('a read that was sent alone and waits holds none that comes later', async () => {
  const { sql } = await open({ connections: 3 })
  let slow: Promise<unknown> = Promise.resolve()
  await killer.begin(async (tx) => {
    await tx`lock table others in access exclusive mode`
    slow = inSharedTrip(sql, other)
    await untilWaiting(1)
    expect(await Promise.all(numbers(12).map((n) => nameOf(sql, n)))).toEqual(own(numbers(12)))
  })
  expect(await slow).toEqual([{ name: 'thing 1' }])
})

it.each([
  ['waits too long for a lock', '55P03', 'lock_timeout'],
  ['takes too long', '57014', 'statement_timeout'],
])('a read that %s fails alone, and only the others are asked for again', async (_what, code, limit) => {
  const { sql, count } = await openLimited(limit)
  const settled = await killer.begin(async (tx) => {
    await tx`lock table others in access exclusive mode`
    const asked = [nameOf(sql, 1), nameOf(sql, 2), inSharedTrip(sql, other), nameOf(sql, 3)]
    return Promise.allSettled(asked)
  })
  const failed = { status: 'rejected', reason: { failure: 'SERVICE_UNAVAILABLE', cause: { code }, retryAfter: 1 } }
  expect(settled).toMatchObject([{ value: 'thing 1' }, { value: 'thing 2' }, failed, { value: 'thing 3' }])
  expect(count.statements).toBe(5)
})

it('those that share a trip have the time of one query together when nothing comes back', async () => {
  const way = await openRewired(database)
  endings.push(() => way.close())
  const { sql } = await open({ connections: 2, deadlines: { queue: 60_000, query: 1000 * slack } }, way.database)
  way.stall(60_000)
  const first = nameOf(sql, 1).catch(() => 'first')
  const all = Promise.allSettled(numbers(8).map((n) => nameOf(sql, n)))
  // Timers of one process end in their order: eight times as long would be after this one.
  const later = new Promise((resolve) => setTimeout(resolve, 5000 * slack, 'later'))
  const failure = { status: 'rejected', reason: { failure: 'SERVICE_UNAVAILABLE', cause: { code: 'QUERY_TIMEOUT' } } }
  expect(await Promise.race([all, later])).toMatchObject(Array(8).fill(failure))
  expect(await first).toBe('first')
})

it('a lost connection costs none of those that shared it more than another trip', async () => {
  const { sql, count } = await open({ connections: 1 })
  let asked: Promise<unknown[]> = Promise.resolve([])
  await killer.begin(async (tx) => {
    await tx`lock table things in access exclusive mode`
    asked = Promise.all(numbers(6).map((n) => nameOf(sql, n)))
    await untilWaiting(1)
    await end()
    // Now those that were gathered wait, and the first one again behind them.
    await expect.poll(() => count.statements).toBe(6)
    await untilWaiting(1)
    await end()
  })
  expect(await asked).toEqual(own(numbers(6)))
  expect(count.statements).toBe(12)
})

it('an answer to somebody else is believed by none that shared the trip', async () => {
  const way = await openRewired(database)
  endings.push(() => way.close())
  const { sql, count } = await open({}, way.database)
  // Two of the trip are exchanged, as a driver that counts wrong would do.
  way.alterRows((row) => {
    const at = row.indexOf('thing 2')
    const asked = row.indexOf('2')
    if (at !== -1 && asked !== -1) row.write('3', asked)
    return [row]
  })
  const settled = await Promise.allSettled([1, 2, 3, 4].map((n) => nameOf(sql, n)))
  const failure = { status: 'rejected', reason: { failure: 'SERVICE_UNAVAILABLE', cause: { code: 'FOREIGN_ANSWER' } } }
  expect(settled).toMatchObject([{ value: 'thing 1' }, failure, failure, failure])
  expect(count.distrusted).toBe(1)
  way.alterRows((row) => [row])
  expect(await nameOf(sql, 2)).toBe('thing 2')
})

it.each<[string, (one: Sql, id: string) => Promise<unknown>]>([
  ['membership', (one, id) => findActor(one, id, 'ann')],
  ['member', (one, id) => findMember(one, id, 'ann')],
  ['role', (one, id) => findRolesOfMember(one, { id, slug: null }, 'ann', 'ann')],
  ['organization', (one, id) => findOrganizationOf(one, 'ann', { id, slug: null })],
])('the %s of one person in one organization never passes for that in another', async (_what, read) => {
  await killer`insert into users (id, email, name) values ('ann', 'ann@example.com', 'Ann') on conflict do nothing`
  for (const id of ['acme', 'evil']) {
    await killer`insert into organizations (id, name, slug) values (${id}, ${id}, ${id}) on conflict do nothing`
    await killer`
      insert into members (id, organization_id, user_id, roles) values (${id}, ${id}, 'ann', ${[id]}) on conflict do nothing
    `
  }
  const way = await openRewired(database)
  endings.push(() => way.close())
  const { sql, count } = await open({}, way.database)
  expect(JSON.stringify(await inSharedTrip(sql, (one) => read(one, 'acme')))).toContain('acme')
  way.alterRows((row) => [Buffer.from(row.toString('latin1').replaceAll('acme', 'evil'), 'latin1')])
  const failure = { failure: 'SERVICE_UNAVAILABLE', cause: { code: 'FOREIGN_ANSWER' } }
  await expect(inSharedTrip(sql, (one) => read(one, 'acme'))).rejects.toMatchObject(failure)
  expect(count.distrusted).toBe(1)
})
