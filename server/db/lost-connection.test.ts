import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cloneDatabase } from '../testing/database.ts'
import { connect, type Sql } from './connect.ts'

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let killer: Sql
beforeAll(async () => {
  cloned = await cloneDatabase()
  killer = connect(cloned.database, { connections: 1, prepare: true })
})
afterAll(async () => {
  await killer.end()
  await cloned.drop()
})

it('gives nothing of an answer that a lost connection cut to whoever asks next', async () => {
  const sql = connect(cloned.database, { connections: 1, prepare: true })
  // Long rows, so that the first fifty are sent before the server sleeps.
  const cut = sql`
    select i, repeat('x', 10000) as pad, case when i = 50 then pg_sleep(20)::text end as slept
    from generate_series(1, 100) i
  `
    .execute()
    .catch((error: unknown) => error)
  const asleep = () =>
    killer`select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
  await expect.poll(asleep).toHaveLength(1)
  await killer`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
  expect(await cut).toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: undefined })
  const rows = await sql`select 1 as one, array['a', 'b'] as list`
  expect([...rows]).toEqual([{ one: 1, list: ['a', 'b'] }])
  await sql.end()
})

it('answers each query with its own rows, or fails it, while backends are killed', async () => {
  const sql = connect(cloned.database, { connections: 10, prepare: true })
  let [asked, answered, isOver] = [0, 0, false]
  const wrong: unknown[] = []
  const loop = async () => {
    while (!isOver) {
      asked += 1
      const n = asked
      const pad = 'x'.repeat(n % 3 === 0 ? 2000 : 0)
      const rows = await sql`select ${n}::int as n, ${pad}::text as pad, array['a'] as list`.catch(() => null)
      if (!rows) await sleep(1)
      else if (JSON.stringify(rows) !== JSON.stringify([{ n, pad, list: ['a'] }])) wrong.push(rows)
      else answered += 1
    }
  }
  const loops = Array.from({ length: 12 }, loop)
  for (let round = 0; round < 100; round += 1) {
    await killer`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
      order by random() limit 5
    `
    await sleep(15)
  }
  isOver = true
  await Promise.all(loops)
  expect(wrong).toEqual([])
  expect(answered).toBeGreaterThan(100)
  await sql.end()
})
