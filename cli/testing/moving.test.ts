import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectForMigration, type Database, type Driver } from '../../server/db/connect.ts'
import { cloneDatabase, settingsOf } from '../../server/testing/database.ts'
import { kills, timeFor } from '../../server/testing/rounds.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { runBuilt } from './built.ts'
import { startPty } from './pty.ts'
import { bin } from './real-service.ts'
import { createRunner, type RunOptions } from './run-cli.ts'

const folder = temporaryFolder('moving')
let database: Database
let drop: () => Promise<void>
let sql: Driver
beforeAll(async () => {
  const cloned = await cloneDatabase()
  database = cloned.database
  drop = cloned.drop
  sql = connectForMigration(database)
})
afterAll(async () => {
  await sql?.end()
  await drop?.()
})
beforeEach(async () => {
  await sql`delete from users`
  await sql`delete from organizations`
  await sql`delete from imports`
})

const env = () => ({ ...settingsOf(database), SECRET: testSecret })
const here = createRunner({ cwd: folder })
const postern = (line: string, options: RunOptions = {}) => here(line, { env: env(), ...options })
/** As a process of its own, which can be killed. */
const built = (line: string, during: (child: ChildProcess) => void | Promise<void>) =>
  runBuilt(line.split(' '), { env: env(), cwd: folder, during })

const person = (n: number) => ({ type: 'user', id: `user-${n}`, email: `person-${n}@example.com`, name: `Person ${n}` })
const account = (n: number) => ({ type: 'account', userId: `user-${n}`, providerId: 'github', accountId: String(n) })
const textOf = (records: readonly object[]) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
const save = (name: string, records: readonly object[]) => writeFile(join(folder, name), textOf(records))
const countOf = async () => (await sql<{ count: number }[]>`select count(*)::int as count from users`)[0]?.count

describe('import', () => {
  it('fails where nothing comes in, as from an export that failed', async () => {
    await save('none.ndjson', [])
    for (const [line, options] of [
      ['import -', { stdin: '' }],
      ['import none.ndjson', {}],
    ] as const) {
      const { code, stderr } = await postern(line, options)
      expect([code, stderr]).toEqual([2, expect.stringContaining('error: The input has no records')])
    }
  })

  it('moves in, and tells how much', async () => {
    await save('users.ndjson', [person(1), account(1), person(2)])
    const dry = await postern('import users.ndjson --dry-run')
    expect([dry.code, dry.stdout, await countOf()]).toEqual([0, '', 0])
    // After the progress, where the machine is slow.
    expect(dry.stderr).toMatch(/^(?:.* records\n)?Would move in 2 users, 1 account; 3 compared field by field\n$/)
    const done = await postern('import users.ndjson --json')
    expect([done.code, JSON.parse(done.stdout)]).toEqual([
      0,
      {
        results: [],
        summary: expect.objectContaining({ read: 3, stored: 3, present: 0, leftOut: 0, altered: 0, compared: 3 }),
      },
    ])
    expect(await countOf()).toBe(2)
  })

  it('blames a database that does not answer on --from, which named it', async () => {
    const { code, stderr } = await postern('import better-auth --from postgres://nobody@127.0.0.1:1/x --dry-run')
    expect([code, stderr]).toEqual([
      10,
      'error: The database of --from cannot be used: connect ECONNREFUSED 127.0.0.1:1\n  next: Is it running, and is the address of --from right?\n',
    ])
  })

  it('says of what belongs to a record that was left out that this may be why', async () => {
    const account = { type: 'account', id: 'a-1', userId: 'nobody', providerId: 'google', accountId: '1' }
    const { stdout } = await postern('import - --dry-run', { stdin: `${JSON.stringify(account)}\n` })
    expect(stdout).toMatch(/^account a-1\tfailed\tline 1: names a user who .*\tnext: Perhaps the user was left out/)
  })

  it('reads stdin, and ends with 13 and a line for each record that cannot come', async () => {
    const input = textOf([person(1), { ...person(2), email: 'PERSON-1@example.com' }, account(3)])
    const { code, stdout } = await postern('import - --ndjson', { stdin: input })
    expect([code, await countOf()]).toEqual([13, 1])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { input: 'user user-2', status: 'failed', id: 'user-2', error: { code: 'EMAIL_TAKEN', line: 2 } },
      { status: 'failed', error: { code: 'USER_UNKNOWN', line: 3 } },
    ])
  })

  it('names the place of what is no record once', async () => {
    await writeFile(join(folder, 'page.html'), '<html>\n{"a":1}\n')
    const next = '\tnext: Each line is one record: postern schema import\n'
    const named = await postern('import page.html --dry-run')
    expect(named.stdout.split('\n')[0]).toBe(`line 1\tfailed\tis not JSON${next.trimEnd()}`)
    const exported = await postern('import auth0 page.html --dry-run')
    expect(exported.stdout.split('\n').slice(0, 2)).toEqual([
      'line 1 of page.html\tfailed\tis not JSON',
      expect.stringMatching(/^line 2 of page\.html\tfailed\tis not as the service exports it: user_id: /),
    ])
  })

  it("names no line of another service's export, where a record has none of its own", async () => {
    const twice = ['ann@example.com', 'Ann@example.com'].map((email, n) => ({ localId: `user-${n}`, email }))
    await writeFile(join(folder, 'twice.json'), JSON.stringify({ users: twice }))
    const { stdout } = await postern('import firebase twice.json --dry-run')
    expect(stdout).toBe('user user-1\tfailed\thas the address of another user, perhaps in another spelling\n')
  })

  it('names whoever got rights, whatever else the file says, and has each batch in the trail', async () => {
    const records = [
      { ...person(1), role: 'admin' },
      { ...person(1), email: 'not an address' },
      { ...person(2), email: ' Ops@example.com', emailVerified: true },
      { ...account(2), providerId: 'google' },
    ]
    await save('rights.ndjson', records)
    const settings = { ...env(), ADMIN_EMAILS: 'ops@example.com' }
    const { code, stderr } = await postern('import rights.ndjson --batch 2', { env: settings })
    expect([code, stderr]).toEqual([
      13,
      expect.stringContaining('With rights on the platform: person-1@example.com, ops@example.com.'),
    ])
    const events = await sql`select details from audit_events where event = 'records-imported' order by id desc limit 2`
    const batch = { source: 'file', users: 1, organizations: 0, sessions: 0, administrators: 1 }
    expect(events).toEqual([{ details: { ...batch, count: 2 } }, { details: { ...batch, count: 1 } }])
  })

  it("brings nobody of another service's export without the second factor, unless told to", async () => {
    const user = { localId: 'ann', email: 'ann@example.com', mfaInfo: [{ mfaEnrollmentId: 'm' }] }
    await writeFile(join(folder, 'factors.json'), JSON.stringify({ users: [user] }))
    const refused = await postern('import firebase factors.json')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('say so with --without-second-factor\n') })
    expect(await countOf()).toBe(0)
    const told = await postern('import firebase factors.json --without-second-factor')
    expect([told.code, await countOf()]).toEqual([0, 1])
    const sources = await sql`select details ->> 'source' as source from audit_events order by id desc limit 1`
    expect(sources).toEqual([{ source: 'firebase' }])
    await writeFile(join(folder, 'auth0.json'), JSON.stringify([{ user_id: 'auth0|ben', email: 'ben@example.com' }]))
    const untold = await postern('import auth0 auth0.json')
    expect(untold).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('These files do not tell who has a second factor there'),
    })
  })

  it.each(['factors.ndjson', '-', '- --batch 1'])('nor those of %s', async (source) => {
    const factor = { type: 'secondFactor', id: 'f1', userId: 'user-1', secret: 'ab'.repeat(50) }
    // JSON may spell a type with escapes.
    const text = textOf([person(1), factor, { ...factor, id: 'f2' }]).replaceAll('"secondF', '"second\\u0046')
    await writeFile(join(folder, 'factors.ndjson'), text)
    const run = (rest: string) => postern(`import ${source}${rest}`, { stdin: source.startsWith('-') ? text : '' })
    const dry = await run(' --dry-run')
    expect(dry).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('One user has a second factor there and none here'),
    })
    const refused = await run('')
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: One user has .* --without-second-factor; the factors are kept for later\n$/m,
      ),
    })
    // A stream is not known before it is read, and what a batch stored stays.
    expect(await countOf()).toBeLessThanOrEqual(source === '- --batch 1' ? 1 : 0)
    expect(await run(' --without-second-factor')).toMatchObject({ code: 0 })
    const kept = await sql`select id from imported_two_factors order by id`
    expect([await countOf(), kept]).toEqual([1, [{ id: 'f1' }, { id: 'f2' }]])
  })

  it("reads other services' exports, and where Firebase says how it hashes", async () => {
    const user = { localId: 'ann', email: 'ann@example.com', passwordHash: 'AAAA', salt: 'AAAA' }
    await writeFile(join(folder, 'firebase.json'), JSON.stringify({ users: [user] }))
    await writeFile(
      join(folder, 'hash-config.txt'),
      'hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: AAAA==,\n  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}\n',
    )
    const without = await postern('import firebase firebase.json --dry-run --ndjson')
    expect([without.code, JSON.parse(without.stdout).error.code]).toEqual([13, 'HASH_CONFIG_MISSING'])
    expect(await postern('import firebase firebase.json --hash-config hash-config.txt')).toMatchObject({ code: 0 })
    const [row] = await sql<{ password: string }[]>`select password from accounts`
    expect(row?.password).toBe('$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=AAAA==$AAAA$AAAA')
    expect(await postern('import firebase firebase.json --hash-config firebase.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('firebase.json does not name base64_signer_key'),
    })
  })

  it('says that a file is perhaps not the right one', async () => {
    await writeFile(join(folder, 'list.json'), JSON.stringify([{ localId: 'ann', email: 'ann@example.com' }]))
    for (const product of ['firebase', 'keycloak'])
      expect(await postern(`import ${product} list.json`)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(`Nothing in these files is a user: has ${product} exported them?\n`),
      })
  })

  it('names what it cannot use', async () => {
    const { code, stderr } = await postern('import clerk')
    expect([code, stderr]).toEqual([2, expect.stringContaining('postern import clerk USERS.CSV')])
    expect(await postern('import clerk one.csv two.csv')).toMatchObject({ code: 2 })
    expect(await postern('import auth0 nowhere.json')).toMatchObject({ code: 2 })
    expect(await postern('import cognito users.csv')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'Only auth0, clerk, firebase, keycloak and supabase take files after their name, and cognito is none of them',
      ),
    })
    expect(await postern('import nowhere.ndjson')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere.ndjson cannot be read: there is no such file'),
    })
    expect(await postern('import - --batch none')).toMatchObject({ code: 2 })
    expect(await postern(`import firebase firebase.json --hash-config ${folder}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `--hash-config ${folder} cannot be read: it is a folder\n  next: Give the path of a file`,
      ),
    })
  })

  it.each(['--since', '--schema auth', '--map names.json'])('%s is for better-auth', async (option) => {
    for (const source of ['users.ndjson', '-', 'auth0 users.ndjson', 'supabase --from postgres://127.0.0.1:1/x'])
      expect(await postern(`import ${source} ${option}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${option.split(' ')[0]} is for better-auth`),
      })
  })

  it.each(['import', 'import firebase'])('%s refuses what cannot be read twice, as a pipe cannot', async (line) => {
    for (const given of ['/dev/null', folder])
      expect(await postern(`${line} ${given}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${given} is no regular file`),
      })
  })

  it.each(['import', 'import auth0', 'import clerk'])('%s refuses a compressed file as a whole', async (line) => {
    await writeFile(join(folder, 'users.json.gz'), gzipSync(textOf([person(1)])))
    expect(await postern(`${line} users.json.gz`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('users.json.gz is compressed\n  next: Unpack it first'),
    })
  })

  it('names a password whose % encodes nothing', async () => {
    expect(await postern('import better-auth --from postgres://u:p%er@127.0.0.1:1/x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Write %25 in place of each %'),
    })
  })

  it.each(['better-auth', 'supabase'])('%s from an address whose TLS is mistyped is refused', async (kind) => {
    expect(await postern(`import ${kind} --from postgres://u@127.0.0.1:1/x?sslmode=requier`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The address of --from cannot be used: expected sslmode to be one of disable'),
    })
  })

  it(`goes on after kill -9, ${kills} times, with nothing twice and nothing lost`, timeFor(kills, 20), async () => {
    const people = Array.from({ length: 3000 }, (_, n) => person(n))
    await save('many.ndjson', people)
    for (let round = 0; round < kills; round += 1) {
      await sql`delete from users`
      await sql`delete from imports`
      const limit = randomInt(2500)
      const killed = await built('import many.ndjson --batch 50', async (child) => {
        await expect.poll(countOf, { timeout: 60_000 * slack }).toBeGreaterThan(limit)
        child.kill('SIGKILL')
      })
      expect(killed.signal).toBe('SIGKILL')
      const before = (await countOf()) ?? 0
      const { code, stdout } = await postern('import many.ndjson --batch 50 --json')
      const { summary } = JSON.parse(stdout)
      expect([code, await countOf(), summary.read, summary.present]).toEqual([0, 3000, 3000 - before, 0])
    }
  })

  it('shows a bar on a terminal', async () => {
    await save('users.ndjson', [person(1), person(2)])
    const terminal = startPty(process.execPath, [bin, 'import', 'users.ndjson'], { env: env(), cwd: folder })
    expect((await terminal.exit).exitCode).toBe(0)
    expect(terminal.raw()).toMatch(/\[#+\.*\] 100%, 2 records/)
  })
})

describe('export', () => {
  it('prints what import reads', async () => {
    await save('users.ndjson', [person(1), account(1)])
    await postern('import users.ndjson')
    const { code, stdout, stderr } = await postern('export')
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^2 records\n$/m)])
    await sql`delete from users`
    expect(await postern('import -', { stdin: stdout })).toMatchObject({ code: 0 })
    expect((await postern('export')).stdout).toBe(stdout)
  })

  it('ends quietly when its reader has seen enough, and tells once of a full disk', async () => {
    await save('users.ndjson', [person(1), account(1)])
    await postern('import users.ndjson')
    const closed = await built('export', (child) => void child.stdout?.destroy())
    expect([closed.code, closed.stderr]).toEqual([0, ''])
    const child = spawn('sh', ['-c', `'${process.execPath}' '${bin}' export > /dev/full`], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...env() },
    })
    let told = ''
    child.stderr.setEncoding('utf8').on('data', (part: string) => (told += part))
    expect(await once(child, 'close')).toEqual([1, null])
    expect(told).toBe(
      'error: The output cannot be written (ENOSPC)\n  next: Only the output is lost; what the command has changed stays changed\n',
    )
  })

  it('shows no secret on a terminal', async () => {
    const terminal = startPty(process.execPath, [bin, 'export', '--with-secrets'], { env: env(), cwd: folder })
    expect((await terminal.exit).exitCode).toBe(2)
    expect(terminal.raw()).toContain('Secrets are not shown on a terminal')
  })
})

it('the format has a JSON Schema', async () => {
  const { code, stdout } = await postern('schema import')
  const { oneOf } = JSON.parse(stdout)
  expect([code, oneOf.length]).toEqual([0, 10])
  expect(await readFile(join(import.meta.dirname, '../../docs/moving.md'), 'utf8')).toContain('postern schema import')
})
