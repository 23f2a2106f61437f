import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { secondCluster } from '../testing/second-cluster.ts'
import { serviceOn, type TestService } from '../testing/service.ts'
import { slack } from '../testing/slack.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { connectForMigration, type Database, type Driver } from './connect.ts'
import { migrate } from './migrate.ts'

// It starts a cluster of its own, which it then spoils.
vi.setConfig({ hookTimeout: 200_000 * slack, testTimeout: 60_000 * slack })

type Options = Exclude<Database, string>

let cluster: Awaited<ReturnType<typeof secondCluster>>
let admin: Driver
let service: TestService
let database: Options
beforeAll(async () => {
  cluster = await secondCluster()
  const options = cluster.database as Options
  admin = connectForMigration(options)
  await admin.unsafe(`create role served login createdb`)
  await admin.unsafe(`create database served owner served`)
  database = { ...options, user: 'served', database: 'served' }
  const migrator = connectForMigration(database)
  await migrate(migrator)
  await migrator.end()
  service = await serviceOn(database, { DATABASE_POOL: '1' }, {}, 1)
})
afterAll(async () => {
  await service.stop()
  await admin.end()
  await cluster.stop()
})

const ask = (of = service) => of.visitor().post('/sign-in/email', { email: 'a@example.com', password: 'b' })

/** What the log says of a request that is answered 503, and when its client may come again. */
async function refusal(): Promise<unknown> {
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'served'`
  service.logged.length = 0
  const { headers } = await ask()
  return { ...service.logged.find(({ msg }) => msg === 'request refused'), retryAfter: headers.get('retry-after') }
}

const alter = (what: string) => () => admin.unsafe(`alter ${what}`)

/** From now on, or no longer, the role needs a password that nobody gives. */
const needPassword = (isNeeded: boolean) => async () => {
  const [{ file } = { file: '' }] = await admin<{ file: string }[]>`select current_setting('hba_file') as file`
  const rule = 'local all served scram-sha-256\n'
  const text = readFileSync(file, 'utf8').replace(rule, '')
  writeFileSync(file, isNeeded ? rule + text : text)
  await admin`select pg_reload_conf()`
  await expect
    .poll(() => admin`select from pg_hba_file_rules where user_name = '{served}'`)
    .toHaveLength(isNeeded ? 1 : 0)
}

it.each([
  {
    code: '53300',
    message: 'too many connections for role "served"',
    spoil: alter('role served connection limit 0'),
    mend: alter('role served connection limit -1'),
  },
  {
    code: '28000',
    message: 'role "served" is not permitted to log in',
    spoil: alter('role served nologin'),
    mend: alter('role served login'),
  },
  {
    code: '3D000',
    message: 'database "served" does not exist',
    spoil: async () => {
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'served'`
      await alter('database served rename to other')()
    },
    mend: alter('database other rename to served'),
  },
  {
    code: '55000',
    message: 'database "served" is not currently accepting connections',
    spoil: alter('database served allow_connections false'),
    mend: alter('database served allow_connections true'),
  },
  {
    code: '28P01',
    message: 'password authentication failed for user "served"',
    spoil: needPassword(true),
    mend: needPassword(false),
  },
])(
  'a connection that is refused with $code is said so in the log, and comes again',
  async ({ spoil, mend, ...told }) => {
    await spoil()
    try {
      // A connection that has just been lost is another matter, and is told first.
      await expect.poll(refusal).toMatchObject({ level: 40, status: 503, err: told, retryAfter: '1' })
    } finally {
      await mend()
    }
    await expect.poll(async () => (await ask()).status).toBe(401)
  },
)

it('where the server has room for fewer connections than the pool, each request waits for one of those', async () => {
  await ask()
  await alter('role served connection limit 3')()
  const crowded = await serviceOn(database, { DATABASE_POOL: '8' }, {}, 1)
  try {
    const replies = await Promise.all(Array.from({ length: 60 }, () => ask(crowded)))
    expect(replies.map(({ status }) => status)).toEqual(Array(60).fill(401))
  } finally {
    await alter('role served connection limit -1')()
    await crowded.stop()
  }
})

it('where it has none for the second connection of a migration, that fails, and is done by the next try', async () => {
  const folder = `${temporaryFolder('migrations')}/`
  writeFileSync(`${folder}0001_people.sql`, 'create table people (name text not null);\n')
  const file = '0002_people_by_name.sql'
  const first = '-- works with 0001_people.sql, runs outside a transaction'
  writeFileSync(`${folder}${file}`, `${first}\ncreate index concurrently people_name_idx on people (name);\n`)
  await admin.unsafe('create role few login connection limit 1')
  await admin.unsafe('create database few owner few')
  const sql = connectForMigration({ ...database, user: 'few', database: 'few' })
  await expect(migrate(sql, { folder })).rejects.toMatchObject({ name: 'FailedMigration', code: '53300' })
  await alter('role few connection limit 2')()
  expect(await migrate(sql, { folder })).toEqual([file])
  await sql.end()
})

it('so is a server that is going away', async () => {
  const [{ pid } = { pid: 0 }] = await admin<{ pid: number }[]>`
    select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid
  `
  process.kill(pid, 'SIGTERM')
  const told = { code: '57P03', message: 'the database system is shutting down' }
  await expect.poll(refusal).toMatchObject({ level: 40, status: 503, err: told, retryAfter: '1' })
})
