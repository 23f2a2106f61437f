import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openFrames, sealFrames } from '../backup/frames.ts'
import { inLockedSnapshot, readRows } from '../db/backup.ts'
import { connectForMigration, type Database, type Driver } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { exportRows, inSnapshot } from '../db/moving/export-rows.ts'
import { emptyDatabase, settingsOf } from '../testing/database.ts'
import { untilWaiting } from '../testing/locks.ts'
import { done } from '../testing/organizations.ts'
import { hasDebian, secondCluster } from '../testing/second-cluster.ts'
import { createTestService, type TestService } from '../testing/service.ts'
import { testSecret } from '../testing/settings.ts'
import { slack } from '../testing/slack.ts'
import { everything } from '../testing/support-calls.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { type BackedUp, backUp, restore } from './backup.ts'

// Databases are made, written and read, and keys are derived.
vi.setConfig({ testTimeout: 120_000 * slack })

const passphrase = 'a passphrase of a few words'
let service: TestService
let folder: string
let plain: string
let backedUp: BackedUp
const strange = ['Elsewhere', 'kept_2019']
let sealed: string
const place = (database: Database) => ({
  env: { ...settingsOf(database), SECRET: testSecret, LOG_LEVEL: 'silent' },
  cwd: folder,
})

beforeAll(async () => {
  service = await createTestService({ SECRET: testSecret })
  folder = temporaryFolder('backup')
  const ann = await everything(service)
  await done(ann.post('/update-user', { name: 'Tab\tline\nand \\. and "quotes"' }))
  // A month that is over, one that somebody keeps for good, and a table of another program.
  const { sql } = service.deps
  await sql`create table audit_events_2020_01 () inherits (audit_events)`
  await sql`insert into audit_events_2020_01 (id, event, request_id, created_at) values ('old', 'sign-out-done', 'r', '2020-01-02')`
  await sql`insert into erasures (user_id) values ('half-erased')`
  await sql`create table kept_2019 (like audit_events)`
  await sql`create table "Elsewhere" (id integer)`
  ;[plain, sealed] = [join(folder, 'plain'), join(folder, 'sealed')]
  backedUp = await backUp(plain, { ...place(service.database), passphrase: null })
  await backUp(sealed, { ...place(service.database), passphrase })
}, 120_000 * slack)
afterAll(() => service.stop())

/** Every row of every table as text, without what says that this is a copy. */
async function rowsOf(database: Database): Promise<Record<string, readonly string[]>> {
  const sql = connectForMigration(database)
  const tables = await sql<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'public' order by 1`
  const all: Record<string, readonly string[]> = {}
  for (const { name } of tables) {
    if (['migrations', 'database_copies', 'webhooks', 'outbox', ...strange].includes(name)) continue
    // Months of the trail come back in one table.
    const into = name.replace(/^audit_events_.*/, 'audit_events')
    all[into] = [
      ...(all[into] ?? []),
      ...(await sql<{ row: string }[]>`select t::text as row from only ${sql(name)} t order by 1`).map(
        ({ row }) => row,
      ),
    ].toSorted()
  }
  await sql.end()
  return all
}

async function withEmpty<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { database, drop } = await emptyDatabase()
  try {
    return await work(database)
  } finally {
    await drop()
  }
}

const tablesIn = async (database: Database) => {
  const sql = connectForMigration(database)
  const rows = await sql`select from pg_tables where schemaname = 'public'`
  return sql.end().then(() => rows.length)
}

/** People in a database that may have no tables. */
async function usersIn(database: Database): Promise<number> {
  if ((await tablesIn(database)) === 0) return 0
  const sql = connectForMigration(database)
  const users = await sql`select from users`
  await sql.end()
  return users.length
}

it('restores every row as it was, holds what the original sends, and says so', () =>
  withEmpty(async (database) => {
    const restored = await restore(plain, { ...place(database), passphrase: null })
    expect(restored).toMatchObject({ tables: { users: 3, webhooks: 1 }, parkedWebhooks: 1 })
    expect(restored.heldMails).toBeGreaterThan(0)
    expect(await rowsOf(database)).toEqual(await rowsOf(service.database))
    const sql = connectForMigration(database)
    expect(await sql`select number from database_copies order by 1`).toMatchObject(
      Array.from(await service.deps.sql`select number from database_copies order by 1`).concat([
        expect.anything(),
      ] as never),
    )
    expect(await sql`select from outbox where parked_at is null`).toHaveLength(0)
    // Triggers and sequences work as before.
    await sql`insert into users (id, email, name) values ('new', 'new@example.com', 'New')`
    await expect(sql`delete from audit_events`).rejects.toThrow('append-only')
    await sql.end()
  }))

it('has the months of the trail, and says which tables are not its own', () => {
  expect(backedUp).toMatchObject({ tables: { users: 3 }, leftOut: strange })
  expect(backedUp.tables).not.toHaveProperty('audit_events_2020_01')
})

it('is not made of a database that has no tables of ours, or those of a newer version', () =>
  withEmpty(async (database) => {
    const file = join(folder, 'never')
    const made = () => backUp(file, { ...place(database), passphrase: null })
    await expect(made()).rejects.toThrow('nothing to back up')
    const sql = connectForMigration(database)
    await migrate(sql)
    await sql`create table things_to_come (id integer)`
    await sql`insert into migrations (name, checksum, works_with) values ('9999_later.sql', 'x', '0003_organizations.sql')`
    await sql.end()
    await expect(made()).rejects.toThrow(/A newer version .*9999_later\.sql.*: make the backup with that version/)
    expect(existsSync(file)).toBe(false)
  }))

it('is not taken for the one that a passphrase was given for', () =>
  withEmpty(async (database) => {
    const options = { ...place(database), passphrase }
    await expect(restore(plain, options)).rejects.toThrow('not encrypted')
    expect(await tablesIn(database)).toBe(0)
  }))

it('is not restored over tables of a newer version', () =>
  withEmpty(async (database) => {
    const sql = connectForMigration(database)
    await migrate(sql)
    const old = join(folder, 'of-an-older-version')
    await sql`delete from migrations where name like '0061%'`
    await backUp(old, { ...place(database), passphrase: null })
    await sql`insert into migrations (name, checksum) select name, 'x' from (values ('0061_invitations_by_address.sql')) m (name)`
    await expect(restore(old, { ...place(database), passphrase: null })).rejects.toThrow(
      'newer version than the backup',
    )
    await sql.end()
  }))

it('is for whoever reads it only, and is opened by its passphrase alone', () =>
  withEmpty(async (database) => {
    expect(statSync(sealed).mode & 0o777).toBe(0o600)
    expect(existsSync(`${sealed}.part`)).toBe(false)
    expect(readFileSync(sealed).includes('users')).toBe(false)
    const wrong = { ...place(database), passphrase: 'another passphrase' }
    await expect(restore(sealed, wrong)).rejects.toThrow('Wrong passphrase')
    await expect(restore(sealed, { ...wrong, passphrase: null })).rejects.toThrow('encrypted')
    expect(await tablesIn(database)).toBe(0)
    expect((await restore(sealed, { ...wrong, passphrase })).tables).toMatchObject({ users: 3 })
  }))

it('brings columns that somebody added, once the new database has them, which the refusal names', () =>
  withEmpty(async (database) => {
    const [source, target] = [connectForMigration(service.database), connectForMigration(database)]
    await source`alter table users add column crm_id text default '42'`
    // This one each database computes for itself.
    await source`alter table users add column shouted text generated always as (upper(name)) stored`
    const file = join(folder, 'with-a-column')
    await backUp(file, { ...place(service.database), passphrase: null })
    await source`alter table users drop column crm_id, drop column shouted`
    const restoring = () => restore(file, { ...place(database), passphrase: null })
    await expect(restoring()).rejects.toThrow('columns of users that this database lacks: crm_id. Add them')
    await target`alter table users add column crm_id text`
    await restoring()
    expect(await target`select distinct crm_id from users`).toEqual([{ crm_id: '42' }])
    await Promise.all([source.end(), target.end()])
  }))

it('has what those wrote for whom it had to wait, such as who ends a month of the trail', async () => {
  const [writer, reader] = [connectForMigration(service.database), connectForMigration(service.database)]
  const reading = await writer.begin(async (tx) => {
    await tx`lock table audit_events in access exclusive mode`
    const seen = inLockedSnapshot(reader, async (snapshot) => snapshot`select from erasures where user_id = 'late'`)
    await untilWaiting(service)
    await tx`insert into erasures (user_id) values ('late')`
    return { seen }
  })
  expect(await reading.seen).toHaveLength(1)
  await writer`delete from erasures where user_id = 'late'`
  await Promise.all([writer.end(), reader.end()])
})

it('a backup and an export fail rather than leaving out what a policy hides', async () => {
  const sql = connectForMigration(service.database)
  await sql`alter table users enable row level security`
  const backingUp = inLockedSnapshot(sql, async (tx) => {
    await tx`set local role pg_read_all_data`
    return buffer(await readRows(tx, { name: 'users', into: 'users', columns: ['id'] }))
  })
  await expect(backingUp).rejects.toThrow('row-level security')
  const exporting = inSnapshot(sql, async (tx) => {
    await tx`set local role pg_read_all_data`
    return exportRows(tx, 'user').next()
  })
  await expect(exporting).rejects.toThrow('row-level security')
  await sql`alter table users disable row level security`
  await sql.end()
})

it('is restored from a pipe that has a name, which can be read only once', () =>
  withEmpty(async (database) => {
    const pipe = join(folder, 'pipe')
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
    const writing = pipeline(createReadStream(plain), createWriteStream(pipe))
    const restored = await restore(pipe, { ...place(database), passphrase: null })
    expect(restored.tables).toMatchObject({ users: 3 })
    await writing
  }))

it.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, -40)],
  ['cut off at its last frame', (bytes: Buffer) => bytes.subarray(0, -36)],
  ['longer than it was', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')])],
  ['flipped', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte)))],
  ['flipped in its first line', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 35 ? byte ^ 1 : byte)))],
  ['something else', () => Buffer.from('PGDMP and more')],
])('what is %s is refused, as a file before anything is written, as a stream with nothing kept', async (_, spoil) => {
  for (const [from, key] of [
    [plain, null],
    [sealed, passphrase],
  ] as const)
    await withEmpty(async (database) => {
      const bytes = spoil(readFileSync(from))
      const file = `${from}.spoilt`
      writeFileSync(file, bytes)
      const options = { ...place(database), passphrase: key }
      await expect(restore(file, options)).rejects.toMatchObject({ name: 'UnusableBackup' })
      expect(await tablesIn(database)).toBe(0)
      await expect(restore(Readable.from([bytes]), options)).rejects.toMatchObject({ name: 'UnusableBackup' })
      expect(await usersIn(database)).toBe(0)
    })
})

it('what was sealed without its end is refused, with nothing kept', () =>
  withEmpty(async (database) => {
    const zip = await buffer(openFrames(createReadStream(plain), null))
    const file = join(folder, 'sealed-without-its-end')
    writeFileSync(file, await buffer(sealFrames(Readable.from([zip.subarray(0, -10)]), null)))
    const restoring = restore(file, { ...place(database), passphrase: null })
    await expect(restoring).rejects.toMatchObject({ name: 'UnusableBackup', message: expect.stringContaining('unzip') })
    expect(await usersIn(database)).toBe(0)
  }))

/** Restores a backup of a database with these rows into one with these rules of its own. */
const restoredUnder = (rows: string, rules: string) =>
  withEmpty((from) =>
    withEmpty(async (database) => {
      const [source, target] = [connectForMigration(from), connectForMigration(database)]
      await migrate(source)
      await source.unsafe(rows)
      await migrate(target)
      await target.unsafe(rules)
      await Promise.all([source.end(), target.end()])
      const file = join(folder, `refused-${randomUUID()}`)
      await backUp(file, { ...place(from), passphrase: null })
      await restore(file, { ...place(database), passphrase: null })
    }),
  )

it.each([
  ['the only row', 1],
  ['the first of many rows', 50_000],
])('%s that the server refuses ends the restore, with what the server said', async (_, count) => {
  const events = `
    insert into audit_events (id, event, request_id, user_agent)
    select 'e' || n, 'sign-out-done', 'r', repeat('agent ', 40) from generate_series(1, ${count}) n
  `
  const rule = "alter table audit_events add constraint never check (id <> 'e1')"
  await expect(restoredUnder(events, rule)).rejects.toThrow('violates check constraint "never"')
})

it('brings back equal events of the minute in which a month ended, and joins later ones as before', () =>
  withEmpty((from) =>
    withEmpty(async (database) => {
      const source = connectForMigration(from)
      await migrate(source)
      await source`create table audit_events_2020_01 (like audit_events including all) inherits (audit_events)`
      for (const [table, id] of [
        ['audit_events_2020_01', 'before'],
        ['audit_events', 'after'],
      ] as const)
        await source`
          insert into ${source(table)} (id, event, request_id, created_at, equality)
          values (${id}, 'sign-out-done', 'r', ${`2020-02-01 00:00:${id === 'before' ? 10 : 50}`}::timestamptz, 'equal')
        `
      await source.end()
      const file = join(folder, 'ended-month')
      await backUp(file, { ...place(from), passphrase: null })
      expect((await restore(file, { ...place(database), passphrase: null })).tables).toMatchObject({ audit_events: 2 })
      const sql = connectForMigration(database)
      expect(await sql`select id, equality is not null as joins from audit_events order by created_at`).toEqual([
        { id: 'before', joins: false },
        { id: 'after', joins: true },
      ])
      const index = (on: Driver) => on`select indexdef from pg_indexes where indexname = 'audit_events_equality_key'`
      expect(await index(sql)).toEqual(await index(service.deps.sql as unknown as Driver))
      await sql.end()
    }),
  ))

it('a database with people in it is left alone, and so is a file that is there', async () => {
  const before = await rowsOf(service.database)
  await expect(restore(plain, { ...place(service.database), passphrase: null })).rejects.toThrow('not empty')
  expect(await rowsOf(service.database)).toEqual(before)
  const options = { ...place(service.database), passphrase: null }
  await expect(backUp(plain, options)).rejects.toMatchObject({ code: 'EEXIST' })
  const next = join(folder, 'next')
  writeFileSync(`${next}.part`, 'mine')
  await expect(backUp(next, options)).rejects.toMatchObject({ code: 'EEXIST', path: `${next}.part` })
  expect(readFileSync(`${next}.part`, 'utf8')).toBe('mine')
})

it('of two restores at once one is whole, and the other is told that the database is in use', () =>
  withEmpty(async (database) => {
    const once = () => restore(plain, { ...place(database), passphrase: null })
    const ends = await Promise.allSettled([once(), once()])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { name: 'DatabaseInUse' } })
    expect(await rowsOf(database)).toEqual(await rowsOf(service.database))
  }))

it('the backup of an older version is migrated after it is restored', () =>
  withEmpty(async (old) => {
    const sql = connectForMigration(old)
    await migrate(sql)
    await sql`delete from migrations where name like '0061%'`
    await sql`alter index invitations_email_idx rename to invitations_to_email_idx`
    await sql`insert into users (id, email, name) values ('old', 'old@example.com', 'Old')`
    await sql.end()
    const file = join(folder, 'old')
    await backUp(file, { ...place(old), passphrase: null })
    await withEmpty(async (database) => {
      expect((await restore(file, { ...place(database), passphrase: null })).tables).toMatchObject({ users: 1 })
      const restored = connectForMigration(database)
      expect(await restored`select from migrations where name like '0061%'`).toHaveLength(1)
      await restored.end()
    })
  }))

it.runIf(hasDebian)('another version of PostgreSQL takes it, and gives it back', async () => {
  const other = await secondCluster(true)
  try {
    const sql = connectForMigration(other.database)
    const [row] = await sql<
      { version: number }[]
    >`select current_setting('server_version_num')::integer / 10000 as version`
    await sql.end()
    expect(row?.version).toBe(15)
    await restore(sealed, { ...place(other.database), passphrase })
    expect(await rowsOf(other.database)).toEqual(await rowsOf(service.database))
    const back = join(folder, 'back')
    await backUp(back, { ...place(other.database), passphrase: null })
    await withEmpty(async (database) => {
      await restore(back, { ...place(database), passphrase: null })
      expect(await rowsOf(database)).toEqual(await rowsOf(service.database))
    })
  } finally {
    await other.stop()
  }
})
