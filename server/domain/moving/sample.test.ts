import bcrypt from 'bcrypt'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { connectForMigration, type Driver } from '../../db/connect.ts'
import { emptyForImport } from '../../testing/exports.ts'
import { recordsFile } from '../../testing/records-file.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { fileSource } from './file-source.ts'
import { type ImportOptions, importRecords } from './import-records.ts'
import { partsOf } from './prepare-parts.ts'

let service: TestService
let sql: Driver
beforeAll(async () => {
  service = await createTestService()
  sql = connectForMigration(service.database)
})
afterAll(async () => {
  await sql?.end()
  await service?.stop()
})
beforeEach(() => emptyForImport(sql))

const load = async (records: readonly object[], options: Partial<ImportOptions> = {}) =>
  importRecords(sql, await fileSource(await recordsFile(records)), {
    isDryRun: false,
    batch: null,
    isUpdating: false,
    parts: partsOf(service.deps),
    onLeftOut: () => undefined,
    ...options,
  })

const user = (id: string, name = id) => ({ type: 'user', id, email: `${id}@example.com`, name })

it('whoever signs in between two batches is stored as it was given', async () => {
  const account = {
    type: 'account',
    userId: 'ann',
    providerId: 'credential',
    password: await bcrypt.hash(testPassword, 6),
  }
  const answers: number[] = []
  const onStored = async () => {
    const { status } = await service
      .visitor()
      .post('/sign-in/email', { email: 'ann@example.com', password: testPassword })
    answers.push(status)
  }
  const summary = await load([user('ann'), account, user('ben'), user('cy')], { batch: 2, onStored })
  expect(answers).toEqual([401, 200])
  expect(summary).toMatchObject({ compared: 4, different: [] })
})

it.each([null, 1, 3])('of an id that comes twice, the later one is compared: batch %s', async (batch) => {
  const summary = await load([user('ann', 'Ann'), user('ben'), user('ann', 'Anna')], { isUpdating: true, batch })
  expect(summary.different).toEqual([])
  expect((await sql`select name from users where id = 'ann'`)[0]).toEqual({ name: 'Anna' })
})

it('a field that the database stored otherwise is told', async () => {
  await sql`create function pg_temp.other() returns trigger language plpgsql as $$ begin new.name = 'other'; return new; end $$`
  await sql`create trigger other before insert on users for each row execute function pg_temp.other()`
  try {
    const { different } = await load([user('ann'), user('ben'), user('cy')], { batch: 1 })
    expect(different).toEqual(['user ann: name', 'user ben: name', 'user cy: name'])
  } finally {
    await sql`drop trigger other on users`
  }
})
