import { expect, test } from 'vitest'
import { createRunner } from '../testing/run-cli.ts'

test.each([
  ['POSTERN_TOKEN', 'abc.def\r', 'POSTERN_TOKEN does not contain a token', 'no spaces or line ends'],
  ['POSTERN_TOKEN', 'two words', 'POSTERN_TOKEN does not contain a token', 'no spaces or line ends'],
  ['POSTERN_TOKEN_FILE', '/dev/null', 'POSTERN_TOKEN_FILE does not contain a token: /dev/null', 'The file is empty'],
])('what no header can hold is no token: %s=%j', async (variable, value, message, hint) => {
  const { code, error } = await createRunner()('whoami --json', { env: { [variable]: value } })
  expect([code, error]).toEqual([
    2,
    expect.objectContaining({ message, hint: expect.stringContaining(hint), fields: [variable] }),
  ])
})

test.each(['one\ntwo\n', 'two words', 'p\u00e4ss'])('nor is it adopted, or sent anywhere: %j', async (stdin) => {
  const { code, error } = await createRunner()('sign-in --token-file - --json', { stdin })
  expect([code, error]).toEqual([
    2,
    expect.objectContaining({ message: 'This is not a token: a token is one line without spaces' }),
  ])
})

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
