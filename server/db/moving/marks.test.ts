import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyDatabase } from '../../testing/database.ts'
import { untilOthersEnded } from '../../testing/others-ended.ts'
import { connectForMigration, type Driver } from '../connect.ts'
import { changedSince, isWrittenSince, type Mark, markOf, textOfMark } from './marks.ts'

let sql: Driver
let other: Driver
let drop: () => Promise<void>
beforeAll(async () => {
  const empty = await emptyDatabase()
  sql = connectForMigration(empty.database)
  other = connectForMigration(empty.database)
  drop = empty.drop
  await sql.unsafe('create table things (name text primary key)')
})
afterAll(async () => {
  await sql?.end()
  await other?.end()
  await drop?.()
})

const markNow = async (): Promise<Mark> => {
  const mark = await sql.begin('isolation level repeatable read read only', (tx) => markOf(tx as unknown as Driver))
  if (!mark) throw new Error('This database tells no mark')
  return mark
}

async function namesSince(earlier: Mark): Promise<readonly string[]> {
  const changed = changedSince(textOfMark(earlier, []), await markNow())
  const rows = await sql.unsafe<{ name: string }[]>(
    `select name from things t where ${isWrittenSince(changed?.transaction ?? Number.NaN)} order by name`,
  )
  return rows.map(({ name }) => name)
}

it('what is written or committed after a mark is newer, and nothing else, however often the table is cleaned', async () => {
  await sql.unsafe(`insert into things values ('changed later'), ('old')`)
  await untilOthersEnded(sql)
  const mark = await other.begin(async (tx) => {
    await tx.unsafe(`insert into things values ('under way')`)
    const meanwhile = await markNow()
    expect(await namesSince(meanwhile)).toEqual([])
    return meanwhile
  })
  await sql.unsafe(`update things set name = 'changed' where name = 'changed later'`)
  await sql.unsafe(`insert into things values ('new')`)
  const newer = ['changed', 'new', 'under way']
  expect(await namesSince(mark)).toEqual(newer)
  for (const clean of ['vacuum freeze things', 'vacuum full freeze things']) {
    await sql.unsafe(clean)
    expect(await namesSince(mark)).toEqual(newer)
  }
  await untilOthersEnded(sql)
  expect(await namesSince(await markNow())).toEqual([])
})

it('a mark of another history, of later, of too long ago, or none, tells nothing', async () => {
  const now = await markNow()
  const text = textOfMark(now, ['left'])
  expect(changedSince(text, now)).toEqual({ transaction: Number(now.transaction), ids: ['left'] })
  const elsewhere = { ...now, history: '1 1' }
  const restored = { ...now, transaction: now.transaction - 1n }
  const later = { ...now, transaction: now.transaction + 2n ** 31n }
  expect(changedSince(null, now)).toBeNull()
  for (const other of [elsewhere, restored, later, null]) expect(changedSince(text, other)).toBeNull()
})

it('transactions are compared across the end of their 32 bits', async () => {
  const [row] = await sql.unsafe(`
    select bool_and(${isWrittenSince(4294967290).replace('t.xmin::text', 'new')}) as newer,
      bool_or(${isWrittenSince(4294967290).replace('t.xmin::text', 'old')}) as older
    from (values ('4294967290', '4294967289'), ('3', '2147483999'), ('2000', '4000000000')) as v (new, old)
  `)
  expect(row).toEqual({ newer: true, older: false })
})

it('a role that must not ask for the history gets no mark, and goes on', async () => {
  await sql.begin(async (tx) => {
    await tx.unsafe('revoke execute on function pg_control_system() from public')
    await tx.unsafe('set local role pg_monitor')
    expect(await markOf(tx as unknown as Driver)).toBeNull()
    await tx.unsafe('select 1')
  })
})
