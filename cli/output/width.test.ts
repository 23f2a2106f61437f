import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { displayWidth, truncateEnd, truncateStart, wrapText } from './width.ts'

test.each([
  ['abc', 3],
  ['日本', 4],
  ['e\u0301', 1],
  ['👩‍👩‍👧', 2],
  ['', 0],
])('%s takes %i columns', (text, columns) => expect(displayWidth(text)).toBe(columns))

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['a👩‍👩‍👧b', 3, 'a…'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
  ['', 0, ''],
])('%s in %i columns is %s', (text, columns, expected) => expect(truncateEnd(text, columns)).toBe(expected))

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, '…cdef'],
  ['日本語', 5, '…本語'],
  ['日本語', 4, '…語'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
])('the end of %s in %i columns is %s', (text, columns, expected) =>
  expect(truncateStart(text, columns)).toBe(expected),
)

test('no text is ever wider than its room, and no grapheme is broken', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 0, max: 30 }), (text, columns) => {
      const cut = truncateEnd(text, columns)
      expect(displayWidth(cut)).toBeLessThanOrEqual(columns)
      const whole = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
      const kept =
        cut === text ? whole : [...new Intl.Segmenter().segment(cut.replace(/…$/, ''))].map(({ segment }) => segment)
      expect(whole.slice(0, kept.length)).toEqual(kept)
    }),
  )
})

test.each([1, 0, -1])('a text is broken in a window of %i columns too, and its characters stay', (columns) => {
  expect(wrapText('日本 ab', columns).join('').replaceAll(' ', '')).toBe('日本ab')
})

test('of a long text without spaces, what is read for a line does not grow with the text', () => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment')
  const readFor = (text: string) => {
    segment.mockClear()
    expect(wrapText(text, 40).join('')).toBe(text)
    return segment.mock.calls.reduce((sum, [read]) => sum + read.length, 0)
  }
  const [short, long] = [readFor('é'.repeat(4000)), readFor('é'.repeat(16_000))]
  segment.mockRestore()
  expect(long).toBeLessThan(5 * short)
})
