import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { testPassword } from '../../server/testing/service.ts'
import { adminOf } from './admin.ts'
import type { TestPerson } from './own-service.ts'
import { useOwnService } from './use-service.ts'

const own = useOwnService()
let ada: TestPerson
let bob: TestPerson
beforeEach(async () => {
  await own.empty()
  ada = await adminOf(own)
  bob = await own.person('Bob')
})

const impersonations = async () =>
  (await own.service.deps.sql`select id from sessions where impersonated_by is not null`).length
const me = async (machine = ada) => ((await machine('whoami --json=email')).json as { email: string }).email
const start = (word = bob.email) => ada(`admin user impersonate ${word}`)

test('commands act as somebody else until it is stopped, and the own session is there again', async () => {
  const before = (await ada('whoami --json=sessionId')).json as object
  expect(await start()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^IMPERSONATING bob@example.com: .*it ends in/),
  })
  expect(await me()).toBe(bob.email)
  const whoami = await ada('whoami', { tty: ['stderr'] })
  expect(whoami.stdout).toBe('IMPERSONATING bob@example.com (Bob)\n')
  expect(whoami.stderr).toContain('IMPERSONATING bob@example.com, as ada@example.com')
  const { stdout } = await ada('auth status', { tty: ['stdout'], env: { NO_COLOR: '1' } })
  expect(stdout).toMatch(/^Acting as: IMPERSONATING bob@example\.com$.*^By: +ada@example\.com$/ms)
  const { impersonatedBy } = (await ada('auth status --json=impersonatedBy')).json as { impersonatedBy: string }
  expect((await ada('auth status')).stdout).toMatch(new RegExp(`^By\t${impersonatedBy}$`, 'm'))
  expect((await ada('auth list --json=account,current,impersonating')).json).toMatchObject({
    items: [{ account: 'ada@example.com', current: true, impersonating: 'bob@example.com' }],
  })
  expect(await ada(['account', 'edit', '--name', 'Robert'])).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/Not allowed while impersonating.*postern admin impersonation stop/s),
  })
  expect((await bob('whoami --json=name')).json).toEqual({ name: 'Bob' })
  expect(await ada('admin impersonation stop')).toMatchObject({
    code: 0,
    stdout: 'Stopped impersonating bob@example.com: you are ada@example.com again\n',
  })
  expect((await ada('whoami --json=sessionId')).json).toEqual(before)
  expect(await impersonations()).toBe(0)
  expect((await ada('admin impersonation stop --json')).json).toMatchObject({ status: 'unchanged' })
  expect(await me(bob)).toBe(bob.email)
})

test('every command in a terminal says so, programs read nothing of it', async () => {
  await start()
  for (const line of ['session list', 'org list', 'account view', 'auth status'])
    expect((await ada(line, { tty: ['stderr'] })).stderr).toContain('IMPERSONATING bob@example.com')
  expect((await ada('session list --json')).stderr).toBe('')
})

test('what is kept stays a file of the user alone, with both sessions in it', async () => {
  await start()
  const folder = join(ada.env['POSTERN_STATE_DIR'] ?? '', 'jars')
  const [name = ''] = readdirSync(folder)
  const file = join(folder, name)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    account: 'ada@example.com',
    impersonation: { email: 'bob@example.com' },
    cookies: expect.arrayContaining([expect.objectContaining({ key: 'postern.session_token' })]),
  })
})

test('a session of the other person that is kept here too is left alone', async () => {
  const signIn = await ada(`sign-in --email ${bob.email} --password-file -`, { stdin: testPassword })
  expect(signIn.code).toBe(0)
  await ada(`auth switch ${ada.email}`)
  const kept = (await ada(`whoami --account ${bob.email} --json=sessionId`)).json
  await start()
  await ada('admin impersonation stop')
  expect((await ada(`whoami --account ${bob.email} --json=sessionId`)).json).toEqual(kept)
  expect(await me()).toBe(ada.email)
})

test('stopping gives the own session back also where the service does not know the impersonation any more', async () => {
  await start()
  await own.service.deps.sql`delete from sessions where impersonated_by is not null`
  const over = await ada('whoami')
  expect(over).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('The impersonation of bob@example.com is over'),
  })
  expect((await ada('session list')).stderr).toContain('postern admin impersonation stop')
  expect((await ada('admin impersonation stop')).code).toBe(0)
  expect(await me()).toBe(ada.email)
})

test('an impersonation that is over does not turn into acting as oneself', async () => {
  await start()
  await own.service.deps.sql`delete from sessions where impersonated_by is not null`
  const { code } = await ada(['account', 'edit', '--name', 'Nobody'])
  expect(code).toBe(4)
  expect(await own.service.deps.sql`select name from users where name = 'Nobody'`).toEqual([])
})

test('where the service is not there, the own session is kept and the rest is told', async () => {
  await start()
  await own.goAway()
  try {
    const stopped = await ada('admin impersonation stop --retries 0')
    expect(stopped).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('Stopped here, but the service could not end the impersonation'),
    })
  } finally {
    await own.comeBack()
  }
  expect(await me()).toBe(ada.email)
})

test('signing out while impersonating ends that alone; --all ends both', async () => {
  await start()
  expect(await ada('sign-out')).toMatchObject({ code: 0, stdout: expect.stringContaining('Stopped impersonating') })
  expect(await me()).toBe(ada.email)
  await start()
  await ada('sign-out --all')
  expect(await impersonations()).toBe(0)
  expect((await ada('whoami')).code).toBe(4)
})

test('signing in again as oneself ends it', async () => {
  await start()
  await ada(`sign-in --email ${ada.email} --password-file -`, { stdin: testPassword })
  expect(await me()).toBe(ada.email)
})

test('nobody is impersonated from within an impersonation, nor oneself, nor an administrator', async () => {
  await own.person('Eve')
  await own.service.deps.sql`update users set roles = '{admin}' where email = 'eve@example.com'`
  expect(await start('eve@example.com')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('cannot impersonate admins'),
  })
  await start()
  expect(await start()).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('You act as bob@example.com already'),
  })
})

test('of two that begin at once the one that comes too late is told, and its session ends', async () => {
  const eve = await own.person('Eve')
  const late = own.hold('POST /admin/impersonate-user')
  const tooLate = start()
  await late.answered
  expect((await start(eve.email)).code).toBe(0)
  late.release()
  expect(await tooLate).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('You act as eve@example.com already'),
  })
  expect(await me()).toBe(eve.email)
  expect(await impersonations()).toBe(1)
  expect((await ada('admin impersonation stop')).code).toBe(0)
  expect(await impersonations()).toBe(0)
})

test('stopping one leaves alone what another run has begun meanwhile', async () => {
  const eve = await own.person('Eve')
  await start()
  const late = own.hold('POST /admin/stop-impersonating')
  const stopping = ada('admin impersonation stop')
  await late.answered
  expect((await ada('admin impersonation stop')).code).toBe(0)
  expect((await start(eve.email)).code).toBe(0)
  late.release()
  expect(await stopping).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('You act as eve@example.com already'),
  })
  expect(await me()).toBe(eve.email)
  expect(await impersonations()).toBe(1)
})

test('credentials are out of reach meanwhile, with the way back', async () => {
  await start()
  const email = await ada('account email set other@example.com')
  expect(email).toMatchObject({ code: 5, stderr: expect.stringContaining('postern admin impersonation stop') })
  expect((await ada('account activity')).code).toBe(5)
})

test('a token of the environment keeps no impersonation', async () => {
  const { stdout } = await ada('auth token')
  const env = { POSTERN_TOKEN: stdout.trim() }
  expect((await own.machine()(`admin user impersonate ${bob.email}`, { env })).code).toBe(2)
  await start()
  const acting = { POSTERN_TOKEN: (await ada('auth token')).stdout.trim() }
  const stranger = own.machine()
  expect((await stranger('whoami', { env: acting })).stdout).toBe('IMPERSONATING bob@example.com (Bob)\n')
  expect((await stranger('admin impersonation stop', { env: acting })).code).toBe(0)
  expect(await impersonations()).toBe(0)
})
