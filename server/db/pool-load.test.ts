import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClone } from '../testing/database.ts'
import type { Sql } from './connect.ts'
import { PoolLoad } from './pool-load.ts'
import { transaction } from './transaction.ts'

let sql: Sql
let close: () => Promise<void>
const load = new PoolLoad(3)
beforeAll(async () => {
  ;({ sql, close } = await openClone({ connections: 3, load }))
})
afterAll(() => close())

const settle = () => new Promise(setImmediate)
const now = () => [load.used, load.waiting]
const sleeping = () => sql`select pg_sleep(0.2)`

it('counts queries that have a connection, and those that wait for one', async () => {
  const asked = Promise.all(Array.from({ length: 8 }, sleeping))
  await settle()
  expect(now()).toEqual([3, 5])
  await asked
  expect(now()).toEqual([0, 0])
})

it('counts a transaction once, from its beginning to its end, and none of its queries', async () => {
  const seen: number[][] = []
  await transaction(sql, async (tx) => {
    await tx`select 1`
    seen.push(now())
    const both = Promise.all([tx`select 1`, tx`select 2`])
    seen.push(now())
    await both
  })
  expect(seen).toEqual([
    [1, 0],
    [1, 0],
  ])
  expect(now()).toEqual([0, 0])
})

it('counts nothing for what is a part of another statement, or is never sent', async () => {
  const part = sql`where true`
  void sql`select 2`
  const [row] = await sql<{ one: number }[]>`select 1 as one ${part}`
  expect([row!.one, ...now()]).toEqual([1, 0, 0])
})

it('is done with what failed, and with what was lost', async () => {
  await expect(sql`select from nowhere`).rejects.toThrow('does not exist')
  await expect(transaction(sql, () => Promise.reject(new Error('undone')))).rejects.toThrow('undone')
  expect(now()).toEqual([0, 0])
  const asked = Promise.allSettled(Array.from({ length: 5 }, sleeping))
  await settle()
  sql.distrust()
  expect((await asked).map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
  expect(now()).toEqual([0, 0])
  expect((await sleeping()).count).toBe(1)
})
