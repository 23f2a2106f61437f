import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { settingsOf } from '../../server/testing/database.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { useDatabase } from '../../server/testing/use-service.ts'
import { runBuilt } from './built.ts'

const cloned = useDatabase()

/** In a folder whose config file has a timer, as a pool of connections would have it, and a fault on SIGUSR2. */
function inFolder() {
  const cwd = temporaryFolder('keeps-open')
  writeFileSync(
    join(cwd, 'postern.config.mjs'),
    `setInterval(() => undefined, 1000)
    process.once('SIGUSR2', () => { throw new Error('a fault') })
    export default {}`,
  )
  return { cwd, env: { ...settingsOf(cloned.database), PORT: '0', SECRET: testSecret, LOG_FORMAT: 'json' } }
}

it.each([
  ['SIGTERM', 0],
  ['SIGUSR2', 1],
] as const)('a service ends after %s with %i, whatever its config file keeps open', async (signal, code) => {
  const ended = await runBuilt(['serve'], {
    ...inFolder(),
    async during(child) {
      let said = ''
      child.stderr!.on('data', (text: string) => {
        said += text
      })
      await expect.poll(() => said, { timeout: 15_000 * slack }).toContain('"msg":"listening"')
      child.kill(signal)
    },
  })
  expect(ended).toMatchObject({ code, signal: null, stderr: expect.stringContaining('"msg":"stopped"') })
})

it('a command that reads the config file ends too', async () => {
  expect(await runBuilt(['migrate', '--json'], inFolder())).toMatchObject({ code: 0, signal: null })
})

it('a config file that waits for what never comes is named', async () => {
  const { cwd, env } = inFolder()
  writeFileSync(join(cwd, 'postern.config.mjs'), 'await new Promise(() => undefined)')
  const { code, stderr } = await runBuilt(['serve'], { cwd, env })
  expect([code, stderr]).toEqual([2, expect.stringContaining('postern.config.mjs cannot be loaded: it waits for')])
})
