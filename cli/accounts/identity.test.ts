import { expect, test } from 'vitest'
import { createRunner } from '../testing/run-cli.ts'

test('a token file that cannot be read has a next step', async () => {
  const { code, error } = await createRunner()('whoami --json', { env: { POSTERN_TOKEN_FILE: '/nowhere' } })
  expect([code, error]).toEqual([
    2,
    expect.objectContaining({
      message: 'POSTERN_TOKEN_FILE cannot be read: /nowhere (there is no such file)',
      hint: 'Give the path of a file that you may read',
    }),
  ])
})
