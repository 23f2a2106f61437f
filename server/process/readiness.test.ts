import { expect, it, vi } from 'vitest'
import { createApp } from '../app.ts'
import { newestMigration } from '../db/migrate.ts'
import { untilWaiting } from '../testing/locks.ts'
import { useTestService } from '../testing/use-service.ts'
import { createVisitor } from '../testing/visitor.ts'
import { applyMigrations } from './database.ts'

const service = useTestService()

const unavailable = [503, '{"code":"SERVICE_UNAVAILABLE","message":"Service unavailable"}', '1']
const ready = [200, '{"ready":true}', null]
const ask = async () => {
  const { status, text, headers } = await service.visitor().get('/ready')
  return [status, text, headers.get('retry-after')]
}
const said = () =>
  service.logged
    .filter(({ msg }) => /ready/.test(String(msg)))
    .map(({ level, msg, migration }) => [level, msg, migration])
/** Why the database cannot be used, as last said. */
const lastCause = () => service.logged.findLast(({ msg }) => /not ready/.test(String(msg)))?.err

it('is not ready without the newest migration: the log says so once, the answer says nothing', async () => {
  const { sql } = service.deps
  const migration = newestMigration()
  expect(migration).toMatch(/^\d{4}_\w+\.sql$/)
  expect(await ask()).toEqual(ready)
  await sql`update migrations set name = 'away' where name = ${migration}`
  for (let time = 0; time < 3; time += 1) expect(await ask()).toEqual(unavailable)
  await sql`alter table migrations rename to elsewhere`
  expect(await ask()).toEqual(unavailable)
  await sql`alter table elsewhere rename to migrations`
  await sql`update migrations set name = ${migration} where name = 'away'`
  expect(await ask()).toEqual(ready)
  expect(said()).toEqual([
    [40, 'not ready: the database lacks the newest migration; apply it with: postern migrate', migration],
    [30, 'ready again', undefined],
  ])
})

it('is told at once while a migration takes its time', async () => {
  const { sql, log } = service.deps
  await sql`drop schema public cascade`
  await sql`create schema public`
  let applied: Promise<string[]> | undefined
  await sql.begin(async (tx) => {
    // The name of a table that an early migration makes: those before it are done, and it waits.
    await tx`create table organizations ()`
    applied = applyMigrations(service.database, log)
    await untilWaiting(service)
    expect(
      await sql`
        select from pg_locks join pg_database d on d.oid = database and datname = current_database()
        where relation = 'migrations'::regclass and mode = 'AccessExclusiveLock'
      `,
    ).toEqual([])
    expect(await ask()).toEqual(unavailable)
    await tx`drop table organizations`
  })
  expect((await applied)?.at(-1)).toBe(newestMigration())
  expect(await ask()).toEqual(ready)
  expect(said().at(-2)?.[1]).toMatch('lacks the newest migration')
})

it('asks the database once for all that ask meanwhile', async () => {
  service.statements.forget()
  const answers = await Promise.all(Array.from({ length: 50 }, ask))
  expect(answers).toEqual(answers.map(() => ready))
  expect(service.statements.list.length).toBe(1)
})

it('is ready where a newer version has migrated already', async () => {
  await service.deps.sql`insert into migrations (name, checksum) values ('9999_from_the_future.sql', 'x')`
  expect(await ask()).toEqual(ready)
})

it('serves all the same: who runs is not stopped by a look', async () => {
  await service.deps.sql`delete from migrations`
  expect(await ask()).toEqual(unavailable)
  expect((await service.person()).email).toContain('@')
})

it('is ready while the database is slow, and no longer when it has not answered for seconds', async () => {
  const { sql, config } = service.deps
  await sql`insert into migrations (name, checksum) values (${newestMigration()}, 'x')`
  const known = createVisitor(createApp({ ...service.deps }), config)
  const unknown = createVisitor(createApp({ ...service.deps }), config)
  const statusFor = async (visitor: typeof known) => (await visitor.get('/ready')).status
  expect(await statusFor(known)).toBe(200)
  await sql.begin(async (tx) => {
    await tx`lock table migrations in access exclusive mode`
    expect(await statusFor(known)).toBe(200)
    expect(await statusFor(unknown)).toBe(503)
    const passed = performance.now() + 5000
    vi.spyOn(performance, 'now').mockReturnValue(passed)
    expect(await statusFor(known)).toBe(503)
    vi.restoreAllMocks()
  })
})

it('tells the log which error showed that the database does not answer', async () => {
  const { sql, config, log } = service.deps
  await sql`create table migrations_of_another (name text)`
  await sql`alter table migrations rename to elsewhere`
  await sql`create view migrations as select name from migrations_of_another where 1 / (select 0) = 1`
  expect((await createVisitor(createApp({ ...service.deps, sql, log }), config).get('/ready')).status).toBe(503)
  expect(lastCause()).toMatchObject({ code: '22012', message: 'division by zero' })
})
