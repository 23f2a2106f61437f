import { Socket, type TcpNetConnectOpts } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openClone, patience } from '../testing/database.ts'
import { untilWaiting } from '../testing/locks.ts'
import { openProxy, upstreamOf } from '../testing/proxy.ts'
import { openRewired, type Rewired } from '../testing/rewired.ts'
import { slack } from '../testing/slack.ts'
import { connect, type Database, type Sql } from './connect.ts'
import { transaction } from './transaction.ts'

let database: Database
let killer: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ database, sql: killer, close } = await openClone())
})
afterAll(() => close())

const rowsOf = async (sql: Sql) => [...(await sql`select n, array['a', 'b'] as list from generate_series(1, 9) n`)]
const own = Array.from({ length: 9 }, (_, at) => ({ n: at + 1, list: ['a', 'b'] }))

it('gives nothing of an answer that a lost connection cut to whoever asks next', async () => {
  const proxy = await openProxy(database)
  const sql = connect(proxy.database, { connections: 1, prepare: true, deadlines: patience })
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
  const sql = connect(database, { connections: 10, prepare: true, deadlines: patience })
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
    // Waits for answers rather than a time: on a busy machine all would be killed again before any had answered.
    const next = Math.min(1000, answered + 10)
    await vi.waitUntil(() => answered >= next, { timeout: 200_000 * slack, interval: 2 })
  }
  await loops
  expect(wrong).toEqual([])
  await sql.end()
})

it('writes again once the database takes writes, though its connections were opened while it took none', async () => {
  const sql = connect(database, { connections: 1, prepare: true, deadlines: patience })
  const name = killer((await killer<{ name: string }[]>`select current_database() as name`)[0]!.name)
  await killer`alter database ${name} set default_transaction_read_only = on`
  const write = () => sql`create table written_again ()`
  await expect(write()).rejects.toMatchObject({ cause: { code: '25006' }, retryAfter: 1 })
  await killer`alter database ${name} reset default_transaction_read_only`
  await write()
  await sql`drop table written_again`
  await sql.end()
})

const pidOf = async (sql: Sql): Promise<number> => (await sql`select pg_backend_pid() as pid`)[0]?.pid

const losses = {
  'its backend is killed': (_way: Rewired, pid: number) => killer`select pg_terminate_backend(${pid})`,
  'its way is cut': (way: Rewired) => way.cut(),
}

it.each(Object.entries(losses))(
  'lets nothing of a transaction happen elsewhere when %s, though its work goes on',
  async (_what, lose) => {
    const way = await openRewired(database)
    const sql = connect(way.database, { connections: 1, prepare: true, deadlines: patience })
    await sql`create table if not exists written (by text)`
    await sql`truncate written`
    const told: unknown[] = []
    const lost = transaction(sql, async (tx) => {
      await tx`insert into written values ('lost')`
      const pid = await pidOf(tx)
      await lose(way, pid)
      await expect.poll(way.open).toBe(0)
      // Another transaction uses the pool's only connection by now.
      await transaction(sql, async (own) => {
        await own`insert into written values ('other')`
        await tx`insert into written values ('stray')`.catch((error: unknown) => told.push(error))
      })
      await tx`insert into written values ('late')`.catch((error: unknown) => told.push(error))
    })
    await expect(lost).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
    await expect
      .poll(() => told)
      .toMatchObject([{ failure: 'SERVICE_UNAVAILABLE' }, { failure: 'SERVICE_UNAVAILABLE' }])
    expect([...(await sql`select by from written`)]).toEqual([{ by: 'other' }])
    await sql.end()
    await way.close()
  },
)

it('keeps no connection on which a transaction was begun by hand', async () => {
  const sql = connect(database, { connections: 1, prepare: true, deadlines: patience })
  const pid = await pidOf(sql)
  await expect(sql.unsafe('start transaction')).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
  expect(await pidOf(sql)).not.toBe(pid)
  await sql.end()
})

it('opens no connection any more that was to be opened when the pool was ended', async () => {
  const proxy = await openProxy(database)
  const sql = connect(proxy.database, { connections: 1, prepare: true })
  // After a failure the next connection waits for a moment.
  proxy.fault = 'end-at-startup'
  await rowsOf(sql).catch(() => undefined)
  proxy.fault = 'none'
  const asked = rowsOf(sql).catch((error: unknown) => error)
  // Waits one turn instead of sleeping, after which it could be over.
  await new Promise(setImmediate)
  await sql.end({ timeout: 0 })
  // Only this process's own: a program of another run on this machine may look for its server at the same port. And only
  // from now on: on a slow machine the moment was over before the end.
  const opened = vi.spyOn(Socket.prototype, 'connect')
  expect(await asked).toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
  await sleep(200)
  const { port } = upstreamOf(proxy.database) as TcpNetConnectOpts
  expect(opened.mock.calls.filter(([first]: readonly unknown[]) => first === port)).toEqual([])
  opened.mockRestore()
  await proxy.close()
})

const message = (type: string, body: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

it.each([
  ['that it is ready', message('Z', Buffer.from('I'))],
  ['a row', message('D', Buffer.from([0, 0]))],
  ['something unknown', message('?', Buffer.alloc(0))],
  ['what answers a function call', message('V', Buffer.from([255, 255, 255, 255]))],
  ['what it knows of the protocol', message('v', Buffer.alloc(8))],
  ['an error', message('E', Buffer.from('SERROR\0VERROR\0C55P03\0Mlock timeout\0\0'))],
])('uses no connection again over which the server said unasked %s', async (_what, said) => {
  const way = await openRewired(database)
  const sql = connect(way.database, { connections: 1, prepare: true, deadlines: patience })
  const pid = await pidOf(sql)
  way.say(said)
  await expect.poll(way.open).toBe(0)
  expect(await pidOf(sql)).not.toBe(pid)
  expect(await rowsOf(sql)).toEqual(own)
  await sql.end()
  await way.close()
})

it('tells of an answer that cannot be read as of an outage, and uses its connection no more', async () => {
  const way = await openRewired(database)
  const sql = connect(way.database, { connections: 1, prepare: false, deadlines: patience })
  const pid = await pidOf(sql)
  await killer`select pg_advisory_lock(7)`
  const asked = sql`select pg_advisory_xact_lock(7)`.execute().catch((error: unknown) => error)
  await untilWaiting({ deps: { sql: killer } })
  // A row with two columns where one was announced: half of the answer to another query.
  way.say(message('D', Buffer.from([0, 2, 0, 0, 0, 1, 120, 0, 0, 0, 1, 120])))
  expect(await asked).toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
  await killer`select pg_advisory_unlock(7)`
  expect(await pidOf(sql)).not.toBe(pid)
  await sql.end()
  await way.close()
})

it('leaves no socket behind at the end of a pool whose server does not say goodbye', async () => {
  const proxy = await openProxy(database)
  proxy.fault = 'silent'
  const at = proxy.database
  const port = typeof at === 'string' ? Number(new URL(at).port) : at.port
  // Handles that would keep the process from ending.
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles: () => { remotePort?: number }[] }
  const open = () => handles().filter(({ remotePort }) => remotePort === port).length
  const sql = connect(proxy.database, { connections: 1, prepare: true })
  const asked = rowsOf(sql).catch((error: unknown) => error)
  await expect.poll(open).toBe(1)
  await sql.end({ timeout: 0.1 })
  expect(await asked).toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
  await expect.poll(open).toBe(0)
  await proxy.close()
})
