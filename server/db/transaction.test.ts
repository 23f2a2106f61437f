import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openClone, patience } from '../testing/database.ts'
import { untilWaiting } from '../testing/locks.ts'
import { connect, type Database, inOneTrip, type Sql, withCommit } from './connect.ts'
import { transaction } from './transaction.ts'

let database: Database
let sql: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ database, sql, close } = await openClone({ connections: 3 }))
  await sql`create table kept (n integer)`
})
afterAll(() => close())

/** Every so many of them run in a transaction. */
const store = async (n: number, every: number) =>
  n % every === 0
    ? await transaction(sql, (tx) => tx`insert into kept values (${n})`)
    : await sql`insert into kept values (${n})`.execute()

// A transaction that begins behind other statements in the same packets must also get its connection for itself.
// Otherwise it fails after it began, and undoes writes that others were told are done.
it('transactions and single statements beside each other are all kept, however many share a connection', async () => {
  for (let round = 0; round < 20; round += 1) {
    await sql`truncate kept`
    await Promise.all(Array.from({ length: 60 }, (_, n) => store(n, 2 + (round % 5))))
    const [open] = await sql`
      select count(*)::integer as n from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'
    `
    const other = connect(database, { connections: 1, prepare: false, deadlines: patience })
    const rows = await other`select from kept`
    await other.end()
    expect([rows.length, { ...open }]).toEqual([60, { n: 0 }])
  }
})

it.each(['is kept', 'fails'])('refuses what its work asks after its end, when it %s', async (end) => {
  await sql`truncate kept`
  let late: () => Promise<unknown> = () => Promise.resolve()
  const work = transaction(sql, async (tx) => {
    await tx`insert into kept values (1)`
    late = () => tx`insert into kept values (2)`.execute()
    if (end === 'fails') throw new Error('half-way')
  })
  await work.catch(() => undefined)
  await expect(late()).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE' })
  expect([...(await sql`select n from kept`)]).toEqual(end === 'fails' ? [] : [{ n: 1 }])
})

it('tells why it failed also when its connection was lost with it', async () => {
  const patient = connect(database, { connections: 1, prepare: true, deadlines: patience })
  const work = transaction(patient, async (tx) => {
    // The server ends it long before the pool would give it up. Otherwise the two would race on a slow machine.
    await tx`set local statement_timeout = 100`
    await tx`select pg_sleep(60)`
  })
  // Nothing was done: the server says that it ended the statement, and with it the transaction.
  await expect(work).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: 1, cause: { code: '57014' } })
  await patient.end()
})

it('runs the whole work again when the server undid a statement of it, and answers with what is kept', async () => {
  await sql`truncate kept`
  await sql`create sequence if not exists tries`
  await sql`
    create or replace function undo() returns integer language plpgsql as $$ begin
      if nextval('tries') < 3 then raise exception 'undone' using errcode = '40001'; end if;
      return 1;
    end $$
  `
  let begun = 0
  const answer = await transaction(sql, async (tx) => {
    begun += 1
    await tx`insert into kept values (${begun})`
    const [row] = await withCommit(tx, (last) => last<{ n: number }[]>`select n + 0 * undo() as n from kept`)
    return row?.n
  })
  expect([begun, answer, [...(await sql`select n from kept`)]]).toEqual([3, 3, [{ n: 3 }]])
})

it.each([
  ['alone', () => sql`with stored as (insert into kept select 5) select undo()`],
  [
    'with others',
    () =>
      inOneTrip(
        sql,
        (one) => one`insert into kept values (5)`,
        (one) => one`select undo()`,
      ),
  ],
])('sends a statement %s again when the server undid it, and keeps what it did once', async (_how, work) => {
  await sql`truncate kept`
  await sql`select setval('tries', 1, false)`
  await work()
  expect([...(await sql`select n from kept`)]).toEqual([{ n: 5 }])
})

it('sends no statement of a transaction again by itself', async () => {
  await sql`select setval('tries', 1, false)`
  let asked = 0
  await transaction(sql, async (tx) => {
    asked += 1
    await inOneTrip(tx, (one) => one`select undo()`)
  })
  expect(asked).toBe(3)
})

it('never runs again once its commit was sent and nobody knows what became of it', async () => {
  await sql`truncate kept`
  let begun = 0
  const work = transaction(sql, async (tx) => {
    begun += 1
    await tx`insert into kept values (${begun})`
    await withCommit(tx, (last) => last`select pg_terminate_backend(pg_backend_pid())`)
  })
  await expect(work).rejects.toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: undefined })
  expect(begun).toBe(1)
})

describe('where the database has other defaults', () => {
  const opened: Sql[] = []
  const open = (prepare: boolean): Sql => {
    const strange = connect(database, { connections: 2, prepare, deadlines: patience })
    opened.push(strange)
    return strange
  }
  beforeAll(async () => {
    const [{ name } = { name: '' }] = await sql<{ name: string }[]>`select current_database() as name`
    for (const setting of [
      `default_transaction_isolation = 'repeatable read'`,
      `datestyle = 'SQL, DMY'`,
      `bytea_output = 'escape'`,
    ])
      await sql.driver.unsafe(`alter database ${name} set ${setting}`)
  })
  afterAll(() => Promise.all(opened.map((strange) => strange.end())))

  it.each([
    ['prepared', true],
    ['unprepared', false],
  ])('a transaction of %s statements sees what was committed while it waited for a lock', async (_, prepare) => {
    const strange = open(prepare)
    await sql`truncate kept`
    let tell = () => undefined as void
    const isHeld = new Promise<void>((resolve) => {
      tell = resolve
    })
    const first = transaction(strange, async (tx) => {
      await tx`select pg_advisory_xact_lock(5)`
      tell()
      await untilWaiting({ deps: { sql } })
      await tx`insert into kept values (1)`
    })
    await isHeld
    const counted = await transaction(strange, async (tx) => {
      await tx`select pg_advisory_xact_lock(5)`
      return tx<{ n: number }[]>`select n from kept`
    })
    await first
    expect([...counted]).toEqual([{ n: 1 }])
  })

  it('a connection without a pooler reads dates and bytes as they are, and has that level outside transactions', async () => {
    const [row] = await open(true)`
      select '2026-03-04T05:06:07.089Z'::timestamptz as at, '\\x00ff'::bytea as bytes,
        current_setting('transaction_isolation') as level
    `
    const at = new Date('2026-03-04T05:06:07.089Z')
    expect({ ...row }).toEqual({ at, bytes: Buffer.from([0, 255]), level: 'read committed' })
  })
})
