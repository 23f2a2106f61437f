import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { emptyDatabase } from '../testing/database.ts'
import { slack } from '../testing/slack.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { buildIndex } from './build-index.ts'
import { connectForMigration, type Driver } from './connect.ts'
import { migrate } from './migrate.ts'
import { isOutage } from './outage.ts'

const file = '0002_people_by_name.sql'
const folder = `${temporaryFolder('migrations')}/`
writeFileSync(`${folder}0001_people.sql`, 'create table people (name text not null);\n')

let empty: Awaited<ReturnType<typeof emptyDatabase>>
let sql: Driver
let opened: Driver[]
const open = (): Driver => {
  const driver = connectForMigration(empty.database)
  opened.push(driver)
  return driver
}
beforeEach(async () => {
  empty = await emptyDatabase()
  opened = []
  sql = open()
  await migrate(sql, { folder, only: new Set(['0001_people.sql']) })
  await sql`insert into people values ('Ann'), ('Bob')`
  write('create index concurrently people_name_idx on people (name);')
})
afterEach(async () => {
  await Promise.all(opened.map((driver) => driver.end({ timeout: 1 })))
  await empty.drop()
})

const write = (statement: string) =>
  writeFileSync(
    `${folder}${file}`,
    `-- works with 0001_people.sql, runs outside a transaction\n-- People are found by name.\n${statement}\n`,
  )

/** Holds up each build until `act` is over, since it waits for transactions that wrote or have a snapshot. */
const whileHeldUp = <T>(act: () => Promise<T>): Promise<T> =>
  open().begin('isolation level repeatable read', async (tx) => {
    await tx`insert into people values ('Dan')`
    return act()
  }) as Promise<T>

const builds = () => sql<{ pid: number; waits: string | null }[]>`
  select pid, wait_event as waits from pg_stat_activity
  where datname = current_database() and query ~ '\ncreate (unique )?index concurrently' and state = 'active'
`
async function untilHeldUp(): Promise<void> {
  await expect.poll(builds).toMatchObject([{ waits: 'virtualxid' }])
}
const index = () => sql<{ oid: number; isValid: boolean }[]>`
  select indexrelid::integer as oid, indisvalid as "isValid" from pg_index where indrelid = 'people'::regclass
`
const recorded = () => sql`select works_with from migrations where name = ${file}`

it('is done once by processes that start at once, while others write', async () => {
  const waits: string[] = []
  const held = await whileHeldUp(async () => {
    const ways = { folder, pause: 100, onBlocked: (migration: string) => waits.push(migration) }
    const migrations = [open(), open(), open()].map((driver) => migrate(driver, ways))
    await untilHeldUp()
    await expect.poll(() => waits.length).toBeGreaterThan(10)
    await sql`insert into people values ('Cleo')`
    await sql`update people set name = 'Anna' where name = 'Ann'`
    await untilHeldUp()
    expect([new Set(waits), await recorded()]).toEqual([new Set([file]), []])
    return { migrations }
  })
  expect((await Promise.all(held.migrations)).flat()).toEqual([file])
  expect(await index()).toMatchObject([{ isValid: true }])
  expect(await recorded()).toEqual([{ works_with: '0001_people.sql' }])
})

it('takes as long as it has to, whatever limits the role has', async () => {
  const [{ name } = { name: '' }] = await sql<{ name: string }[]>`select current_database() as name`
  const held = await whileHeldUp(async () => {
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      await sql.unsafe(`alter database ${name} set ${limit} = '${200 * slack}ms'`)
    const migrating = migrate(open(), { folder })
    await untilHeldUp()
    const [build] = await builds()
    await sql`select pg_sleep(${0.5 * slack})`
    expect(await builds()).toEqual([build])
    return { migrating }
  })
  expect(await held.migrating).toEqual([file])
})

it('sets back the limits of its connection, which a pooler gives to others', async () => {
  const [{ name } = { name: '' }] = await sql<{ name: string }[]>`select current_database() as name`
  await sql.unsafe(`alter database ${name} set lock_timeout = '100ms'`)
  const driver = open()
  const text = 'create index concurrently people_name_idx on people (name)'
  await buildIndex(driver, file, text, { index: 'people_name_idx', table: 'people' })
  expect(await driver`show lock_timeout`).toEqual([{ lock_timeout: '100ms' }])
})

it('does not keep its lock for long where its machine is gone', async () => {
  await sql`
    create function set_here() returns text[] language sql as $$
      select array_agg(name order by name) from pg_settings where source = 'session' and name like 'tcp%'
    $$
  `
  await sql`alter table migrations add column set_here text[] default set_here()`
  await migrate(sql, { folder })
  const names = ['tcp_keepalives_count', 'tcp_keepalives_idle', 'tcp_keepalives_interval']
  expect(await sql`select set_here from migrations where name = ${file}`).toEqual([{ set_here: names }])
})

it.each([
  ...['CONNECT_TIMEOUT', 'ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT', '08006', '25006', '53300', '57P03'].map(
    (code) => [code, true] as const,
  ),
  ...['23505', '53100', '57014'].map((code) => [code, false] as const),
])('after %s a start tries it again: %s', async (code, isTriedAgain) => {
  const failing = () => Promise.reject(Object.assign(new Error('it failed'), { code }))
  const failure = await buildIndex(failing as unknown as Driver, file, '', { index: 'a', table: 'b' }).catch(
    (error: unknown) => error,
  )
  expect([Object(failure).name, isOutage(failure)]).toEqual(['FailedMigration', isTriedAgain])
})

it.each([
  [
    'pg_terminate_backend',
    '(terminating connection due to administrator command): the next attempt drops what is left of the index',
    '57P01',
  ],
  // No start tries again at once what somebody has stopped.
  [
    'pg_cancel_backend',
    '(canceling statement due to user request): remove the cause, then start again; what is left of the index is dropped then',
    undefined,
  ],
])('says what to do after %s, and drops what is left of the build before the next', async (end, said, code) => {
  const failure = await whileHeldUp(async () => {
    const failing = migrate(open(), { folder }).catch((error: unknown) => error)
    await untilHeldUp()
    await sql`select ${sql(end)}(pid) from (${builds()}) builds`
    return failing
  })
  expect(failure).toMatchObject({
    name: 'FailedMigration',
    message: `Migration ${file} could not build its index people_name_idx ${said}`,
  })
  expect(Object(failure).code).toBe(code)
  const [left] = await index()
  expect([left?.isValid, await recorded()]).toEqual([false, []])
  expect(await migrate(open(), { folder })).toEqual([file])
  expect(await index()).toEqual([{ oid: expect.not.toBeOneOf([left?.oid]), isValid: true }])
})

it('is waited for where the server goes on with it after its process is gone', async () => {
  const waits: string[] = []
  const next = await whileHeldUp(async () => {
    const gone = open()
    migrate(gone, { folder }).catch(() => undefined)
    await untilHeldUp()
    await gone.end({ timeout: 0 })
    const ways = { folder, pause: 100, onBlocked: (migration: string) => waits.push(migration) }
    const migrating = migrate(open(), ways)
    await expect.poll(() => waits.length).toBeGreaterThan(10)
    return { migrating, left: await index() }
  })
  expect(await next.migrating).toEqual([file])
  expect(await index()).toEqual([{ oid: next.left[0]?.oid, isValid: true }])
})

it('fails as a whole where rows are not unique, until they are', async () => {
  await sql`insert into people values ('Ann')`
  write('create unique index concurrently people_name_key\n  on people (name);')
  await expect(migrate(sql, { folder })).rejects.toThrow(
    `Migration ${file} could not build its index people_name_key (could not create unique index "people_name_key"): remove`,
  )
  expect(await recorded()).toEqual([])
  await sql`delete from people where name = 'Ann'`
  expect(await migrate(sql, { folder })).toEqual([file])
  expect(await index()).toMatchObject([{ isValid: true }])
})
