import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { date, roleNames } from '../../shared/entities.ts'
import { Organization } from '../../shared/organization.ts'
import { encoderOf } from '../http/encoder.ts'
import { EncodedAnswer } from '../request/encoded-answer.ts'
import { openClone } from '../testing/database.ts'
import type { Sql } from './connect.ts'
import { rawRows } from './raw-rows.ts'

let sql: Sql
let close: () => Promise<void>
beforeAll(async () => {
  ;({ sql, close } = await openClone())
})
afterAll(() => close())

const Row = z.object({
  text: z.string().nullable(),
  roles: roleNames.nullable(),
  list: z.array(z.string()).nullable(),
  when: date.nullable(),
  local: date.nullable(),
  is: z.boolean().nullable(),
  count: z.number().nullable(),
  ratio: z.number().nullable(),
  json: z.record(z.string(), z.unknown()).nullable(),
  kind: z.enum(['one', 'two']).optional(),
  absent: z.string().optional(),
})

/** Hostile to JSON, to lists of PostgreSQL, and to UTF-8. PostgreSQL has no NUL and no half of a pair. */
const character = fc.oneof(
  fc.constantFrom(...Array.from('"\\/{},\'\n\t \u{1}\u{1f}\u{7f}\u{80}éß中🐘\u2028\ufeff')),
  fc.constantFrom('NULL', 'null', '{}', '\\"', '__proto__'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }).map((text) => text.replaceAll('\0', '0')),
)
const text = fc.oneof(
  fc.array(character, { maxLength: 8 }).map((all) => all.join('')),
  fc.tuple(character, fc.constantFrom(127, 4096, 70_000)).map(([one, count]) => `${'a'.repeat(count)}${one}`),
)
const word = fc.constantFrom('owner', 'admin', 'member', 'é', '')
const element = fc.option(fc.oneof(word, text), { nil: null, freq: 8 })
const list = fc.array(element, { maxLength: 4 })
/** From the year 1 on to what neither ISO 8601 nor PostgreSQL write with four digits. */
const instant = fc.oneof(
  fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
  fc.date({ min: new Date('0001-01-03T00:00:00Z'), max: new Date('9999-12-30'), noInvalidDate: true }),
  fc.constantFrom(new Date('2026-11-26'), new Date('2026-11-26T12:00:00.5Z'), new Date('9999-12-31T23:59:59.999Z')),
)
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 4 })
const rowOf = fc.record({
  text: orNull(text),
  roles: orNull(list),
  list: orNull(list),
  when: orNull(instant),
  microseconds: fc.integer({ min: 0, max: 999 }),
  is: orNull(fc.boolean()),
  count: orNull(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  ratio: orNull(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(1e21, 1e-7, -0))),
  json: orNull(
    fc.dictionary(
      text.filter((key) => key.length < 99),
      fc.oneof(text, fc.integer(), list, fc.constant(null)),
    ),
  ),
  kind: fc.constantFrom('one', 'two'),
})
type Values = typeof rowOf extends fc.Arbitrary<infer V> ? V : never

const selected = (values: Values) => sql`
  select 'secret' as password, ${values.text}::text as text, ${values.roles}::text[] as roles, ${values.list}::text[] as list,
    ${values.when}::timestamptz + make_interval(secs => ${values.microseconds}::float8 / 1000000) as when,
    (${values.when}::timestamptz at time zone 'UTC') as local, ${values.is}::boolean as is, ${values.count}::integer as count,
    ${values.ratio}::float8 as ratio, ${values.json === null ? null : sql.json(values.json)}::jsonb as json,
    ${values.kind}::text as kind
`
/** The answer, or what is wrong with a value: a date that JavaScript cannot read. */
function encoded(schema: z.ZodType, value: unknown): string {
  try {
    const answer = encoderOf(z.array(schema))(value)
    return answer instanceof EncodedAnswer ? answer.json : JSON.stringify(answer)
  } catch (error) {
    return String(error)
  }
}

/** The answers with the rows read, and with them passed on. */
async function bothAnswers(schema: z.ZodType, select: () => ReturnType<typeof selected>): Promise<readonly string[]> {
  const read = encoded(schema, [...(await select())])
  return [read, encoded(schema, await rawRows(select()))]
}

describe.each(['UTC', 'Asia/Kolkata', 'Europe/London'])('rows that are passed on, with a server in %s', (zone) => {
  beforeAll(() => sql`select set_config('timezone', ${zone}, false)`)

  it('are answered byte for byte as if they had been read', async () => {
    const property = fc.asyncProperty(rowOf, async (values) => {
      const [read, passed = ''] = await bothAnswers(Row, () => selected(values))
      expect(passed).toBe(read)
      const isError = !passed.startsWith('[')
      expect(isError ? [values] : JSON.parse(passed)).toMatchObject([{ list: values.list }])
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it.each([
    '0001-01-01',
    '0044-03-15 BC',
    '0099-12-31',
    '1000-01-01',
    '12026-11-26 01:02:03.4',
    '9999-12-31 23:59:59.999999',
  ])('are dates like any other of %s', async (when) => {
    const [read, passed] = await bothAnswers(
      z.object({ when: date }),
      () => sql`select ${when}::text::timestamptz as when`,
    )
    expect(passed).toBe(read)
  })
})

it('are as many as there are, none, or those of a page', async () => {
  const many = (count: number) => sql<{ n: number; text: string }[]>`
    select n, repeat('né"', n) as text from generate_series(1, ${count}::integer) n
  `
  const schema = z.object({ n: z.number(), text: z.string() })
  expect(encoded(schema, await rawRows(many(0)))).toBe('[]')
  const rows = await rawRows(many(2000))
  expect(encoded(schema, rows)).toBe(JSON.stringify([...(await many(2000))]))
  expect(encoded(schema, rows.slice(1, 3))).toBe('[{"n":2,"text":"né\\"né\\""},{"n":3,"text":"né\\"né\\"né\\""}]')
  expect([rows.length, rows.last('n'), rows.map(({ n }) => n).length]).toEqual([2000, 2000, 2000])
  expect(
    encoded(
      z.object({ n: z.number() }),
      rows.filter(({ n }) => n % 1000 === 0),
    ),
  ).toBe('[{"n":1000},{"n":2000}]')
})

it('have no other field than those of the answer', async () => {
  const rows = await rawRows(sql<{ n: number }[]>`select 'hunter2' as password, 1 as n`)
  expect(encoded(z.object({ n: z.number() }), rows)).toBe('[{"n":1}]')
  expect(encoded(z.object({ other: z.string().optional() }), rows)).toBe('[{}]')
})

it('have the own fields of a service, and the last value of a name', async () => {
  const select = () => sql`
    select 'a' as id, 'Name' as name, 'slug' as slug, null as logo, '{"a": 1.0, "2": null}'::jsonb as metadata,
      '2026-11-26 12:00Z'::timestamptz as created_at, '{"plan": "\\"free\\"", "seats": 3, "hidden": true}'::jsonb as fields, 'b' as id
  `
  const answered = { user: [], organization: ['plan', 'seats', 'missing'], hasTeams: true }
  const encode = encoderOf(z.array(Organization), answered)
  const read = JSON.stringify(encode([...(await select())]))
  const passed = encode(await rawRows(select()))
  expect((passed as EncodedAnswer<unknown>).json).toBe(read)
  expect(JSON.parse(read)).toMatchObject([{ id: 'b', plan: '"free"', seats: 3, missing: null }])
})
