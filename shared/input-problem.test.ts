import { expect, test } from 'vitest'
import * as z from 'zod'
import { expectations, maxProblems, problemsIn } from './input-problem.ts'

const told = (schema: z.ZodType, input: unknown) =>
  problemsIn(schema.safeParse(input, expectations).error?.issues ?? [], input).map(({ path, message }) => [
    path,
    message,
  ])

const text = z.string()
const inner = z.object({ slug: z.string().regex(/^a+$/, 'only a'), count: z.int().min(3).optional() })

test.each<[string, z.ZodType, unknown, string[][]]>([
  ['a field that is missing', z.object({ email: text }), {}, [['email', 'Missing, expected a text']]],
  ['a field of another type', z.object({ email: text }), { email: 1 }, [['email', 'Expected a text']]],
  ['null', z.object({ on: z.boolean() }), { on: null }, [['on', 'Expected true or false']]],
  ['the whole', z.object({}), [], [['', 'Expected an object']]],
  ['one of a few', z.object({ a: z.enum(['x', 'y']) }), { a: 'z' }, [['a', 'Expected one of x, y']]],
  ['the only one', z.object({ a: z.literal('x') }), { a: 'z' }, [['a', 'Expected x']]],
  ['too short a text', z.object({ a: text.min(1) }), { a: '' }, [['a', 'Expected at least 1 character']]],
  ['too long a text', z.object({ a: text.max(2) }), { a: 'abc' }, [['a', 'Expected at most 2 characters']]],
  ['too small a number', z.object({ a: z.int().min(3) }), { a: 1 }, [['a', 'Expected at least 3']]],
  ['half a number', z.object({ a: z.int() }), { a: 1.5 }, [['a', 'Expected a whole number']]],
  ['too long a list', z.object({ a: z.array(text).max(1) }), { a: ['x', 'y'] }, [['a', 'Expected at most 1 entry']]],
  ['an entry of a list', z.object({ a: z.array(text) }), { a: ['x', 1] }, [['a.1', 'Expected a text']]],
  ['a field within', z.object({ data: inner }), { data: { slug: 'b' } }, [['data.slug', 'Expected only a']]],
  [
    'a date',
    z.object({ a: z.iso.datetime() }),
    { a: 'x' },
    [['a', 'Expected a date and time, like 2026-01-31T12:00:00Z']],
  ],
  ['either', z.object({ a: z.union([text, z.array(text)]) }), { a: 1 }, [['a', 'Expected a text or a list']]],
  ['what was meant', z.object({ a: z.union([text, z.array(text)]) }), { a: ['x', 1] }, [['a.1', 'Expected a text']]],
  [
    'either in its own words',
    z.union([text, z.null()], 'a text, or nothing'),
    1,
    [['', 'Expected a text, or nothing']],
  ],
  ['an unnamed rule', z.object({ a: text.refine(() => false) }), { a: 'x' }, [['a', 'Expected something else']]],
  [
    'two fields',
    z.object({ a: text, b: text }),
    {},
    [
      ['a', 'Missing, expected a text'],
      ['b', 'Missing, expected a text'],
    ],
  ],
])('%s is told', (_, schema, input, expected) => expect(told(schema, input)).toEqual(expected))

test('what was sent is in no problem, a name that is none included', () => {
  const secret = 'correct horse battery staple'
  const schema = z.object({
    password: z.number(),
    kind: z.enum(['a']),
    map: z.record(z.string().max(3), text),
    either: z.union([z.number(), z.object({ a: z.number() })]),
  })
  const input = { password: secret, kind: secret, map: { [secret]: 1, ['x'.repeat(43)]: 1 }, either: { a: secret } }
  const problems = told(schema, input)
  expect(problems.map(([path]) => path)).toEqual(['password', 'kind', 'map.…', 'map.…', 'either.a'])
  expect(JSON.stringify(problems)).not.toMatch(/horse|xxxx/)
})

test('no more are told than a person reads', () => {
  expect(told(z.object({ a: z.array(text) }), { a: Array(200).fill(1) })).toHaveLength(maxProblems)
})
