import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

const keysOf = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : [...Object.getOwnPropertyNames(value), ...Object.values(value).flatMap(keysOf)]

test.each([
  ['{"__proto__":{"admin":true},"a":1}'],
  ['{"a":1,"constructor":{"prototype":{"admin":true}}}'],
  ['{"a":1,"constructor":"text","prototype":[]}'],
  ['{"\\u005f_proto__":{"admin":true},"a":1}'],
  ['{"const\\u0072uctor":{"prototype":{"admin":true}},"a":1}'],
])('keys that reach a prototype are dropped: %s', (text) => {
  const value = parseJson(text) as object
  expect(Object.getOwnPropertyNames(value)).toEqual(['a'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test('they are dropped at every depth, also inside lists', () => {
  const value = parseJson('{"list":[{"deep":{"__proto__":{"x":1},"prototype":1,"constructor":2,"kept":3}}]}')
  expect(value).toEqual({ list: [{ deep: { kept: 3 } }] })
})

test('any JSON comes back as it was, without those keys', () => {
  const hostile = fc.constantFrom('__proto__', 'constructor', 'prototype', 'name')
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      fc.string(),
      fc.integer(),
      fc.array(tie('node')),
      fc.dictionary(hostile, tie('node')),
    ),
  })).node
  fc.assert(
    fc.property(tree, (value) => {
      const keys = keysOf(parseJson(JSON.stringify(value)))
      expect(keys.filter((key) => ['__proto__', 'constructor', 'prototype'].includes(key))).toEqual([])
    }),
  )
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      fc.pre(!keysOf(value).some((key) => ['__proto__', 'constructor', 'prototype'].includes(key)))
      expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('nesting is read to depth 50 and refused beyond', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(parseJson(nested(50))).toEqual(JSON.parse(nested(50)))
  expect(() => parseJson(nested(51))).toThrow(SyntaxError)
  expect(() => parseJson(nested(200_000))).toThrow(SyntaxError)
})

test('text that is not JSON is a SyntaxError', () => {
  expect(() => parseJson('<html>')).toThrow(SyntaxError)
  expect(() => parseJson('')).toThrow(SyntaxError)
})
