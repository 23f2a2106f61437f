import { expect, it } from 'vitest'
import { rememberVerified } from './verified-texts.ts'

/** Reads only what is genuine, and notes what it was asked. */
function remembering(capacity: number) {
  const asked: string[] = []
  const read = rememberVerified(capacity, (text) => {
    asked.push(text)
    return text.startsWith('genuine') ? { text } : null
  })
  return { asked, read }
}

it('reads a genuine text once', () => {
  const { asked, read } = remembering(10)
  const first = read('genuine')
  expect(first).toEqual({ text: 'genuine' })
  expect(read('genuine')).toBe(first)
  expect(asked).toEqual(['genuine'])
})

it('remembers nothing forged, which displaces nothing', () => {
  const { asked, read } = remembering(2)
  read('genuine')
  for (let n = 0; n < 10; n += 1) for (const time of [1, 2]) expect([time, read(`forged ${n}`)]).toEqual([time, null])
  expect(asked.length).toBe(21)
  read('genuine')
  expect(asked.length).toBe(21)
})

it('remembers the last ones, twice as many as it has room for at most, and what is in use', () => {
  const { asked, read } = remembering(3)
  const texts = Array.from({ length: 100 }, (_, n) => `genuine ${n}`)
  for (const text of texts) for (const used of ['genuine', text]) read(used)
  expect(asked.filter((text) => text === 'genuine').length).toBe(1)
  asked.length = 0
  for (const text of texts.toReversed()) read(text)
  const remembered = texts.length - asked.length
  expect(remembered).toBeGreaterThanOrEqual(2)
  expect(remembered).toBeLessThanOrEqual(6)
  expect(asked).not.toContain('genuine 99')
})
