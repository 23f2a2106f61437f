import { expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { isOutage } from '../db/outage.ts'
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
