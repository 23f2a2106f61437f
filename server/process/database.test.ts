import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect, type Sql } from '../db/connect.ts'
import { patience } from '../testing/database.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { useTestService } from '../testing/use-service.ts'
import { applyMigrations } from './database.ts'

const name = '9999_from_the_future.sql'
/** Our own migrations, and one that changes a table which every request reads. */
const folder = join(temporaryFolder('migrations'), '/')
cpSync(fileURLToPath(new URL('../../migrations/', import.meta.url)), folder, { recursive: true })
writeFileSync(join(folder, name), 'alter table sessions add column from_the_future text;\n')

// Those that a service has, by four: a machine that stands still for two seconds is no migration that waits for ever.
const service = useTestService({}, { deadlines: { queue: 8000, query: 20_000 } })
let reader: Sql
beforeAll(() => {
  reader = connect(service.database, { connections: 1, prepare: false, deadlines: patience })
})
afterAll(() => reader.end())

/** While `act` runs somebody reads the sessions, as a dump does. */
const whileRead = <T>(act: () => Promise<T>): Promise<T> =>
  reader.begin(async (tx) => {
    await tx`lock table sessions in access share mode`
    return act()
  }) as Promise<T>

const waits = () =>
  service.logged.filter(
    ({ msg }) => msg === 'a migration is waiting for a lock that another connection holds, trying again',
  )

it('lets nobody wait for a migration that has to wait itself, and is done once it can', async () => {
  const ann = await service.person()
  const answers: number[] = []
  const applied = await whileRead(async () => {
    const applying = applyMigrations(service.database, service.deps.log, { folder, pause: 100 })
    while (waits().length === 0 && !answers.some((status) => status !== 200))
      answers.push((await ann.get('/get-session')).status)
    return { applying }
  })
  expect(answers.filter((status) => status !== 200)).toEqual([])
  expect(await applied.applying).toEqual([name])
  expect(waits()).toMatchObject([{ level: 40, migration: name }])
  expect((await ann.get('/get-session')).status).toBe(200)
})

it('says what to do where a migration never gets its lock', async () => {
  const { sql, log } = service.deps
  await sql`delete from migrations where name = ${name}`
  await sql`alter table sessions drop column if exists from_the_future`
  const sentence = `Migration ${name} could not get its lock: end the transactions that use the same tables (see pg_stat_activity), then start again`
  await whileRead(() =>
    expect(applyMigrations(service.database, log, { folder, tries: 2, pause: 1 })).rejects.toMatchObject({
      name: 'FailedMigration',
      message: sentence,
    }),
  )
  expect(await sql`select from migrations where name = ${name}`).toHaveLength(0)
})
