import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestService, type TestService } from '../../testing/service.ts'
import { connectForMigration, type Driver } from '../connect.ts'
import { insertRows } from './insert-rows.ts'

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

it('can find the rows that it changes by their ids', async () => {
  await sql`
    insert into users (id, email, name) select 'u' || n, 'u' || n || '@example.com', 'U' from generate_series(1, 5000) n
  `
  await sql`analyze users`
  const rows = [1, 2, 3].map((n) => ({
    line: n,
    id: `u${n}`,
    given: ['name'],
    values: { id: `u${n}`, name: 'Changed' },
  }))
  await sql.begin(async (tx) => {
    // Among a few thousand, reading them all is cheaper; among many it has to be possible otherwise.
    await tx`set local enable_seqscan = off`
    expect(await insertRows(tx as unknown as Driver, 'user', rows, { isUpdating: true })).toEqual({
      stored: 3,
      inserted: [],
      left: [],
    })
    const [read] = await tx<{ all: string }[]>`
      select seq_tup_read as all from pg_stat_xact_user_tables where relname = 'users'
    `
    expect(Number(read?.all)).toBe(0)
  })
})
