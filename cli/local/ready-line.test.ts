import { expect, test } from 'vitest'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import { withReadyLine } from './ready-line.ts'

const hintFor = (argv: readonly string[], fields: readonly string[], hint: string) =>
  withReadyLine(new CliError(exitCodes.inputNeeded, 'needed', { code: 'INPUT_NEEDED', hint, fields }), argv).hint

test.each([
  [
    ['sign-up', '--email', 'ann@example.com', '--no-input'],
    ['--name', '--password-file'],
    'postern sign-up --email alice@example.com --name Alice --password-file -',
    'postern sign-up --email ann@example.com --name Alice --password-file -',
  ],
  [
    ['team', 'edit', "Ann's team"],
    ['--name'],
    'postern team edit Design --name Drawing',
    "postern team edit 'Ann'\\''s team' --name Drawing",
  ],
  [
    ['account', 'password', 'set', '--current-password-file', 'o'],
    ['--password-file'],
    'postern account password set --current-password-file old.txt --password-file - < new.txt',
    'postern account password set --current-password-file o --password-file - < new.txt',
  ],
])('of %j what lacks is added to what was typed', (argv, fields, example, line) => {
  expect(hintFor(argv, fields, example)).toBe(line)
})

test('the example stays where what lacks is no flag of it', () => {
  const example = 'postern account email verify - < link.txt'
  expect(hintFor(['account', 'email', 'verify'], ['LINK'], example)).toBe(example)
})
