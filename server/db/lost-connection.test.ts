import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cloneDatabase } from '../testing/database.ts'
import { openProxy } from '../testing/proxy.ts'
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

const rowsOf = async (sql: Sql) => [...(await sql`select 1 as one, array['a', 'b'] as list`)]
const own = [{ one: 1, list: ['a', 'b'] }]

it('gives nothing of an answer that a lost connection cut to whoever asks next', async () => {
  const proxy = await openProxy(cloned.database)
  const sql = connect(proxy.database, { connections: 1, prepare: true })
  // The first answer on a connection is the driver's own, about types: the query behind it was not sent yet.
  proxy.fault = 'shutdown'
  await expect(rowsOf(sql)).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
  proxy.fault = 'none'
  expect([await rowsOf(sql), await rowsOf(sql)]).toEqual([own, own])
  proxy.fault = 'shutdown'
  proxy.strike()
  proxy.fault = 'none'
  await rowsOf(sql).catch(() => undefined)
  expect([await rowsOf(sql), await rowsOf(sql)]).toEqual([own, own])
  await sql.end({ timeout: 0 })
  await proxy.close()
})

it('answers each query with its own rows, or fails it, while backends are killed', async () => {
  const sql = connect(cloned.database, { connections: 10, prepare: true })
  let [asked, answered] = [0, 0]
  const wrong: unknown[] = []
  const loop = async () => {
    while (answered < 1000) {
      asked += 1
      const n = asked
      const pad = 'x'.repeat(n % 3 === 0 ? 2000 : 0)
      const rows = await sql`select ${n}::int as n, ${pad}::text as pad, array['a'] as list`.catch(() => null)
      if (!rows) await sleep(1)
      else if (JSON.stringify(rows) !== JSON.stringify([{ n, pad, list: ['a'] }])) wrong.push(rows)
      else answered += 1
    }
  }
  const loops = Promise.all(Array.from({ length: 12 }, loop))
  while (answered < 1000) {
    await killer`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
      order by random() limit 5
    `
    await sleep(10)
  }
  await loops
  expect(wrong).toEqual([])
  await sql.end()
})
