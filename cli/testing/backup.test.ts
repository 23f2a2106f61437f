import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import { connectForMigration, type Database } from '../../server/db/connect.ts'
import { emptyDatabase, settingsOf } from '../../server/testing/database.ts'
import { openProxy } from '../../server/testing/proxy.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { openUntrustedDatabase } from '../../server/testing/untrusted-database.ts'
import { useTestService } from '../../server/testing/use-service.ts'
import { runBuilt } from './built.ts'
import { bin } from './real-service.ts'
import { createRunner, type Runner } from './run-cli.ts'

// Programs start, and keys are derived.
vi.setConfig({ testTimeout: 300_000 * slack })

const service = useTestService({ SECRET: testSecret })
let folder: string
let runHere: Runner
let file: string
let secret: string
const env = (database: Database) => ({ ...settingsOf(database), SECRET: testSecret })

beforeAll(async () => {
  await service.person()
  // What does not compress, so that there is a half of it.
  await service.deps.sql`
    insert into audit_events (id, event, request_id, details)
    select 'many-' || n, 'sign-in-done', gen_random_uuid()::text, jsonb_build_object('text', gen_random_uuid()::text || gen_random_uuid())
    from generate_series(1, 20000) n
  `
  folder = temporaryFolder('backup')
  runHere = createRunner({ cwd: folder })
  ;[file, secret] = [join(folder, 'postern.backup'), join(folder, 'passphrase.txt')]
  writeFileSync(secret, 'a passphrase of a few words\n')
})

it('a backup is written, restored whole into a new database, and never over what is there', async () => {
  const from = { env: env(service.database) }
  const made = await runHere(['backup', file, '--passphrase-file', secret, '--json'], from)
  expect([made.code, JSON.parse(made.stdout)]).toMatchObject([
    0,
    { status: 'created', resource: { encrypted: true, tables: { users: 1 } } },
  ])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const told = await runHere(['backup', `${file}3`], from)
  expect(told.stdout).toMatch(new RegExp(`^Backed up \\d+ rows, 1 of them users, to ${file}3\n$`))
  expect(await runHere(['backup', file], from)).toMatchObject({ code: 7, stderr: expect.stringContaining('already') })
  expect((await runHere(['backup', `${file}2`, '--passphrase-file', '-'], { ...from, stdin: 'short' })).code).toBe(2)
  expect(await runHere(['restore', file], from)).toMatchObject({
    code: 12,
    stderr: expect.stringContaining('encrypted'),
  })
  const again = await runHere(['restore', file, '--passphrase-file', secret], from)
  expect(again).toMatchObject({ code: 7, stderr: expect.stringContaining('not empty') })
  const { database, drop } = await emptyDatabase()
  const restored = await runHere(['restore', file, '--passphrase-file', secret], { env: env(database) })
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored \d+ rows, 1 of them users\n$/) })
  await drop()
})

it('the built program reads a config file in TypeScript before it backs up or restores', async () => {
  const cwd = temporaryFolder('typed-config')
  const typed = `import { defineConfig } from 'postern'
    export default defineConfig({ mayCreateOrganization: (user: { readonly email: string }) => user.email !== '' })`
  writeFileSync(join(cwd, 'postern.config.ts'), typed)
  expect(await runBuilt(['backup', 'typed.backup'], { env: env(service.database), cwd })).toMatchObject({ code: 0 })
  const { database, drop } = await emptyDatabase()
  expect(await runBuilt(['restore', 'typed.backup'], { env: env(database), cwd })).toMatchObject({ code: 0 })
  await drop()
})

it.each(['SIGINT', 'SIGTERM'] as const)('a backup that %s ends leaves nothing behind', async (signal) => {
  const cut = join(folder, `cut-by-${signal}`)
  const sql = connectForMigration(service.database)
  const ended = await sql.begin(async (tx) => {
    await tx`lock table audit_events in access exclusive mode`
    return runBuilt(['backup', cut], {
      env: env(service.database),
      cwd: folder,
      during: async (child) => {
        await expect.poll(() => existsSync(`${cut}.part`), { timeout: 60_000 * slack }).toBe(true)
        child.kill(signal)
      },
    })
  })
  expect(ended).toMatchObject({ code: signal === 'SIGINT' ? 130 : 143 })
  expect(readdirSync(folder).filter((name) => name.startsWith('cut-by'))).toEqual([])
  await sql.end()
})

it.each([
  ['> /dev/full', 'the disk is full'],
  ['| head -c 1 > /dev/null', 'its reader ended before'],
])('half a backup to stdout is none: %s', async (to, why) => {
  const child = spawn('sh', ['-c', `{ "$NODE" "$BIN" backup -; echo "code $?" >&2; } ${to}`], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', NODE: process.execPath, BIN: bin, ...env(service.database) },
  })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => (told += part))
  await once(child, 'close')
  expect(told).toContain(`error: The backup is not whole: ${why}\ncode 1\n`)
  expect(told).not.toContain('The service')
})

it('a database that is not there is not blamed on the file', async () => {
  const away = { DATABASE_URL: `postgres://a@localhost/b?host=${folder}/nowhere`, SECRET: testSecret }
  for (const command of [
    ['backup', join(folder, 'new')],
    ['restore', file, '--passphrase-file', secret],
  ]) {
    const { code, stderr } = await runBuilt(command, { env: away, cwd: folder })
    expect([code, stderr]).toEqual([10, expect.stringContaining('The database cannot be used')])
  }
})

it.each([
  [['restore', 'nowhere'], 'read: there is no such file', 'Give the path of a file that you may read, or - for stdin'],
  [['restore', '.'], 'read: it is a folder', 'Give the path of a file that you may read, or - for stdin'],
  [['backup', 'nowhere/new'], 'written: there is no such folder', 'Name a file elsewhere'],
])('%j says why the file cannot be used, and what to do', async ([command = '', name = ''], why, next) => {
  const path = join(folder, name)
  const { code, stderr } = await runHere([command, path], { env: env(service.database) })
  expect([code, stderr]).toEqual([2, `error: ${path} cannot be ${why}\n  next: ${next}\n`])
})

it.each([
  ['a dump', 'This is no backup of Postern, or one of a newer version'],
  ['postern-ba', 'The backup is cut off: its end is missing'],
])('a file with the text %j is refused, and it is said what to do', async (text, why) => {
  const path = join(folder, 'unusable')
  writeFileSync(path, text)
  const { code, stderr } = await runHere(['restore', path], { env: env(service.database) })
  const next = 'Nothing was restored. Try again, with this file or another one that postern backup made'
  expect([code, stderr]).toEqual([12, `error: ${why}\n  next: ${next}\n`])
})

it.runIf(process.platform === 'linux')('a fault while reading a backup is no wrong usage', async () => {
  // Its first bytes cannot be read by anybody: EIO.
  const { code, stderr } = await runHere(['restore', '/proc/self/mem'], { env: env(service.database) })
  expect([code, stderr]).toEqual([1, expect.stringContaining('EIO')])
})

it.each(['migrate', 'dev mail'])(
  '%s says that a certificate is not accepted, and that it is the one of the database',
  async (command) => {
    const { url, close } = await openUntrustedDatabase()
    const secured = { DATABASE_URL: url, SECRET: testSecret }
    const { code, stderr } = await runBuilt(command.split(' '), { env: secured, cwd: folder })
    expect([code, stderr]).toEqual([
      10,
      'error: The database cannot be used: self-signed certificate\n  next: For a private authority set NODE_EXTRA_CA_CERTS to its certificate\n',
    ])
    close()
  },
)

it.each(['reset', 'half-close'] as const)(
  'a database that goes away meanwhile (%s) leaves nothing behind, and ends with 10',
  async (fault) => {
    const proxy = await openProxy(service.database)
    const cut = join(folder, `left-by-${fault}`)
    const locker = connectForMigration(service.database)
    const ended = await locker.begin(async (tx) => {
      await tx`lock table audit_events in access exclusive mode`
      return runBuilt(['backup', cut], {
        env: env(proxy.database),
        cwd: folder,
        during: async () => {
          await expect.poll(() => existsSync(`${cut}.part`), { timeout: 60_000 * slack }).toBe(true)
          proxy.fault = fault
          proxy.strike()
        },
      })
    })
    expect(ended).toMatchObject({ code: 10, stderr: expect.stringContaining('The database cannot be used') })
    expect(readdirSync(folder).filter((name) => name.startsWith('left-by'))).toEqual([])
    await locker.end()
    await proxy.close()
  },
)

it('what PostgreSQL itself refuses is told as what the database said', async () => {
  const { database, drop } = await emptyDatabase()
  const gone = env(database)
  await drop()
  const { code, stderr } = await runBuilt(['migrate'], { env: gone, cwd: folder })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: The database cannot be used: .* does not exist\n/)])
})

it.each([
  ['SIGKILL', null],
  ['SIGTERM', 143],
] as const)(
  'a restore that %s ends half-way leaves nothing, and the next one restores everything',
  async (signal, code) => {
    const plain = join(folder, `plain-${signal}`)
    expect((await runHere(['backup', plain], { env: env(service.database) })).code).toBe(0)
    const bytes = readFileSync(plain)
    const { database, drop } = await emptyDatabase()
    const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', HOME: '/nowhere', ...env(database) } }
    const child = spawn(process.execPath, [bin, 'restore', '-'], { ...options, stdio: ['pipe', 'ignore', 'ignore'] })
    child.stdin.on('error', () => undefined)
    child.stdin.write(bytes.subarray(0, Math.floor(bytes.length * 0.7)))
    const sql = connectForMigration(database)
    const others = async (copying: boolean) =>
      (
        await sql`
        select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
          and (not ${copying} or query ilike 'copy%')
      `
      ).length
    await expect.poll(() => others(true), { timeout: 60_000 * slack }).toBe(1)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([code, code === null ? signal : null])
    await expect.poll(() => others(false), { timeout: 60_000 * slack }).toBe(0)
    expect([...(await sql`select from users`), ...(await sql`select from audit_events`)]).toEqual([])
    const done = await runHere(['restore', plain, '--json'], { env: env(database) })
    expect([done.code, JSON.parse(done.stdout)]).toMatchObject([0, { resource: { tables: { users: 1 } } }])
    expect(await sql`select from users`).toHaveLength(1)
    await sql.end()
    await drop()
  },
)

it('a restore that Ctrl+C ends leaves no server of the database that comes with the service', async () => {
  const dataDir = temporaryFolder('data')
  const isRunning = () =>
    readdirSync(dataDir, { recursive: true }).some((path) => String(path).endsWith('postmaster.pid'))
  const child = spawn(process.execPath, [bin, 'restore', '-'], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: '/nowhere', DATA_DIR: dataDir, SECRET: testSecret },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await expect.poll(isRunning, { timeout: 60_000 * slack }).toBe(true)
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
  expect(isRunning()).toBe(false)
})

it('the database that comes with the service moves to another server in one line', async () => {
  const dataDir = temporaryFolder('data')
  const own = { DATA_DIR: dataDir, SECRET: testSecret }
  expect((await runBuilt(['migrate'], { env: own, cwd: folder })).code).toBe(0)
  const { database, drop } = await emptyDatabase()
  const child = spawn('sh', ['-c', '"$NODE" "$BIN" backup - | DATABASE_URL="$TO" "$NODE" "$BIN" restore - --json'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: '/nowhere',
      NODE: process.execPath,
      BIN: bin,
      TO: settingsOf(database)['DATABASE_URL'],
      ...own,
    },
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  const [code] = (await once(child, 'close')) as [number]
  expect([code, JSON.parse(text)]).toMatchObject([0, { status: 'created', resource: { tables: { users: 0 } } }])
  await drop()
})
