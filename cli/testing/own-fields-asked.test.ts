import { afterEach, expect, test } from 'vitest'
import { testPassword } from '../../server/testing/service.ts'
import { dialogueWith } from './line-dialogue.ts'
import { type Pty, startPty } from './pty.ts'
import { bin } from './real-service.ts'
import type { Runner } from './run-cli.ts'
import { useOwnService } from './use-service.ts'

const userFields = {
  company: { kind: 'text', required: true },
  plan: { kind: ['free', 'pro'], required: true },
  seats: { kind: 'number' },
} as const
const organizationFields = { size: { kind: 'number', required: true } } as const
const own = useOwnService({}, { extensions: { userFields, organizationFields } })
let pty: Pty | undefined
afterEach(() => pty?.close())

const start = (machine: Runner, args: readonly string[], env = {}) => {
  const terminal = startPty(process.execPath, [bin, ...args], {
    columns: 100,
    rows: 40,
    env: { ...machine.env, ...env },
  })
  pty = terminal
  return terminal
}
const fieldsOf = async (email: string) =>
  (await own.service.deps.sql`select fields from users where email = ${email}`)[0]?.['fields']
const signUp = (email: string) => ['sign-up', '--email', email, '--name', 'Ann', '--password-file', '-']
const stdin = testPassword

test('a terminal is asked for the required own fields that nobody gave, and only for those', async () => {
  const terminal = start(own.machine(), [
    'sign-up',
    '--email',
    'ann@example.com',
    '--name',
    'Ann',
    '--field',
    'seats=3',
  ])
  await terminal.shows('Password')
  terminal.type(`${testPassword}\r${testPassword}\r`)
  await terminal.shows('company')
  terminal.type('Acme\r')
  await terminal.shows('plan (free, pro)')
  terminal.type('gold\r')
  await terminal.shows('plan: expected one of free, pro')
  terminal.type('pro\r')
  await terminal.shows('Signed up and in as ann@example.com')
  expect(await fieldsOf('ann@example.com')).toEqual({ company: 'Acme', plan: 'pro', seats: 3 })
})

test('an organization is asked for too, and an edit without flags asks for all of them', async () => {
  const machine = own.machine()
  await machine([...signUp('ben@example.com'), '--field', 'company=Acme', 'plan=free'], { stdin })
  const making = start(machine, ['org', 'create', 'Acme', '--slug', 'acme'])
  await making.shows('size')
  making.type('large\r')
  await making.shows('size: expected a number')
  making.type('12\r')
  await making.shows('Created Acme')
  making.close()
  const editing = start(machine, ['account', 'edit'])
  await editing.shows('Name [Ann]')
  editing.type('\r')
  await editing.shows('Image URL')
  editing.type('\r')
  await editing.shows('Language')
  editing.type('\r')
  await editing.shows('company [Acme]')
  editing.type('Beta\r')
  await editing.shows('plan (free, pro) [free]')
  editing.type('\r')
  await editing.shows('seats')
  editing.type('5\r')
  await editing.shows('Updated ben@example.com')
  expect(await fieldsOf('ben@example.com')).toEqual({ company: 'Beta', plan: 'free', seats: 5 })
})

test('without a terminal nothing more is asked of the service, and the error names the fields and their flag', async () => {
  own.asked.length = 0
  const { code, error } = await own.machine()([...signUp('cyd@example.com'), '--json'], { stdin })
  expect([code, own.asked]).toEqual([12, ['POST /sign-up/email']])
  expect(error).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('company: Missing, expected a text'),
    hint: 'Give --field company=VALUE --field plan=VALUE',
    fields: ['--field', 'company', 'plan'],
  })
})

test('a conversation in lines asks for them', async () => {
  const terminal = start(own.machine(), ['tui'], { POSTERN_ACCESSIBLE: '1' })
  const { answer, choose } = dialogueWith(terminal)
  await choose('Create an account')
  await answer('Email:', 'dan@example.com')
  await answer('Name:', 'Dan')
  await answer('you type)', testPassword)
  await answer('you type)', testPassword)
  await answer('company (required):', 'Acme')
  await answer('plan (required) (free, pro):', 'gold')
  await terminal.shows('there is no gold')
  await answer('plan (required) (free, pro):', 'free')
  await terminal.shows('Like 12.5.')
  await answer('seats:', '')
  await terminal.shows('Signed up and in as dan@example.com')
  expect(terminal.raw()).toContain('--field company=Acme --field plan=free')
  expect(await fieldsOf('dan@example.com')).toEqual({ company: 'Acme', plan: 'free' })
})
