import { beforeAll, beforeEach, expect, test } from 'vitest'
import { settingsOf } from '../../server/testing/database.ts'
import { startPty } from './pty.ts'
import { bin } from './real-service.ts'
import { createRunner, type Runner } from './run-cli.ts'
import { useOwnService } from './use-service.ts'

const own = useOwnService()
let local: Runner
beforeAll(async () => {
  // The settings of that service, as a command on its own machine reads them.
  const { BASE_URL, SECRETS } = own.service.deps.config
  const env = { ...settingsOf(own.service.database), BASE_URL: BASE_URL.href, SECRETS: SECRETS.join(',') }
  local = createRunner({ env: { ...env, LOG_LEVEL: 'fatal' } })
})
beforeEach(() => own.empty())

const bootstrap = (flags: string) => local(`admin bootstrap ${flags}`)

test('somebody who signed up is made the first administrator, while the service runs', async () => {
  const bob = await own.person('Bob')
  expect(await bootstrap('--email Bob@example.com')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^bob@example.com is .*admin/),
  })
  expect((await bob('admin user list')).code).toBe(0)
})

test('where there is no such user one is made, who sets a password by the link', async () => {
  const made = await bootstrap('--email ann@example.com --yes --json')
  expect(made).toMatchObject({ code: 0, json: { status: 'created', resource: { email: 'ann@example.com' } } })
  const { link } = (made.json as { resource: { link: string } }).resource
  const machine = own.machine()
  const set = await machine(['account', 'password', 'reset', link, '--password-file', '-'], {
    stdin: 'a quite long password',
  })
  expect(set).toMatchObject({ code: 0 })
  await machine('sign-in --email ann@example.com --password-file -', { stdin: 'a quite long password' })
  expect((await machine('admin user list')).code).toBe(0)
})

const question = 'Nobody has ann@example.com. Create an account with that address and make it an administrator?'

test('where there is no such user nobody is made unasked', async () => {
  expect((await bootstrap('--email ann@example.com --json')).error).toEqual({
    code: 'INPUT_NEEDED',
    message: `--yes is needed, and nobody can be asked: the output is for a program\n${question}`,
    status: null,
    exitCode: 14,
    hint: 'postern admin bootstrap --email ann@example.com --yes',
    fields: ['--yes'],
  })
  expect(await own.service.deps.sql`select id from users`).toEqual([])
})

async function untilAsked(...flags: readonly string[]) {
  const argv = [bin, 'admin', 'bootstrap', '--email', 'ann@example.com', ...flags]
  const terminal = startPty(process.execPath, argv, { env: local.env, columns: 120 })
  await terminal.shows(`${question} [y/N]`)
  return terminal
}

test('at a terminal it is asked first', async () => {
  const terminal = await untilAsked()
  expect(await own.service.deps.sql`select id from users`).toEqual([])
  terminal.type('y\r')
  await terminal.shows('They have no password yet. Send them this link to set one:')
  expect(await terminal.exit).toMatchObject({ exitCode: 0 })
  expect(await own.service.deps.sql`select roles from users`).toEqual([{ roles: ['admin'] }])
  terminal.close()
})

test('who signs up while it is asked is not whom the answer makes one', async () => {
  const terminal = await untilAsked('--force')
  await own.stranger('Ann')
  terminal.type('y\r')
  await terminal.shows('Somebody has just signed up with that address')
  await terminal.shows('make them an administrator: postern admin bootstrap --email ann@example.com --force')
  expect(await terminal.exit).toMatchObject({ exitCode: 7 })
  expect(await own.service.deps.sql`select roles from users where 'admin' = any(roles)`).toEqual([])
  terminal.close()
})

test('the same one once more is nothing new; another link is made when that is insisted on', async () => {
  await bootstrap('--email ann@example.com --yes')
  const hint = 'postern admin bootstrap --email ann@example.com --force'
  expect(await bootstrap('--email ann@example.com')).toMatchObject({
    code: 0,
    stdout: 'ann@example.com is already an administrator\n',
    stderr: `They have no password yet. Make a link to set one: ${hint}\n`,
  })
  expect(await local(hint.replace('postern ', ''))).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^They have no password yet. Send them this link to set one: http\S+\n$/),
  })
  await own.person('Bob')
  await bootstrap('--email bob@example.com --force')
  expect(await bootstrap('--email bob@example.com --json')).toMatchObject({
    code: 0,
    json: { status: 'unchanged', resource: { email: 'bob@example.com', link: null, lacksPassword: false } },
  })
})

test('a second one takes insisting', async () => {
  await bootstrap('--email ann@example.com --yes')
  const second = await bootstrap('--email bob@example.com')
  expect(second).toMatchObject({ code: 7, stderr: expect.stringContaining('--force') })
  expect((await bootstrap('--email bob@example.com --force --yes')).code).toBe(0)
})

test('what cannot be is refused before anything is done', async () => {
  expect((await bootstrap('')).code).toBe(2)
  expect((await bootstrap('--email nonsense')).code).toBe(2)
  expect((await bootstrap('--email ann@example.com --read-only')).code).toBe(2)
  expect(await own.service.deps.sql`select id from users`).toEqual([])
})
