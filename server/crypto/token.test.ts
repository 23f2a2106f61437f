import { expect, it } from 'vitest'
import { createSessionToken, digestOf, randomText } from './token.ts'

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

it('stores a token as SHA-256', () => {
  expect(digestOf('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
