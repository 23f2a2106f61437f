import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseConfig } from '../../config.ts'
import { connect, type Sql } from '../../db/connect.ts'
import { createLog } from '../../process/log.ts'
import { startService } from '../../process/start.ts'
import { cloneDatabase, patience } from '../../testing/database.ts'
import { type Pooler, startPooler } from '../../testing/ha/pooler.ts'
import { patient } from '../../testing/process.ts'
import { openProxy, type Proxy } from '../../testing/proxy.ts'
import { testPassword } from '../../testing/service.ts'
import { testSecret } from '../../testing/settings.ts'
import { slack } from '../../testing/slack.ts'

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let proxy: Proxy
let pooler: Pooler
let sql: Sql
beforeEach(async () => {
  cloned = await cloneDatabase()
  proxy = await openProxy(cloned.database)
  pooler = await startPooler(proxy.database, [
    'default_pool_size = 1',
    'query_wait_timeout = 1',
    'server_login_retry = 1',
  ])
  sql = connect(pooler.databaseUrl, { connections: 2, prepare: false, deadlines: patience })
  await untilServed()
})
afterEach(async () => {
  await sql.end({ timeout: 0 })
  await pooler.stop()
  await proxy.close()
  await cloned.drop()
})

/** PgBouncer takes a moment to listen. */
async function untilServed(): Promise<void> {
  await vi.waitFor(() => write('first'), { timeout: 60_000 * slack, interval: 50 })
}

const write = async (by: string) => {
  await sql`create table if not exists written (by text)`
  await sql`insert into written values (${by})`
}
const refused = { failure: 'SERVICE_UNAVAILABLE' }

it('says that nothing was done when PgBouncer has no server for long', async () => {
  await sql.begin(async (tx) => {
    await tx`select 1`
    // The other transaction holds the only server.
    const waited = { message: 'query_wait_timeout', code: '08P01' }
    await expect(sql`insert into written values ('waited')`).rejects.toMatchObject({
      ...refused,
      cause: waited,
      retryAfter: 1,
    })
  })
  expect([...(await sql`select by from written`)]).toEqual([{ by: 'first' }])
})

it('says that nothing was done when PgBouncer cannot reach a server', async () => {
  proxy.fault = 'refuse'
  proxy.strike()
  const told: unknown[] = []
  const isToldWhy = async () => {
    const error = await sql`insert into written values ('failing')`.catch((thrown: unknown) => thrown)
    told.push(error)
    return String(Object(Object(error).cause).message)
  }
  await expect.poll(isToldWhy).toMatch(/^server login has been failing/)
  expect(told.at(-1)).toMatchObject({ ...refused, retryAfter: 1 })
})

it('does not know what was done when PgBouncer lost the server in the middle', async () => {
  const slow = sql`select pg_sleep(300)`.execute().catch((error: unknown) => error)
  await expect.poll(() => proxy.accepted).toBeGreaterThan(0)
  const killer = connect(cloned.database, { connections: 1, prepare: false, deadlines: patience })
  const running = () =>
    killer<
      { pid: number }[]
    >`select pid from pg_stat_activity where query like '%pg_sleep(300)%' and pid <> pg_backend_pid()`
  await expect.poll(async () => (await running()).length).toBe(1)
  proxy.fault = 'reset'
  proxy.strike()
  expect(await slow).toMatchObject({ ...refused, retryAfter: undefined, cause: { message: 'server conn crashed?' } })
  await killer.end()
})

it('needs no setting: a service with the usual ones finds it out, says so once, and serves', async () => {
  let logged = ''
  const stream = new PassThrough().setEncoding('utf8').on('data', (text: string) => {
    logged += text
  })
  const config = parseConfig({
    PORT: '0',
    SECRET: testSecret,
    DATABASE_URL: pooler.databaseUrl,
    DATABASE_TIMEOUT: '10s',
  })
  const service = await startService(config, await createLog({ ...config, LOG_FORMAT: 'json' }, stream), patient)
  try {
    const person = { email: 'ann@example.com', name: 'Ann', password: testPassword }
    const headers = { 'content-type': 'application/json' }
    const url = `${service.url}/api/auth/sign-up/email`
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(person) })).status).toBe(200)
    expect(logged.match(/leads to PgBouncer/g)).toHaveLength(1)
  } finally {
    await service.stop({ notice: 0 })
  }
})
