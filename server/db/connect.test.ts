import { afterAll, beforeAll, expect, it } from 'vitest'
import { cloneDatabase, settingsOf } from '../testing/database.ts'
import { connect } from './connect.ts'

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  cloned = await cloneDatabase()
})
afterAll(() => cloned.drop())

it('reads an address with or without a socket folder', async () => {
  const { DATABASE_URL = '' } = settingsOf(cloned.database)
  const sql = connect(DATABASE_URL, { connections: 1, prepare: true })
  const [row] = await sql`
    select current_setting('application_name') as name, current_setting('statement_timeout') as statement,
      current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle
  `
  await sql.end()
  expect(row).toEqual({ name: 'postern', statement: '5s', lock: '2s', idle: '10s' })
})

it('gives up on a query that finds no connection in time, and the pool lives on', async () => {
  const sql = connect(cloned.database, { connections: 1, prepare: true, deadlines: { queue: 300, query: 2000 } })
  await sql`select 1`
  // One that takes its time, and as many as may wait behind it on the same connection.
  const slow = [sql`select pg_sleep(1)`, sql`select 1`, sql`select 1`, sql`select 1`].map((query) => query.execute())
  await expect(sql`select 1`).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
  await Promise.all(slow)
  expect(await sql`select 2 as two`).toEqual([{ two: 2 }])
  await sql.end()
})

it('gives up on a query that is not answered, without promising that nothing was done', async () => {
  const sql = connect(cloned.database, { connections: 1, prepare: true, deadlines: { queue: 300, query: 600 } })
  await sql`select 1`
  await expect(sql`select pg_sleep(3)`).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: undefined })
  expect(await sql`select 2 as two`).toEqual([{ two: 2 }])
  await sql.end()
})
