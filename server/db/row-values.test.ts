import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClone, patience } from '../testing/database.ts'
import { connect, type Database, type Sql } from './connect.ts'

let database: Database
let sql: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ database, sql, close } = await openClone())
})
afterAll(() => close())

/** Around the lengths at which the driver decodes another way, of characters of one to four bytes. */
const lengths = [0, 1, 2, 12, 13, 31, 32, 63, 64, 127, 128, 129, 255, 256, 1023, 1024, 4095, 4096, 4097, 70_000]
const texts = ['a', 'é', '中', '🐘', '\u{7f}', '\u{80}', '"\\\n'].flatMap((character) =>
  lengths.flatMap((length) => [character.repeat(length), `${'a'.repeat(length)}${character}`]),
)
const when = new Date('2026-11-26T12:45:10.123Z')

it('reads each value of a row as it was written, whatever stands beside it', async () => {
  for (const text of texts) {
    const beside = { plain: 'Ann', none: null, roles: ['owner', `${text.slice(0, 200)},é`], size: 128, is: true, when }
    const [row] = await sql`
      select ${text}::text as text, 'Ann' as plain, null as none, ${beside.roles}::text[] as roles, 128 as size,
        true as is, ${when}::timestamptz as when, ${sql.json({ text })} as json, ${text}::text as again
    `
    expect(row).toEqual({ text, ...beside, json: { text }, again: text })
  }
})

it('knows the lists of its own types in both directions, and asks no server for them', async () => {
  let trips = 0
  const fresh = connect(database, { connections: 1, prepare: true, deadlines: patience, onTrip: () => (trips += 1) })
  const bytes = Buffer.from([1, 255])
  const [row] = await fresh`
    select array[true, false] as flags, array[1, 2] as numbers, array[0.5::float8] as shares, array[${when}::timestamptz] as moments,
      array['a'::varchar] as names, array['{"a":[1]}'::jsonb] as objects, ${[bytes]}::bytea[] as bytes,
      ${[1, 2]}::integer[] = '{1,2}' as is_same
  `
  const objects = [{ a: [1] }]
  const lists = {
    flags: [true, false],
    numbers: [1, 2],
    shares: [0.5],
    moments: [when],
    names: ['a'],
    objects,
    bytes: [bytes],
  }
  // One to learn the types of the parameters, which is not counted, and one for the answer.
  expect([row, trips]).toEqual([{ ...lists, isSame: true }, 1])
  await fresh.end()
})

it('tells the elements of a list that are null from those with that text', async () => {
  const list = [null, 'NULL', 'null', 'a', null, '', 'b c', null]
  expect(await sql`select ${list}::text[] as list, '{{NULL,1},{2,NULL}}'::integer[] as numbers`).toEqual([
    {
      list,
      numbers: [
        [null, 1],
        [2, null],
      ],
    },
  ])
})

it('reads rows that come in many pieces', async () => {
  const rows = await sql<{ n: number; text: string }[]>`
    select n, repeat('né', n % 700) as text, null as none from generate_series(1, ${5000}::integer) n
  `
  expect(rows.map(({ n, text }) => [n, text.length])).toEqual(
    Array.from({ length: 5000 }, (_, index) => [index + 1, 2 * ((index + 1) % 700)]),
  )
  expect(rows[699 + 350]?.text).toBe('né'.repeat(350))
})
