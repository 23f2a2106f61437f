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
