import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { digestOf } from '../crypto/token.ts'
import { openClone, patience } from '../testing/database.ts'
import { openRewired } from '../testing/rewired.ts'
import { connect, type Database, type PoolOptions, type Sql } from './connect.ts'
import { retryRead } from './outage.ts'
import { findSession, maxBatchKeys } from './session-look-up.ts'

/** Few enough that other plans could look as good. */
const people = 800
const lifetimes = { expiresIn: 604_800, updateAge: 86_400, maxAge: 7_776_000, freshAge: 86_400 }

let database: Database
let killer: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ database, sql: killer, close } = await openClone({ connections: 2, prepare: false }))
  await killer`
    insert into users (id, email, name, banned)
    select 'user-' || n, n || '@example.com', 'Ann', n % 10 = 0 from generate_series(1, ${people}::int) n
  `
  await killer`
    insert into sessions (id, user_id, token_hash, expires_at)
    select 'session-' || n, 'user-' || n, sha256(convert_to('token-' || n, 'UTF8')), now() + interval '3 days'
    from generate_series(1, ${people}::int) n
  `
  await killer`analyze users, sessions`
})
afterAll(() => close())

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

interface Pool {
  readonly sql: Sql
  /** The look-ups that were sent. */
  readonly statements: string[]
  /** How often all connections were ended. */
  readonly distrusted: unknown[]
}

async function open(options: Partial<PoolOptions> = {}, at = database): Promise<Pool> {
  const statements: string[] = []
  const distrusted: unknown[] = []
  const sql = connect(at, {
    connections: 2,
    prepare: true,
    deadlines: patience,
    onStatement: (text) => text.includes('join users u') && statements.push(text),
    onDistrust: (error) => distrusted.push(error),
    ...options,
  })
  endings.push(() => sql.end({ timeout: 0 }))
  // Opens every connection and prepares the statement on each: until then it is sent as soon as it has a connection.
  await openAll(sql, options.connections ?? 2)
  for (const n of numbers(4)) await userOf(sql, n)
  statements.length = 0
  return { sql, statements, distrusted }
}

/** Nobody gives a connection back before each has one: how fast the server opens them does not matter. */
async function openAll(sql: Sql, count: number): Promise<void> {
  const held = await Promise.all(numbers(count).map(() => sql.reserve()))
  for (const connection of held) connection.release()
}

const find = (sql: Sql, n: number) => findSession(sql, digestOf(`token-${n}`), lifetimes)
const userOf = async (sql: Sql, n: number) => (await find(sql, n))?.user.id
const usersOf = (sql: Sql, list: readonly number[]) => Promise.all(list.map((n) => userOf(sql, n)))
const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, n) => from + n)
/** Unknown tokens and banned users have no session. */
const own = (list: readonly number[]) => list.map((n) => (n > people || n % 10 === 0 ? undefined : `user-${n}`))

/** Each receives the same failure, exactly once. */
async function failuresOf(sql: Sql, list: readonly number[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(list.map((n) => find(sql, n)))
  return settled.map((one) => (one.status === 'rejected' ? one.reason : one))
}

/** Sends each group as one statement, which waits until `meanwhile` is done. */
async function whileWaiting<T>(asks: readonly (() => Promise<T>)[], meanwhile: () => unknown): Promise<T[]> {
  const asked: Promise<T>[] = []
  await killer.begin(async (tx) => {
    await tx`lock table sessions in access exclusive mode`
    for (const ask of asks) {
      asked.push(ask())
      await expect.poll(async () => (await waiting()).length).toBe(asked.length)
    }
    await meanwhile()
  })
  return Promise.all(asked)
}

const waiting = () => killer<{ pid: number }[]>`
  select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
`

describe.each([true, false])('sessions that are looked for at the same time, with prepare %s', (prepare) => {
  it('are found by one statement, each by its own token; who has none is told so', async () => {
    const { sql, statements } = await open({ prepare })
    const list = [4, 7, people + 5, 20, 1, 8, 30, people + 9, 2]
    expect(await usersOf(sql, list)).toEqual(own(list))
    expect(statements).toHaveLength(1)
    const [first, second] = await Promise.all([find(sql, 11), find(sql, 12)])
    expect([first?.session.id, first?.user.email]).toEqual(['session-11', '11@example.com'])
    expect([second?.session.userId, second?.isExpired, second?.isFresh]).toEqual(['user-12', false, true])
  })

  it('are found by a bounded statement, however many they are', async () => {
    const { sql, statements } = await open({ prepare })
    const list = numbers(3 * maxBatchKeys)
    expect(await usersOf(sql, list)).toEqual(own(list))
    expect(statements).toHaveLength(3)
  })

  it('are found for each, whoever else asks when', async () => {
    const { sql, distrusted } = await open({ prepare })
    const wrong: unknown[] = []
    const live = async (start: number) => {
      for (let turn = 0; turn < 60; turn += 1) {
        const n = 1 + ((start * 97 + turn * 31) % (people + 50))
        const user = await userOf(sql, n)
        if (user !== own([n])[0]) wrong.push([n, user])
      }
    }
    await Promise.all(numbers(40).map(live))
    expect([wrong, distrusted]).toEqual([[], []])
  })
})

describe('a look-up that fails', () => {
  it('fails once for each who is in it', async () => {
    const { sql, statements } = await open()
    await killer`alter table sessions rename to gone`
    const failures = await failuresOf(sql, [1, 2, 3])
    await killer`alter table gone rename to sessions`
    expect(failures.map((error) => (error as { code?: string }).code)).toEqual(['42P01', '42P01', '42P01'])
    expect(statements).toHaveLength(1)
    expect(await usersOf(sql, [1, 2, 3])).toEqual(own([1, 2, 3]))
  })

  it('is an outage for each when the server gives it up', async () => {
    const [database] = await killer<{ name: string }[]>`select current_database() as name`
    await killer`alter database ${killer(database!.name)} set lock_timeout = 100`
    // Without its own limits, so its connections use those of the database.
    const { sql, statements } = await open({ prepare: false })
    await killer`alter database ${killer(database!.name)} reset lock_timeout`
    const failure = { failure: 'SERVICE_UNAVAILABLE', cause: { code: '55P03' }, retryAfter: 1 }
    await killer.begin(async (tx) => {
      await tx`lock table sessions in access exclusive mode`
      expect(await failuresOf(sql, [1, 2])).toMatchObject([failure, failure])
    })
    expect(statements).toHaveLength(1)
  })

  it('is asked again once for all, as reads are, when its connection was lost', async () => {
    const { sql, statements } = await open()
    const ask = () => Promise.all([1, 2, 3].map((n) => retryRead(() => userOf(sql, n))))
    const [found] = await whileWaiting([ask], async () => {
      for (const { pid } of await waiting()) await killer`select pg_terminate_backend(${pid})`
      await expect.poll(() => statements.length).toBe(2)
    })
    expect([found, statements.length]).toEqual([own([1, 2, 3]), 2])
  })
})

const foreign = Buffer.from(digestOf('token-799').toString('hex'))
const hashAt = (row: Buffer) => row.indexOf(digestOf('token-2').toString('hex'))

/** The answer with another hash in the second row. */
const exchange = (row: Buffer): Buffer[] => {
  const at = hashAt(row)
  if (at !== -1) foreign.copy(row, at)
  return [row]
}

describe('an answer to several', () => {
  it.each([
    ['has no row for one of them', (row: Buffer) => (hashAt(row) === -1 ? [row] : [])],
    ['has two rows for one of them', (row: Buffer) => (hashAt(row) === -1 ? [row] : [row, row])],
    [
      'has a row for somebody else besides',
      (row: Buffer) => (hashAt(row) === -1 ? [row] : [Buffer.from(row), ...exchange(row)]),
    ],
    ['has a row for somebody else in place of one of them', exchange],
  ])('that %s is believed for none of them', async (_what, alter) => {
    const way = await openRewired(database)
    endings.push(() => way.close())
    const { sql, statements, distrusted } = await open({}, way.database)
    way.alterRows(alter)
    const failure = { failure: 'SERVICE_UNAVAILABLE', cause: { code: 'FOREIGN_ANSWER' } }
    expect(await failuresOf(sql, [1, 2, 3])).toMatchObject([failure, failure, failure])
    await expect.poll(() => [statements.length, distrusted.length]).toEqual([1, 1])
    way.alterRows((row) => [row])
    expect(await usersOf(sql, [1, 2, 3])).toEqual(own([1, 2, 3]))
  })

  it('that is the answer to several others is believed for none of either', async () => {
    const way = await openRewired(database)
    endings.push(() => way.close())
    const { sql, statements, distrusted } = await open({}, way.database)
    const asks = [() => failuresOf(sql, [1, 2, 3]), () => failuresOf(sql, [4, 5, 6])]
    const [ones, others] = await whileWaiting(asks, () => way.cross())
    const failure = { failure: 'SERVICE_UNAVAILABLE' }
    expect([ones, others]).toMatchObject([Array(3).fill(failure), Array(3).fill(failure)])
    await expect.poll(() => [statements.length, distrusted.length > 0]).toEqual([2, true])
    expect(await usersOf(sql, numbers(6))).toEqual(own(numbers(6)))
  })
})

/** The session's user, and what was read along. */
async function userAndRead(sql: Sql, n: number, read: (one: Sql) => Promise<readonly unknown[]>) {
  let rows: readonly unknown[] = []
  const along = async (one: Sql) => void (rows = await read(one))
  const found = await findSession(sql, digestOf(`token-${n}`), lifetimes, along)
  return [found?.user.id, ...rows]
}

describe.each([true, false])('a read along with the look-up, prepared: %s', (prepare) => {
  const nameOf = (n: number) => (one: Sql) => one<{ own: string }[]>`select ${`of-${n}`}::text as own`

  it('travels with it, and each gets what was asked for them, as many at once as there are connections', async () => {
    let trips = 0
    const { sql } = await open({ connections: 9, prepare, onTrip: () => (trips += 1) })
    // The first statement of a text is prepared in a trip of its own.
    for (const _ of numbers(2)) await Promise.all(numbers(9).map((n) => userAndRead(sql, n, nameOf(n))))
    trips = 0
    const list = numbers(9, 4)
    const found = await Promise.all(list.map((n) => userAndRead(sql, n, nameOf(n))))
    expect(found).toEqual(list.map((n) => [own([n])[0], { own: `of-${n}` }]))
    expect(trips).toBe(9)
  })

  it('is left out for the others, whose look-ups share a statement', async () => {
    const { sql, statements } = await open({ connections: 2, prepare })
    const list = numbers(30)
    const found = await Promise.all(list.map((n) => userAndRead(sql, n, nameOf(n))))
    expect(found.map(([user]) => user)).toEqual(own(list))
    expect(found.flatMap((each) => each.slice(1))).toEqual([{ own: 'of-1' }, { own: 'of-2' }])
    expect(statements).toHaveLength(3)
    // Later it travels again.
    expect(await userAndRead(sql, 3, nameOf(3))).toEqual(['user-3', { own: 'of-3' }])
  })

  it('fails with it, and takes nothing from those after it', async () => {
    const { sql } = await open({ prepare })
    const divide = (one: Sql) => one`select 1 / ${0}::integer`
    for (const _ of [1, 2]) await expect(userAndRead(sql, 1, divide)).rejects.toMatchObject({ code: '22012' })
    expect(await userAndRead(sql, 2, nameOf(2))).toEqual(['user-2', { own: 'of-2' }])
  })

  it('is not given to anybody when the session is somebody else’s', async () => {
    const way = await openRewired(database)
    endings.push(() => way.close())
    const { sql, distrusted } = await open({ prepare }, way.database)
    way.alterRows(exchange)
    const failure = { cause: { code: 'FOREIGN_ANSWER' } }
    await expect(userAndRead(sql, 2, nameOf(2))).rejects.toMatchObject(failure)
    await expect.poll(() => distrusted.length).toBe(1)
    // When both parts are somebody else's, the connections that replaced the old ones stay.
    const foreign = async (one: Sql) => {
      await nameOf(2)(one)
      throw one.distrust()
    }
    await expect(userAndRead(sql, 2, foreign)).rejects.toMatchObject(failure)
    await expect.poll(() => distrusted.length).toBe(2)
  })
})

interface Node {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Node[]
}

const scansOf = (node: Node): string[] => [
  ...(node['Node Type'].includes('Scan') && node['Node Type'] !== 'Function Scan'
    ? [`${node['Node Type']} ${node['Index Name']}`]
    : []),
  ...(node.Plans ?? []).flatMap(scansOf),
]

describe('the plan of a look-up', () => {
  it.each(['force_generic_plan', 'force_custom_plan'])(
    'reads indexes and nothing else, however many it is for: %s',
    async (mode) => {
      const { sql, statements } = await open({ connections: 1 })
      await userOf(sql, 1)
      await sql.unsafe(`prepare looked (text) as ${statements[0]}`)
      await sql.unsafe(`set plan_cache_mode = ${mode}`)
      for (const count of [1, 2, maxBatchKeys]) {
        const hashes = numbers(count).map((n) => digestOf(`token-${n}`).toString('hex'))
        const [row] = await sql.unsafe(`explain (format json) execute looked ('${hashes.join()}')`)
        expect(scansOf(row?.['QUERY PLAN'][0].Plan)).toEqual([
          'Index Scan sessions_token_hash_key',
          'Index Scan users_pkey',
          // For a machine: the member responsible for it.
          'Index Scan members_organization_id_user_id_key',
          'Index Scan users_pkey',
          // For a session with an active organization.
          'Index Scan members_organization_id_user_id_key',
          'Index Scan organizations_pkey',
        ])
      }
    },
  )

  it('is kept by the server, and not made anew for each', async () => {
    const { sql } = await open({ connections: 1 })
    for (const count of numbers(maxBatchKeys)) await usersOf(sql, numbers(count))
    const [made] = await sql`
      select custom_plans::int as custom, generic_plans::int as kept
      from pg_prepared_statements where statement like ${'%join users u%'}
    `
    // The server decides after the first five. Four were used to open the pool.
    expect(made?.custom).toBe(5)
    // More on a machine that stands still: a batch closes after a tenth of a second.
    expect(made?.kept).toBeGreaterThanOrEqual(maxBatchKeys + 4 - 5)
  })
})
