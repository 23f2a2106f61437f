import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connectForMigration, type Database, type Driver } from '../../server/db/connect.ts'
import { askPeer, peerSecret, startPeer } from '../../server/testing/better-auth-peer.ts'
import { cloneDatabase, emptyDatabase, settingsOf } from '../../server/testing/database.ts'
import { freePort } from '../../server/testing/ports.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { bin } from './real-service.ts'
import { createRunner } from './run-cli.ts'

// The lines of the documents start the built program four times.
vi.setConfig({ testTimeout: 120_000 * slack })

let from: string
let database: Database
let sql: Driver
const drops: (() => Promise<void>)[] = []
beforeAll(async () => {
  const [peer, own] = [await emptyDatabase(), await cloneDatabase()]
  database = own.database
  from = settingsOf(peer.database)['DATABASE_URL'] ?? ''
  const peerSql = connectForMigration(peer.database)
  await peerSql.unsafe(`
    create table "user" (id text primary key, email text, name text, role text, "twoFactorEnabled" boolean);
    insert into "user" values
      ('a', 'ann@example.com', 'Ann', 'user,admin', true),
      ('b', 'bob@example.com', 'Bob', 'user', false),
      ('c', 'not an address', 'Cy', 'admin', false);
    create table "twoFactor" (id text, "userId" text, secret text);
    insert into "twoFactor" values ('1', 'a', 'readable'), ('2', 'a', 'readable'), ('3', 'b', 'readable')
  `)
  await peerSql.end()
  sql = connectForMigration(database)
  drops.push(peer.drop, own.drop)
})
afterAll(async () => {
  await sql?.end()
  for (const drop of drops) await drop()
})

const run = createRunner()
const postern = (given: Database, ...words: readonly string[]) =>
  run(['import', 'better-auth', '--from', from, ...words], { env: { ...settingsOf(given), SECRET: testSecret } })
const readPage = () => readFile(join(import.meta.dirname, '../../docs/moving.md'), 'utf8')
const rolesOf = async () =>
  (await sql<{ roles: string[] }[]>`select roles from users order by id`).map(({ roles }) => roles)

it('a dry run changes nothing, not even the tables of the service', async () => {
  const empty = await emptyDatabase()
  drops.push(empty.drop)
  const { code, stderr } = await postern(empty.database, '--dry-run')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/\d+ migrations behind.*run postern migrate first/s)])
  const other = connectForMigration(empty.database)
  expect(await other`select from pg_class where relnamespace = 'public'::regnamespace`).toHaveLength(0)
  await other.end()
})

it('nobody comes without the second factor that they had, unless the operator says so', async () => {
  const dry = await postern(database, '--dry-run')
  expect(dry).toMatchObject({
    code: 13,
    stderr: expect.stringContaining(
      '2 users have a second factor there and none here: the password alone lets them in; the run itself asks for --without-second-factor',
    ),
  })
  const refused = await postern(database)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--without-second-factor') })
  expect(await rolesOf()).toEqual([])
})

it('what does not come is named', async () => {
  const plan = { type: 'string', required: false }
  const peer = await startPeer('newest', { user: { additionalFields: { plan } } })
  drops.push(peer.stop)
  await peer.sql.unsafe('create table apikey (id text); create table invoices (id text)')
  const options = { env: { ...settingsOf(database), SECRET: testSecret } }
  const look = () => run(['import', 'better-auth', '--from', peer.from, '--dry-run'], options)
  const { code, stderr } = await look()
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('warning: Not brought, since they have no place here: apikey, user.plan\n'),
  ])
  await peer.sql.unsafe('alter table "user" drop column plan; drop table apikey')
  expect((await look()).stderr).not.toContain('Not brought')
})

it('who gets rights on the platform is named, unless nobody shall', async () => {
  const without = await postern(database, '--without-second-factor', '--no-platform-roles')
  expect([without.stderr.includes('rights on the platform'), await rolesOf()]).toEqual([false, [['user'], ['user']]])
  await sql`delete from users`
  const { code, stdout, stderr } = await postern(database, '--without-second-factor', '--json')
  expect(stderr).toContain('With rights on the platform: ann@example.com. To leave them out: --no-platform-roles')
  expect([code, JSON.parse(stdout).summary]).toEqual([13, expect.objectContaining({ stored: 2, administrators: 1 })])
  expect(await rolesOf()).toEqual([['user', 'admin'], ['user']])
  const again = await postern(database, '--without-second-factor')
  expect(again.stderr).not.toContain('rights on the platform')
})

it('an organization comes with a slug that this service takes, from the view of the documents', async () => {
  const page = await readPage()
  const [, view = ''] = /psql "\$FROM" -c "(.*)"\n/.exec(page) ?? []
  const [, map = ''] = /echo '(.*)' > map\.json\n/.exec(page) ?? []
  const [peer, own] = [await emptyDatabase(), await cloneDatabase()]
  drops.push(peer.drop, own.drop)
  const peerSql = connectForMigration(peer.database)
  await peerSql.unsafe(`
    create table "user" (id text primary key, email text, name text);
    create table organization (id text primary key, name text, slug text);
    insert into organization values ('o', 'My Company', 'My_Company & Co.')
  `)
  await peerSql.unsafe(view)
  await peerSql.end()
  const file = join(temporaryFolder('map'), 'map.json')
  await writeFile(file, map)
  const words = ['import', 'better-auth', '--from', settingsOf(peer.database)['DATABASE_URL'] ?? '']
  const options = { env: { ...settingsOf(own.database), SECRET: testSecret } }
  const refused = await run(words, options)
  expect(refused.stdout).toMatch(/^organization o\tfailed\thas a slug of other characters.*docs\/moving\.md\n$/)
  const { code } = await run([...words, '--map', file], options)
  const here = connectForMigration(own.database)
  const slugs = await here`select slug from organizations`
  await here.end()
  expect([code, slugs]).toEqual([0, [{ slug: 'my-company-co' }]])
})

it('each run is in the trail', async () => {
  const rows = await sql`
    select user_agent as "userAgent", actor_id as actor, details from audit_events
    where event = 'records-imported' and details ->> 'administrators' = '1'
  `
  expect(rows).toEqual([
    {
      userAgent: 'postern import',
      actor: null,
      details: { source: 'better-auth', count: 2, users: 2, organizations: 0, sessions: 0, administrators: 1 },
    },
  ])
})

it('the lines of the documents move a better-auth here, with everybody signed in', async () => {
  const peer = await startPeer('newest')
  const own = await emptyDatabase()
  drops.push(own.drop, peer.stop)
  const given = { email: 'ann@example.com', password: 'correct horse battery staple', name: 'Ann' }
  const { cookie } = await askPeer(peer.handler, '/sign-up/email', given)
  const text = await readPage()
  const [, block = ''] = /## From better-auth\n\n```sh\n(.*?)```/s.exec(text) ?? []
  const values: Readonly<Record<string, string>> = {
    DATABASE_URL: settingsOf(own.database)['DATABASE_URL'] ?? '',
    SECRET: testSecret,
    IMPORTED_SECRET: peerSecret,
    FROM: peer.from,
    PGPASSWORD: 'of the address',
  }
  const filled = block.replaceAll(/([A-Z_]+)=\S*…/g, (_, name: string) => `${name}='${values[name]}'`)
  expect([filled.includes('…'), filled.trim().split('\n').length]).toEqual([false, 10])
  const port = await freePort()
  const path = temporaryFolder('moving-lines')
  const script = `set -e\npostern() { '${process.execPath}' '${bin}' "$@"; }\n${filled.replace(/postern serve\n$/, `exec '${process.execPath}' '${bin}' serve\n`)}`
  const child = spawn('bash', ['-c', script], {
    cwd: path,
    env: { PATH: process.env['PATH'], HOME: path, PORT: String(port) },
  })
  const told: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => told.push(String(part)))
  try {
    const whoami = async () => {
      const answer = await fetch(`http://localhost:${port}/api/auth/get-session`, { headers: { cookie } }).catch(
        () => null,
      )
      return answer?.ok
        ? Object(Object(await answer.json()).user).email
        : child.exitCode === null
          ? null
          : told.join('')
    }
    await expect.poll(whoami, { timeout: 60_000 * slack }).toBe(given.email)
    expect(told.join('')).toMatch(
      /Would move in 1 user, 1 account, 1 session;.*Moved in 1 user, 1 account, 1 session;/s,
    )
  } finally {
    child.kill()
    await once(child, 'exit')
  }
})
