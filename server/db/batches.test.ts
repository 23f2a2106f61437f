import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClone } from '../testing/database.ts'
import { connect, type Database, type Sql } from './connect.ts'
import { type Batch, LookUpBatcher, maxBatchKeys } from './session-look-up.ts'

let database: Database
let killer: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ database, sql: killer, close } = await openClone())
})
afterAll(() => close())

const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `key-${n}`)

/**
 * Look-ups for which the database returns what each statement asked for. With a short join time no other key can join.
 */
async function open(connections = 2, joinTime = Number.POSITIVE_INFINITY) {
  const sql = connect(database, { connections, prepare: true, deadlines: { queue: 20_000, query: 20_000 } })
  await Promise.all(names(connections).map(() => sql`select pg_sleep(0.01)`))
  const asked: string[][] = []
  const ask = async (batch: Batch) => {
    const [row] = await sql<{ keys: string[] }[]>`select string_to_array(${batch as unknown as string}, ',') as keys`
    asked.push(row?.keys ?? [])
    return row?.keys
  }
  const batches = new LookUpBatcher(ask, joinTime)
  // Until each connection has prepared the statement, its text is serialised as soon as it has a connection.
  for (const key of names(connections)) await batches.join(key)
  asked.length = 0
  return { sql, asked, batches }
}

/** Keeps a connection busy until released. */
async function occupy(sql: Sql): Promise<() => Promise<void>> {
  const [lock] = await killer<{ id: number }[]>`select (random() * 1e9)::int as id`
  await killer`select pg_advisory_lock(${lock!.id})`
  const waiting = sql`select pg_advisory_xact_lock(${lock!.id})`.execute()
  const isWaiting = async () =>
    (await killer`select from pg_locks where locktype = 'advisory' and objid = ${lock!.id} and not granted`).length
  await expect.poll(isWaiting).toBe(1)
  return async () => {
    await killer`select pg_advisory_unlock(${lock!.id})`
    await waiting
  }
}

it('asks for the first at once, and with one statement for those who come in the same turn', async () => {
  const { sql, asked, batches } = await open()
  const keys = names(5)
  const joined: Promise<unknown>[] = []
  // Like requests, which are read one after the other: all look-ups of one come before those of the next.
  for (const key of [...keys, ...keys.slice(1)]) {
    joined.push(batches.join(key))
    for (let n = 0; n < 20; n += 1) await Promise.resolve()
  }
  expect(new Set(await Promise.all(joined)).size).toBe(2)
  expect(asked.toSorted((one, other) => one.length - other.length)).toEqual([['key-0'], keys.slice(1)])
  await sql.end()
})

it('asks for no more than its measure at once', async () => {
  const { sql, asked, batches } = await open()
  const keys = names(2 * maxBatchKeys + 3)
  const got = await Promise.all(keys.map((key) => batches.join(key)))
  expect(asked.map((part) => part.length).toSorted((a, b) => b - a)).toEqual([maxBatchKeys, maxBatchKeys, 3])
  expect(asked.flat().toSorted()).toEqual(keys.toSorted())
  expect(got.every((part, index) => part?.includes(keys[index]!))).toBe(true)
  await sql.end()
})

it('takes in whoever comes while every connection is busy, and nobody who comes later', async () => {
  const { sql, asked, batches } = await open(1)
  const release = await occupy(sql)
  const early: Promise<unknown>[] = []
  for (const key of names(4)) {
    early.push(batches.join(key))
    await turn()
  }
  expect(asked).toEqual([])
  await release()
  await Promise.all(early)
  await batches.join('late')
  expect(asked).toEqual([names(4), ['late']])
  await sql.end()
})

it('lets nobody join a statement that has waited for long: it would be given up with the first', async () => {
  const { sql, asked, batches } = await open(1, 0)
  const release = await occupy(sql)
  const both = [batches.join('first')]
  await turn()
  both.push(batches.join('second'))
  await release()
  await Promise.all(both)
  expect(asked).toEqual([['first'], ['second']])
  await sql.end()
})

it('waits for no answer while a connection is free', async () => {
  const { sql, asked, batches } = await open(2)
  const release = await occupy(sql)
  await batches.join('meanwhile')
  expect(asked).toEqual([['meanwhile']])
  await release()
  await sql.end()
})

it('fails for everybody who is in it, and asks anew for who comes next', async () => {
  let asks = 0
  const down = new Error('down')
  // As if no connection were available, so that the text is never serialised.
  const batches = new LookUpBatcher((batch: Batch) => {
    asks += 1
    return asks === 1 ? Promise.reject(down) : Promise.resolve([...batch.keys])
  }, Number.POSITIVE_INFINITY)
  const settled = await Promise.allSettled(names(3).map((key) => batches.join(key)))
  expect(settled).toEqual(names(3).map(() => ({ status: 'rejected', reason: down })))
  expect([await batches.join('next'), asks]).toEqual([['next'], 2])
})
