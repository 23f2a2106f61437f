import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyDatabase, openClone } from '../testing/database.ts'
import { enough, rounds } from '../testing/rounds.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { connectForMigration, type Sql } from './connect.ts'
import { migrate } from './migrate.ts'
import { listUsers, sumUserCounts } from './user-list.ts'

let sql: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ sql, close } = await openClone({ connections: 10 }))
})
afterAll(() => close())

const everybody = {
  search: null,
  filter: null,
  sort: { field: 'id', isDescending: false },
  page: { limit: 1, offset: 0 },
} as const
const told = async () => (await listUsers(sql, everybody)).total
const counted = async () => {
  const [row] = await sql<{ people: number }[]>`
    select count(*)::integer as people from users where organization_id is null
  `
  return row!.people
}
const come = (id: string) => sql`insert into users (id, email, name) values (${id}, ${id}, 'Ann')`
const go = (id: string) => sql`delete from users where id = ${id}`

it('is exact, however many come and go at once, and while the changes are added up', enough, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const ids = Array.from({ length: 30 }, (_, n) => `${round}-${n}`)
    await Promise.all([...ids.map(come), sumUserCounts(sql, 10), sumUserCounts(sql, 10)])
    await Promise.all([...ids.slice(0, 7).map(go), sumUserCounts(sql, 100), sumUserCounts(sql, 100)])
    expect([await told(), await counted()]).toEqual([(round + 1) * 23, (round + 1) * 23])
  }
  await sumUserCounts(sql, 100_000)
  expect([await told(), (await sql`select from user_count_changes`).count]).toEqual([rounds * 23, 1])
})

it('leaves out machines, whom nobody signs in as, and whoever was not kept', async () => {
  const before = await told()
  await sql`insert into organizations (id, name, slug) values ('acme', 'Acme', 'acme')`
  await sql`insert into users (id, email, name, organization_id) values ('robot', 'robot', 'Robot', 'acme')`
  await sql`insert into users (id, email, name) values ('robot', 'robot', 'Robot') on conflict do nothing`
  await sql
    .begin(async (tx) => {
      await tx`insert into users (id, email, name) values ('undone', 'undone', 'Bob')`
      throw new Error('undone')
    })
    .catch(() => undefined)
  await sql`delete from organizations where id = 'acme'`
  expect([await told(), await counted()]).toEqual([before, before])
})

it('begins with everybody who was there before it was kept', async () => {
  const own = fileURLToPath(new URL('../../migrations/', import.meta.url))
  const folder = `${temporaryFolder('migrations')}/`
  const names = readdirSync(own).toSorted()
  const link = (isEarly: boolean) => {
    for (const name of names) if (name < '0042' === isEarly) symlinkSync(join(own, name), join(folder, name))
  }
  const empty = await emptyDatabase()
  const old = connectForMigration(empty.database)
  link(true)
  await migrate(old, { folder })
  await old`insert into users (id, email, name) select n::text, n::text, 'Ann' from generate_series(1, 12) n`
  link(false)
  await migrate(old, { folder })
  await old`delete from users where id = '5'`
  expect(await old`select sum(change)::integer as people from user_count_changes`).toEqual([{ people: 11 }])
  await old.end()
  await empty.drop()
})
