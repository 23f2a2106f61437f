import { expect, it } from 'vitest'
import { patience, settingsOf } from '../testing/database.ts'
import { useDatabase } from '../testing/use-service.ts'
import { connect } from './connect.ts'

const cloned = useDatabase()

it('reads an address with or without a socket folder', async () => {
  const { DATABASE_URL = '' } = settingsOf(cloned.database)
  const sql = connect(DATABASE_URL, { connections: 1, prepare: true })
  const ask = () =>
    sql`
      select current_setting('application_name') as name, current_setting('statement_timeout') as statement,
        current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle
    `.catch((error: unknown) => error)
  // Asks again, since this connection has the default limits too and can exceed them on a busy machine.
  await expect.poll(ask).toEqual([{ name: 'postern', statement: '4500ms', lock: '2s', idle: '10s' }])
  await sql.end()
})

it('has no plan compiled and no idle connection ended, whatever the database has as its default', async () => {
  const open = () => connect(cloned.database, { connections: 1, prepare: true, deadlines: patience })
  const before = open()
  await before.unsafe(`alter database ${before.options.database} set idle_session_timeout = '1h'`)
  await before.end()
  const sql = open()
  expect(await sql`select current_setting('jit') as jit, current_setting('idle_session_timeout') as idle`).toEqual([
    { jit: 'off', idle: '2147483647ms' },
  ])
  await sql.end()
})

it('gives up on a query that finds no connection in time, and the pool lives on', async () => {
  const sql = connect(cloned.database, { connections: 1, prepare: true, deadlines: { queue: 300, query: 40_000 } })
  const isOpen = () =>
    sql`select 1`.then(
      () => true,
      () => false,
    )
  await expect.poll(isOpen).toBe(true)
  const blocker = connect(cloned.database, { connections: 1, prepare: true, deadlines: patience })
  await blocker`select pg_advisory_lock(1)`
  // Runs until released: with a timeout it could finish before the other query has waited.
  const slow = sql`select pg_advisory_xact_lock(1)`.execute()
  await expect(sql`select 1`).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
  await blocker`select pg_advisory_unlock(1)`
  await slow
  expect(await sql`select 2 as two`).toEqual([{ two: 2 }])
  await Promise.all([sql.end(), blocker.end()])
})

it('gives up on a query that is not answered, without promising that nothing was done', async () => {
  // Without the server's own limits, which would take effect first.
  const sql = connect(cloned.database, { connections: 1, prepare: false, deadlines: { queue: 30_000, query: 600 } })
  const answered = () => sql`select 2 as two`.catch((error: unknown) => error)
  await expect.poll(answered).toEqual([{ two: 2 }])
  await expect(sql`select pg_sleep(30)`).rejects.toMatchObject({
    failure: 'SERVICE_UNAVAILABLE',
    retryAfter: undefined,
  })
  await expect.poll(answered).toEqual([{ two: 2 }])
  await sql.end()
})

it('sends nothing over a connection before the answer is there: who waits is not lost with it', async () => {
  const sql = connect(cloned.database, { connections: 1, prepare: true, deadlines: patience })
  const killer = connect(cloned.database, { connections: 1, prepare: true, deadlines: patience })
  const [own] = await sql`select pg_backend_pid() as pid`
  const slow = sql`select pg_sleep(30)`.execute()
  const waiting = sql`select pg_backend_pid() as pid`.execute()
  const lost = slow.catch((error: unknown) => error)
  await killer`select pg_terminate_backend(${own?.pid})`
  expect(await lost).toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: undefined })
  const [next] = await waiting
  expect(next?.pid).not.toBe(own?.pid)
  await Promise.all([sql.end(), killer.end()])
})

it.each([
  ['postgres://a@[::1]:5433/b', '::1', 5433],
  ['postgres://a@[2001:db8::5]/b?sslmode=require', '2001:db8::5', 5432],
  ['postgres://a@db:5433/b?host=2001:db8::5', '2001:db8::5', 5433],
  ['postgres://a@db:5433/b', 'db', 5433],
  ['postgres://a@%2Frun%2Fpostgresql:5433/b', '/run/postgresql', 5433],
])('connects with %s to that host and port', async (address, host, port) => {
  const sql = connect(address, { connections: 1, prepare: true })
  expect(sql.options).toMatchObject({ host: [host], port: [port], database: 'b' })
  await sql.end()
})

it('takes sslmode=allow for a server that need not have TLS, as libpq does', async () => {
  const sql = connect('postgres://a@db/b?sslmode=allow', { connections: 1, prepare: true })
  expect(sql.options.ssl).toBe('prefer')
  await sql.end()
})

it.each(['postgres://a@one,two/b', 'postgres://a@one/b?host=one,two'])('refuses %s: several hosts', (address) => {
  expect(() => connect(address, { connections: 1, prepare: true })).toThrow('DATABASE_URL names several hosts')
})
