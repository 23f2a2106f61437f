import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRunner } from '../../testing/run-cli.ts'

it('an unknown setting is refused with the nearest name, and nothing is stored', async () => {
  const postern = createRunner()
  expect((await postern('config set timeuot 5s --json')).error).toMatchObject({
    exitCode: 2,
    hint: expect.stringMatching(/^Did you mean timeout\? Settings: url, account, /),
  })
  expect((await postern('config set something 5s --json')).error).toMatchObject({
    exitCode: 2,
    hint: expect.stringMatching(/^Settings: url, account, /),
  })
  expect((await postern('config list --json')).json).toMatchObject({ items: [] })
})

it('a wrong value is refused with a right one for the file, which is no flag', async () => {
  const postern = createRunner()
  for (const [setting, example] of Object.entries({ timeout: '10s', retries: '0', color: 'never' })) {
    const { error } = await postern(`config set ${setting} soon --json`)
    expect(error).toMatchObject({ exitCode: 2, hint: `For example: ${example}` })
  }
  const { error } = await postern('whoami --json', { env: { POSTERN_TOKEN: 'token', POSTERN_TIMEOUT: 'soon' } })
  expect(error).toMatchObject({ message: 'POSTERN_TIMEOUT is not a duration: soon', hint: 'For example: 10s' })
})

it('a config file that an editor marked as UTF-8 is read, and a setting of a later version is named', async () => {
  const postern = createRunner()
  await postern('config set timeout 10s')
  const file = join(postern.env['POSTERN_CONFIG_DIR'] ?? '', 'config.json')
  writeFileSync(file, `\uFEFF${readFileSync(file, 'utf8')}`)
  expect((await postern('config get timeout')).stdout).toBe('10s\n')
  writeFileSync(file, readFileSync(file, 'utf8').replace('timeout', 'later'))
  const { code, stderr } = await postern('config get timeout')
  expect([code, stderr]).toEqual([
    15,
    expect.stringContaining('is damaged: later is no setting that this version knows'),
  ])
})
