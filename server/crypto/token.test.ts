import { expect, it } from 'vitest'
import {
  createDeleteToken,
  createResetToken,
  createSessionToken,
  digestOf,
  parseUserCode,
  randomText,
} from './token.ts'

it('makes tokens of 256 bits, each of its own', () => {
  const tokens = new Set(Array.from({ length: 1000 }, createSessionToken))
  expect(tokens.size).toBe(1000)
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9]{43}$/)
})

it('favours no letter', () => {
  const counts = new Map<string, number>()
  for (const letter of randomText(620_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect(counts.size).toBe(62)
  // 10,000 expected each; the standard deviation is about 100. Taking bytes modulo 62 would give eight letters 12,100.
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(800)
})

/** How far the letters of a text are from equally frequent. About the number of letters when they are. */
function chiSquare(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  const expected = text.length / counts.size
  return [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

it.each([
  // These bounds are exceeded by chance once in a million runs. Bytes modulo 62 would give about 17,000.
  ['reset a password', createResetToken, /^[A-Za-z0-9]{24}$/, 126],
  ['delete a user', createDeleteToken, /^[a-z0-9]{32}$/, 87],
] as const)(
  'makes tokens that %s without a favourite letter, over a million of them',
  (_what, create, shape, bound) => {
    const tokens = Array.from({ length: Math.ceil(1_000_000 / create().length) }, create)
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(tokens.every((token) => shape.test(token))).toBe(true)
    expect(chiSquare(tokens.join(''))).toBeLessThan(bound)
  },
)

it('reads a user code with few signs around it, and does not even normalise a long text', () => {
  expect(parseUserCode(` “bcdf–ｇhjk” ${' '.repeat(50)}`)).toBe('BCDFGHJK')
  expect(parseUserCode(`BCDF-GHJK${' '.repeat(56)}`)).toBeNull()
})

it('stores a token as SHA-256', () => {
  expect(digestOf('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
