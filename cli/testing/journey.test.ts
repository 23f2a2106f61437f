import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { emptyDatabase, settingsOf } from '../../server/testing/database.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { runBuilt } from './built.ts'
import { type RealService, startRealService } from './real-service.ts'
import { createRunner } from './run-cli.ts'

// A process for each command, one after another.
vi.setConfig({ testTimeout: 120_000 * slack })

const password = 'correct horse battery staple'
let service: RealService

beforeAll(async () => {
  service = await startRealService({ RATE_LIMIT: 'off' })
})
afterAll(async () => {
  await service.stop()
})

type Run = (argv: string, input?: string) => Promise<{ code: number | null; stdout: string; stderr: string }>

const withJson = (postern: Run) =>
  Object.assign(postern, {
    json: async (argv: string, input = '') => JSON.parse((await postern(`${argv} --json`, input)).stdout),
  })

/** One machine: its own folders, the real service, and the built program, a process for each command. */
function builtMachine(name: string) {
  const folder = temporaryFolder(name)
  const env = { POSTERN_URL: service.url, POSTERN_CONFIG_DIR: folder, POSTERN_STATE_DIR: join(folder, 'state') }
  return withJson((argv, input = '') => runBuilt(argv.split(' '), { env, input }))
}

/** The same without a process for each command, which takes ten times as much. */
function machine(url = service.url) {
  const run = createRunner({ env: { POSTERN_URL: url } })
  return withJson((argv, stdin = '') => run(argv, { stdin }))
}

const signUp = (email: string) => `sign-up --email ${email} --name Ann --password-file -`
const signIn = (email: string) => `sign-in --email ${email} --password-file -`

interface Listed {
  readonly items: readonly { readonly id: string; readonly current: boolean }[]
}

describe('one person on two machines', () => {
  it('signs up, signs in elsewhere, sees both sessions, revokes the other and signs out', async () => {
    const [laptop, server] = [builtMachine('laptop'), builtMachine('server')]
    expect(await laptop.json(signUp('Ann@Example.com'), `${password}\n`)).toMatchObject({
      status: 'created',
      resource: { email: 'ann@example.com', emailVerified: false },
    })
    expect((await laptop('whoami')).stdout).toBe('ann@example.com (Ann)\n')
    expect((await server(signIn('ann@example.com'), password)).code).toBe(0)

    const { items } = (await laptop.json('session list')) as Listed
    expect(items).toHaveLength(2)
    const other = items.find(({ current }) => !current)?.id ?? ''
    expect(await laptop.json(`session revoke ${other}`)).toMatchObject({ summary: { succeeded: 1, failed: 0 } })
    expect((await server('whoami')).code).toBe(4)
    expect((await laptop(`session revoke ${other}`)).code).toBe(6)

    expect((await laptop('sign-out')).stdout).toBe('Signed out ann@example.com\n')
    expect((await laptop('whoami')).code).toBe(4)
    expect((await laptop(signIn('ann@example.com'), password)).code).toBe(0)
    expect(((await laptop.json('session list')) as Listed).items).toHaveLength(1)
  })

  it('signing in again replaces the session; another account beside it stays', async () => {
    const laptop = machine()
    await laptop(signUp('ben@example.com'), password)
    await laptop(signIn('ben@example.com'), password)
    expect(((await laptop.json('session list')) as Listed).items).toHaveLength(1)
    await laptop(signUp('cat@example.com'), password)
    expect((await laptop('whoami')).stdout).toBe('cat@example.com (Ann)\n')
    expect((await laptop('whoami -A ben@example.com')).stdout).toBe('ben@example.com (Ann)\n')
    await laptop('auth switch ben@example.com')
    expect((await laptop('whoami --json=email')).stdout).toBe('{"email":"ben@example.com"}\n')
    expect(await laptop.json('sign-out --all')).toMatchObject({ summary: { succeeded: 2 } })
    expect((await laptop('whoami')).code).toBe(4)
  })

  it('revokes every other session, then all, this one too', async () => {
    const [laptop, server] = [machine(), machine()]
    await laptop(signUp('dora@example.com'), password)
    await server(signIn('dora@example.com'), password)
    expect(await laptop.json('session revoke --others')).toMatchObject({
      results: [{ input: 'others', status: 'deleted' }],
    })
    expect((await server('whoami')).code).toBe(4)
    expect((await laptop('session revoke --all --yes')).code).toBe(0)
    expect((await laptop('whoami')).code).toBe(4)
  })
})

describe('a script', () => {
  it('hands its session to another machine as a token, which is sent and never stored', async () => {
    const [laptop, runner] = [machine(), machine()]
    await laptop(signUp('eve@example.com'), password)
    const token = (await laptop('auth token')).stdout
    const env = { POSTERN_URL: service.url, POSTERN_TOKEN: token.trim(), POSTERN_STATE_DIR: '/nowhere', CI: '1' }
    expect((await runBuilt(['whoami', '--json=email'], { env })).stdout).toBe('{"email":"eve@example.com"}\n')
    expect((await runner('sign-in --token-file -', token)).stdout).toBe('Signed in as eve@example.com\n')
    expect((await runner('whoami')).code).toBe(0)
    const path = (await runner('auth jar path')).stdout.trim()
    expect(readFileSync(path, 'utf8')).toContain(token.trim())
  })

  it('edits the user and asks the service anything', async () => {
    const laptop = machine()
    await laptop(signUp('fay@example.com'), password)
    expect(await laptop.json('account edit --name Fay')).toMatchObject({ status: 'updated', resource: { name: 'Fay' } })
    expect(JSON.parse((await laptop('api /get-session')).stdout)).toMatchObject({ user: { name: 'Fay' } })
    expect((await laptop('api /update-user -f email=x@y.co')).code).toBe(12)
    expect(JSON.parse((await laptop('api /ok')).stdout)).toEqual({ ok: true })
  })

  it('pipes ids from one command into the next', async () => {
    const [laptop, server] = [machine(), machine()]
    await laptop(signUp('gil@example.com'), password)
    await server(signIn('gil@example.com'), password)
    // The newest one comes first in the list: the session of the command itself.
    const ids = (await server('session list --quiet')).stdout
    expect((await server('session revoke -', ids)).code).toBe(0)
    expect((await laptop('whoami')).code).toBe(4)
    expect((await server('auth list')).stdout).toMatch(/\tfalse\n$/)
  })

  it('learns from exit codes what went wrong', async () => {
    const laptop = machine()
    await laptop(signUp('hal@example.com'), password)
    expect((await laptop(signUp('hal@example.com'), password)).code).toBe(7)
    expect((await laptop(signIn('hal@example.com'), 'wrong password here')).code).toBe(4)
    expect((await laptop('sign-up --email nobody --name N --password-file -', password)).code).toBe(2)
    expect((await laptop(signUp('ida@example.com'), 'short')).code).toBe(12)
    expect((await laptop('session view nothing')).code).toBe(6)
    expect((await laptop('sign-in --no-input')).code).toBe(14)
  })

  it('keeps its session when many commands run at once', async () => {
    const laptop = builtMachine('laptop')
    await laptop(signUp('jan@example.com'), password)
    const runs = await Promise.all(Array.from({ length: 12 }, () => laptop('auth refresh')))
    expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0))
    expect((await laptop('whoami')).code).toBe(0)
  })
})

describe('migrate', () => {
  it('brings an empty database up to date, and has nothing to do the second time', async () => {
    const { database, drop } = await emptyDatabase()
    const migrate = async () => {
      const { code, stdout } = await runBuilt(['migrate', '--json'], {
        env: { ...settingsOf(database), SECRET: testSecret },
      })
      return [code, JSON.parse(stdout)]
    }
    const [code, first] = await migrate()
    expect([code, first.status]).toEqual([0, 'updated'])
    expect(first.resource.applied.length).toBeGreaterThan(0)
    const resource = { applied: [], created: null, released: 0, resumed: 0 }
    expect(await migrate()).toEqual([0, { status: 'unchanged', resource }])
    await drop()
  })

  it('says where it makes an embedded database, and makes none for a copy that is to replace its original', async () => {
    const folder = temporaryFolder('no-service')
    chmodSync(folder, 0o755)
    const env = { DATA_DIR: join(folder, 'data'), SECRET: testSecret }
    const misplaced = await runBuilt(['migrate', '--release-mails'], { env })
    expect([misplaced.code, existsSync(env.DATA_DIR)]).toEqual([2, false])
    expect(misplaced.stderr).toContain(`DATA_DIR is ${env.DATA_DIR}: it contains no database of a service`)
    const { code, stdout, stderr } = await runBuilt(['migrate'], { env })
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Made a new database in \S+, with all \d+ migrations\n$/),
    ])
    expect(stderr.indexOf('a new one is made')).toBeLessThan(stderr.indexOf('is ready'))
  })

  it('and serve name every setting that cannot be used, with exit 2', async () => {
    for (const command of ['migrate', 'serve']) {
      const { code, stderr } = await runBuilt([command], { env: { PORT: 'abc', SECRET: 'short' } })
      expect(code).toBe(2)
      expect(stderr).toMatch(/^error: .*\n {2}PORT .*\n {2}SECRET .*\n {2}next: /)
    }
  })
})

it('signs out here although the service is gone', async () => {
  const gone = await startRealService()
  const laptop = machine(gone.url)
  await laptop(signUp('kim@example.com'), password)
  await gone.stop()
  const { code, stderr } = await laptop('sign-out --retries 0')
  expect(code).toBe(10)
  expect(stderr).toContain('signed out here')
  expect((await laptop('whoami')).code).toBe(4)
})
