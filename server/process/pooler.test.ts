import { expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { connect } from '../db/connect.ts'
import { hasTimeLimits } from '../db/database-check.ts'
import { isOutage } from '../db/outage.ts'
import { readSample } from '../system/deploy/samples.ts'
import { cloneDatabase, patience, settingsOf } from '../testing/database.ts'
import { openProxy } from '../testing/proxy.ts'
import { testSecret } from '../testing/settings.ts'
import { createLog } from './log.ts'
import { suitedTo } from './pooler.ts'
import { whenUp } from './prepare-when-up.ts'

it('asks a database again that ends the first connections, before anything is settled for good', async () => {
  const cloned = await cloneDatabase()
  const proxy = await openProxy(cloned.database)
  const config = parseConfig({ SECRET: testSecret, ...settingsOf(proxy.database), LOG_LEVEL: 'silent' })
  const log = await createLog(config)
  const pool = { connections: 1, prepare: true, deadlines: patience }
  proxy.fault = 'end-at-startup'
  const settled = whenUp(() => suitedTo(config, proxy.database, pool, log), log)
  await expect.poll(() => proxy.accepted).toBeGreaterThan(0)
  await expect(suitedTo(config, proxy.database, pool, log)).rejects.toSatisfy(isOutage)
  proxy.fault = 'none'
  expect(await settled).toBe(config)
  await proxy.close()
  await cloned.drop()
})

it('behind PgBouncer the samples set the limits that the service otherwise sets itself, and without one of them it warns', async () => {
  const cloned = await cloneDatabase()
  const names = ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout']
  const look = async (prepare: boolean, commands = '') => {
    const sql = connect(cloned.database, { connections: 1, prepare })
    await sql.unsafe(commands)
    const limits = await sql`select name, setting from pg_settings where name = any(${[...names, 'jit']}) order by 1`
    const seen = {
      limits: limits.map(({ name, setting }) => `${name} = ${setting}`),
      isLimited: await hasTimeLimits(sql),
    }
    await sql.end()
    return seen
  }
  const own = await look(true)
  expect(own.isLimited).toBe(true)
  const compose = /connect_query='(.+)'/.exec(readSample('compose/pgbouncer.ini'))?.[1]
  const ha = readSample('ha/create-database').match(/(?<=^alter role postern )set .+;$/gm)
  expect([await look(false, compose), await look(false, ha?.join('\n'))]).toEqual([own, own])
  for (const name of names) expect((await look(false, `${compose}; set ${name} = 0`)).isLimited).toBe(false)
  await cloned.drop()
})
