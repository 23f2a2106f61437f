import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { cloneDatabase, settingsOf } from '../testing/database.ts'
import { patient } from '../testing/process.ts'
import { testSecret } from '../testing/settings.ts'
import { createLog } from './log.ts'
import { startService } from './start.ts'

it.each([
  ['lax', ['https://app.test', 'https://shop.test']],
  ['none', []],
])('with COOKIE_SAME_SITE=%s a start names as origins without a cookie: %j', async (COOKIE_SAME_SITE, origins) => {
  const { database, drop } = await cloneDatabase()
  let logged = ''
  const stream = new PassThrough().setEncoding('utf8').on('data', (text: string) => {
    logged += text
  })
  const config = parseConfig({
    SECRET: testSecret,
    DATABASE_POOL: '2',
    PORT: '0',
    BASE_URL: 'https://id.example.com',
    TRUSTED_ORIGINS: 'https://app.example.com,https://app.test,https://shop.test',
    COOKIE_SAME_SITE,
    LOG_FORMAT: 'json',
    ...settingsOf(database),
  })
  const service = await startService(config, await createLog(config, stream), patient)
  await service.stop({ notice: 0 })
  await drop()
  const warnings = logged.split('\n').filter((line) => line.includes('get no session cookie'))
  expect(warnings.map((line) => JSON.parse(line).msg.split(' ')[0])).toEqual(origins)
})
