import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { patience } from '../testing/database.ts'
import { leftBufferMb } from '../testing/kept-memory.ts'
import { useDatabase } from '../testing/use-service.ts'
import { connect, inLastTrip, inOneTrip, type Sql, withCommit } from './connect.ts'
import { rawRows } from './raw-rows.ts'
import { transaction } from './transaction.ts'

const cloned = useDatabase()

describe.each([
  ['prepared', true],
  ['not prepared, as behind PgBouncer', false],
])('statements that travel together, %s', (_name, prepare) => {
  let sql: Sql
  let trips: number
  beforeEach(async () => {
    sql = connect(cloned.database, { connections: 1, prepare, deadlines: patience, onTrip: () => (trips += 1) })
    await sql`create table kept (n integer unique deferrable initially deferred)`
  })
  afterEach(async () => {
    await sql`drop table kept`
    await sql.end()
  })

  const insert = (n: number) => (one: Sql) => one<{ n: number }[]>`insert into kept values (${n}) returning n`
  const count = (one: Sql) => one<{ n: number }[]>`select count(*)::integer as n from kept where n > ${0}`
  const stored = async () => [...(await sql<{ n: number }[]>`select n from kept order by n`)].map(({ n }) => n)
  /** Round trips of work whose statements are known: it was done once before. */
  const tripsOf = async (work: () => Promise<unknown>): Promise<number> => {
    await work()
    await sql`truncate kept`
    trips = 0
    await work()
    return trips
  }

  it('get each their own answer, in order, in one round trip', async () => {
    const work = () => inOneTrip(sql, insert(1), count, insert(2), count)
    expect(await tripsOf(work)).toBe(1)
    await sql`truncate kept`
    expect((await work()).map((rows) => [...rows])).toEqual([[{ n: 1 }], [{ n: 1 }], [{ n: 2 }], [{ n: 2 }]])
  })

  it('see what those before them did', async () => {
    const [, seen] = await inOneTrip(sql, insert(1), count)
    expect([...seen]).toEqual([{ n: 1 }])
  })

  it.each([0, 1, 2])('are all undone when the one at %i fails, and the connection goes on', async (at) => {
    const works = [insert(1), insert(2), insert(3)].map((work, index) =>
      index === at ? (one: Sql) => one`select 1 / ${0}::integer` : work,
    )
    for (const _ of [1, 2]) await expect(inOneTrip(sql, ...works)).rejects.toMatchObject({ code: '22012' })
    expect(await stored()).toEqual([])
    expect([...(await count(sql))]).toEqual([{ n: 0 }])
  })

  it('are undone when the commit fails that travels with them', async () => {
    const work = () => transaction(sql, (tx) => inLastTrip(tx, insert(1), insert(1)))
    for (const _ of [1, 2]) await expect(work()).rejects.toMatchObject({ code: '23505' })
    expect(await stored()).toEqual([])
  })

  it('take BEGIN with the first and COMMIT with the last', async () => {
    const both = () =>
      transaction(sql, async (tx) => {
        await tx`select ${1}::integer`
        await withCommit(tx, insert(1))
      })
    expect(await tripsOf(both)).toBe(2)
    expect(await tripsOf(() => transaction(sql, (tx) => inLastTrip(tx, insert(2), count)))).toBe(1)
    expect(await stored()).toEqual([2])
  })

  it('are not undone by what fails after the commit, and nothing is sent to the connection any more', async () => {
    const work = transaction(sql, async (tx) => {
      await withCommit(tx, insert(1))
      throw new Error('afterwards')
    })
    await expect(work).rejects.toThrow('afterwards')
    const late = transaction(sql, async (tx) => {
      await withCommit(tx, insert(2))
      await insert(3)(tx)
    })
    await expect(late).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
    expect(await stored()).toEqual([1, 2])
  })

  it('roll back what came before when the last one fails', async () => {
    const work = transaction(sql, async (tx) => {
      await insert(1)(tx)
      await withCommit(tx, (one) => one`select 1 / ${0}::integer`)
    })
    await expect(work).rejects.toMatchObject({ code: '22012' })
    expect(await stored()).toEqual([])
  })

  it('send nothing when one of the works fails before it sends', async () => {
    const failing = () => Promise.reject(new Error('no statement'))
    await expect(inOneTrip(sql, insert(1), failing)).rejects.toThrow('no statement')
    expect(await stored()).toEqual([])
  })

  it('are refused when a work sends none', async () => {
    await expect(inOneTrip(sql, insert(1), () => Promise.resolve())).rejects.toThrow('sent no statement')
    expect(await stored()).toEqual([])
  })

  it('may each take as long as one statement may', async () => {
    const deadlines = { queue: 4000, query: 1000 }
    const hasty = connect(cloned.database, { connections: 1, prepare, deadlines })
    await hasty`select 1`
    const pause = (one: Sql) => one`select pg_sleep(${0.4})`
    await transaction(hasty, (tx) => inLastTrip(tx, pause, pause, pause, insert(1)))
    await hasty.end()
    expect(await stored()).toEqual([1])
  })

  it('settle when the work fails while its first statement waits for a connection', async () => {
    const small = connect(cloned.database, { connections: 1, prepare, deadlines: { queue: 300, query: 60_000 } })
    const holder = small`select pg_sleep(1)`.execute()
    const work = transaction(small, async (tx) => {
      insert(1)(tx).catch(() => undefined)
      await Promise.resolve()
      throw new Error('no more')
    })
    await expect(work).rejects.toThrow('no more')
    const both = transaction(small, (tx) => Promise.all([insert(2)(tx), insert(3)(tx)]))
    await expect(both).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
    await holder
    await small.end()
    expect(await stored()).toEqual([])
  })

  it('settle when the work fails while its commit is on the way, which is then done', async () => {
    const work = transaction(sql, async (tx) => {
      withCommit(tx, insert(1)).catch(() => undefined)
      await Promise.resolve()
      throw new Error('no more')
    })
    await expect(work).rejects.toThrow('no more')
    expect(await stored()).toEqual([1])
  })

  it('are sent one after the other when a transaction asks for several at once on a new connection', async () => {
    const fresh = connect(cloned.database, { connections: 1, prepare, deadlines: patience })
    const both = transaction(fresh, (tx) => Promise.all([insert(1)(tx), insert(2)(tx), count(tx)]))
    expect((await both).map((rows) => [...rows])).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 2 }]])
    await fresh.end()
  })

  it('keep the type that a value has where nothing else says it', async () => {
    const [row] = await sql`select ${true} as flag, ${new Date(0)} as time, ${sql.json({ a: 1 })} as json`
    expect({ ...row }).toEqual({ flag: true, time: new Date(0), json: { a: 1 } })
  })

  it('learn the types anew when a column takes larger values', async () => {
    const store = (n: number) => sql`update kept set n = ${n}`
    await store(1)
    await sql`alter table kept alter column n type bigint`
    for (const _ of [1, 2]) await store(5_000_000_000).catch(() => undefined)
    await expect(store(5_000_000_000).execute()).resolves.toBeDefined()
  })

  it('fail alone when a value has no text form, and the connection goes on', async () => {
    const wrong = (one: Sql) => one`select ${new Date(Number.NaN)}::timestamptz`
    for (const _ of [1, 2]) await expect(inOneTrip(sql, insert(1), wrong)).rejects.toThrow('Invalid time value')
    expect(await stored()).toEqual([])
  })

  it('are refused when a work sends a second one', async () => {
    const greedy = async (one: Sql) => {
      await insert(1)(one)
      await insert(2)(one)
    }
    await expect(inOneTrip(sql, greedy)).rejects.toThrow('one for each work')
    expect(await stored()).toEqual([1])
  })

  it('are transactions of nobody else: a hundred at once on three connections keep their own answers', async () => {
    const pool = connect(cloned.database, { connections: 3, prepare, deadlines: patience })
    const ask = (n: number) =>
      n % 3 === 0
        ? transaction(pool, (tx) => inLastTrip(tx, insert(n), insert(n + 1000)))
        : inOneTrip(pool, insert(n), insert(n + 1000))
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        n % 7 === 0 ? ask(n).then(() => [n, n + 1000]) : ask(n).then((all) => all.map(([row]) => row?.n)),
      ),
    )
    expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => [n, n + 1000]))
    expect(await stored()).toHaveLength(200)
    await pool.end()
  })
})

// V8 makes a function that is assigned to a property (`query.reject = () => …`) in old space, and keeps all that it sees
// until it walks through the whole heap. In the driver, such functions kept every answer.
it.each([
  ['alone', inOneTrip],
  ['in a transaction', (sql: Sql, ...works: Works) => transaction(sql, (tx) => inOneTrip(tx, ...works))],
])('answers that travelled together, %s, are collected while they are young', async (_how, ask) => {
  const sql = connect(cloned.database, { connections: 4, prepare: true, deadlines: patience })
  const large = (one: Sql) => rawRows(one`select repeat('x', 250) as text from generate_series(1, 100)`)
  const askOften = async () => {
    for (let n = 0; n < 100; n += 1) await ask(sql, large, (one) => one`select 1 as one`)
  }
  const askers = () => Promise.all(Array.from({ length: 8 }, askOften))
  await askers()
  const left: number[] = []
  for (let round = 0; round < 3; round += 1) left.push(await leftBufferMb(askers))
  // 800 answers of 27 kB in each round.
  expect(Math.max(...left)).toBeLessThan(10)
  await sql.end()
})

type Works = ((sql: Sql) => PromiseLike<unknown>)[]
