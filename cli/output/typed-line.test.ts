import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineEdits } from './typed-line.ts'

const signs = [
  'a',
  'é',
  '👍',
  '-',
  ' ',
  '\t',
  '\n',
  '\u00a0',
  '\u2003',
  '\u2028',
  '\u3000',
  '\ufeff',
  '\u200b',
  '\ud83d',
]
const texts = fc.string({ unit: fc.constantFrom(...signs), maxLength: 12 })

test('the word on the left of the cursor is what is not blank, with the blanks after it', () => {
  fc.assert(
    fc.property(texts, fc.nat(12), (text, place) => {
      const at = Math.min(place, text.length)
      const left = text.slice(0, at).replace(/\S*\s*$/, '')
      expect(lineEdits['line-word-left']({ text, at })).toEqual({ text, at: left.length })
      expect(lineEdits['erase-word']({ text, at })).toEqual({ text: left + text.slice(at), at: left.length })
    }),
  )
})

test.each([
  ['one word', '', 'a'.repeat(100_000)],
  ['blanks', '', ' '.repeat(100_000)],
  ['a word and another', `${'a'.repeat(100_000)} `, 'b'],
  ['blanks and a word', ' '.repeat(100_000), 'b'],
  ['many words', 'ab '.repeat(40_000), 'ab   '],
])('a long text does not keep anybody waiting for its last word: %s', (_, start, word) => {
  const line = { text: start + word, at: start.length + word.length }
  expect(lineEdits['line-word-left'](line).at).toBe(start.length)
  expect(lineEdits['erase-word'](line).text === start).toBe(true)
})
