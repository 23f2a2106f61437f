import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cloneDatabase, settingsOf } from '../../server/testing/database.ts'
import { freePort } from '../../server/testing/ports.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { startPty } from './pty.ts'
import { bin } from './real-service.ts'

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  cloned = await cloneDatabase()
})
afterAll(() => cloned.drop())

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

it.each(['1', '2'])('a service of %s process(es) stops in order when its terminal is closed', async (WORKERS) => {
  const log = join(temporaryFolder('terminal-closed'), 'log')
  const settings = { ...settingsOf(cloned.database), PORT: String(await freePort()), WORKERS }
  const pty = startPty('/bin/sh', ['-c', `exec '${process.execPath}' '${bin}' serve 2> '${log}'`], { env: settings })
  await expect.poll(() => read(log)).toContain('listening')
  pty.hangUp()
  expect(await pty.exit).toMatchObject({ signal: 1 })
  expect(read(log).trim().split('\n').at(-1)).toContain('stopped')
})
