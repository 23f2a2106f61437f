import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyDatabase, patience, settingsOf } from '../testing/database.ts'
import { type Spawned, spawnServer } from '../testing/process.ts'
import { migrations, timeFor } from '../testing/rounds.ts'
import { connect, connectForMigration, type Driver } from './connect.ts'
import { migrate } from './migrate.ts'

let empty: Awaited<ReturnType<typeof emptyDatabase>>
let sql: Driver
beforeEach(async () => {
  empty = await emptyDatabase()
  sql = connectForMigration(empty.database)
})
afterEach(async () => {
  await sql.end()
  await empty.drop()
})

const script = 'console.log(JSON.stringify(await migrateDatabase()))'
const spawnMigration = (): Spawned => spawnServer(settingsOf(empty.database), script)
const applied = async ({ exited, output }: Spawned): Promise<string[]> => {
  const code = await exited
  const [, text = ''] = /^(\{"applied".*\})$/m.exec(output()) ?? []
  return code === 0 ? JSON.parse(text).applied : [`failed: ${output()}`]
}
/** One look may come too late on a busy machine. */
const statusAt = (url: string) => async () => (await fetch(`${url}/ready`)).status
/** A migration of a version that does not exist yet. */
const future = (worksWith: string | null) => sql`
  insert into migrations (name, checksum, works_with) values ('9999_from_the_future.sql', 'x', ${worksWith})
`
const tables = async () => {
  const rows = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1
  `
  return rows.map(({ name }) => name)
}

describe('a migration', () => {
  it('makes the tables once and notes what it did', async () => {
    const first = await migrate(sql)
    expect(first.length).toBeGreaterThan(0)
    expect(await tables()).toEqual(expect.arrayContaining(['accounts', 'migrations', 'sessions', 'users']))
    expect(await migrate(sql)).toEqual([])
    const kept = await sql<{ name: string }[]>`select name from migrations order by name`
    expect(kept.map(({ name }) => name)).toEqual(first)
  })

  it('that was changed after it was applied stops the start, and nothing is done', async () => {
    const [name] = await migrate(sql)
    await sql`update migrations set checksum = repeat('0', 64) where name = ${name!}`
    await expect(migrate(sql)).rejects.toThrow(
      `Migration ${name} was changed after it was applied: restore the file, and put the change in a new migration`,
    )
    const service = spawnServer({ ...settingsOf(empty.database), MIGRATE: 'on' })
    expect(await service.exited).toBe(1)
    expect(service.output()).toContain('was changed after it was applied')
  })

  it('into a database that cannot hold every name is refused before anything is done', async () => {
    const latin = await emptyDatabase(`encoding 'LATIN1' locale 'C'`)
    const other = connectForMigration(latin.database)
    await expect(migrate(other)).rejects.toThrow(
      'The database is encoded as LATIN1, which cannot hold every name: make it anew, createdb --encoding UTF8 --locale C.UTF-8 --template template0',
    )
    expect(await other`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
    await other.end()
    await latin.drop()
  })

  it('of a newer version stops an older one with a sentence, and nothing is done', async () => {
    const [, ...later] = await migrate(sql)
    await sql`delete from migrations where name = ${later.at(-1)!}`
    await future(null)
    const sentence =
      'A newer version of Postern has migrated the database (9999_from_the_future.sql): start that version or a later one'
    await expect(migrate(sql)).rejects.toThrow(sentence)
    expect(await sql`select from migrations where name = ${later.at(-1)!}`).toHaveLength(0)
    for (const MIGRATE of ['on', 'off']) {
      const service = spawnServer({ ...settingsOf(empty.database), MIGRATE })
      expect([MIGRATE, (await service.exited) === 0, service.output().includes(sentence)]).toEqual([
        MIGRATE,
        false,
        true,
      ])
    }
    const told = spawnMigration()
    expect([(await told.exited) === 0, told.output().includes(sentence)]).toEqual([false, true])
  })

  it('that needs a migration which is not known either stops it too, also in a table without that column', async () => {
    await migrate(sql)
    await future('9998_from_the_future.sql')
    await expect(migrate(sql)).rejects.toThrow('has migrated the database (9999_from_the_future.sql):')
    await sql`alter table migrations drop column works_with`
    await expect(migrate(sql)).rejects.toThrow('has migrated the database (9999_from_the_future.sql):')
  })

  it('says with which ones it works in its first line; that is kept, and is one before it', async () => {
    await migrate(sql)
    const rows = await sql<{ name: string; worksWith: string | null }[]>`
      select name, works_with as "worksWith" from migrations order by name
    `
    const names = rows.map(({ name }) => name)
    const wrong = rows.filter(
      ({ name, worksWith }) => worksWith !== null && !names.slice(0, names.indexOf(name)).includes(worksWith),
    )
    expect(wrong).toEqual([])
    expect(rows.find(({ name }) => name.startsWith('0004_'))?.worksWith).toBe('0003_organizations.sql')
  })

  it('that fails is named, with what the server said, and nothing of it is done', async () => {
    await sql`create table accounts (id text)`
    await expect(migrate(sql)).rejects.toThrow(
      'Migration 0001_users_accounts_sessions.sql failed, and nothing of it was applied (relation "accounts" already exists): remove the cause, then start again',
    )
    expect(await tables()).toEqual(['accounts'])
  })

  it.each(['on', 'off'])(
    'of a newer version that works with what is known is left alone, and served beside (%s)',
    async (MIGRATE) => {
      const known = await migrate(sql)
      await future(known.at(-1)!)
      await sql`alter table users add column from_the_future text`
      expect(await migrate(sql)).toEqual([])
      const service = spawnServer({ ...settingsOf(empty.database), MIGRATE })
      const url = await service.untilListening()
      await expect.poll(statusAt(url)).toBe(200)
      const reply = await fetch(`${url}/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ann@example.com', name: 'Ann', password: 'correct horse battery staple' }),
      })
      expect([reply.status, await service.kill('SIGTERM')]).toEqual([200, 0])
    },
  )

  it('that is killed in the middle leaves nothing, and the next start does it whole', async () => {
    const watcher = connect(empty.database, { connections: 1, prepare: false, deadlines: patience })
    const inTheMiddle = () => watcher`
      select wait_event_type from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query ~ 'create table users'
    `
    const said = await holdUp('rate_limits', async () => {
      const started = spawnMigration()
      // The last table of the first file. Everything before it exists already, in an open transaction.
      await expect.poll(inTheMiddle).toEqual([{ waitEventType: 'Lock' }])
      await started.kill('SIGKILL')
      return started.output()
    })
    expect(said).not.toContain('"applied"')
    await expect.poll(inTheMiddle).toEqual([])
    expect(await tables()).toEqual([])
    expect((await applied(spawnMigration())).length).toBeGreaterThan(0)
    expect(await tables()).toContain('rate_limits')
    await watcher.end()
  })

  /** Runs `act` while another open transaction has taken the name of a table. */
  async function holdUp<T>(table: string, act: () => Promise<T>): Promise<T> {
    const blocker = connectForMigration(empty.database)
    let result: T | undefined
    await blocker
      .begin(async (tx) => {
        await tx`create table ${tx(table)} ()`
        result = await act()
        throw new Error('roll back')
      })
      .catch(() => undefined)
    await blocker.end()
    return result as T
  }
})

it('waits for the process that migrates, whatever limits the database sets, without counting that as a try', async () => {
  const [{ name } = { name: '' }] = await sql<{ name: string }[]>`select current_database() as name`
  await sql.unsafe(`alter database ${name} set lock_timeout = '50ms'`)
  const second = connectForMigration(empty.database)
  const migrating = await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(4100001)`
    const started = migrate(second, { only: new Set(['0001_users_accounts_sessions.sql']), tries: 1 })
    started.catch(() => undefined)
    await tx`select pg_sleep(0.5)`
    return { started }
  })
  expect(await migrating.started).toHaveLength(1)
  await second.end()
})

describe('processes that start at once on an empty database', () => {
  // Behind the lock each has to see what the others have done, whatever is the default there.
  beforeEach(async () => {
    const [{ name } = { name: '' }] = await sql<{ name: string }[]>`select current_database() as name`
    await sql.unsafe(`alter database ${name} set default_transaction_isolation = 'repeatable read'`)
  })

  it.each(migrations > 1 ? [2, 4] : [3])(
    `are all served, and one of %i does each migration, ${migrations} times`,
    async (count) => {
      for (let round = 0; round < migrations; round += 1) {
        await sql`drop schema public cascade`
        await sql`create schema public`
        const lists = await Promise.all(Array.from({ length: count }, () => applied(spawnMigration())))
        const done = await sql<{ name: string }[]>`select name from migrations order by name`
        expect(lists.flat().toSorted()).toEqual(done.map(({ name }) => name))
        expect(await migrate(sql)).toEqual([])
      }
    },
    timeFor(migrations, 40).timeout,
  )

  it('are ready, all four, with the whole service', async () => {
    const services = Array.from({ length: 4 }, () => spawnServer({ ...settingsOf(empty.database), MIGRATE: 'on' }))
    const urls = await Promise.all(services.map(({ untilListening }) => untilListening()))
    for (const url of urls) await expect.poll(statusAt(url)).toBe(200)
    await Promise.all(services.map(({ kill }) => kill()))
  })
})
