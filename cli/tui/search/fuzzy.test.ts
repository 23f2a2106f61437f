import fc from 'fast-check'
import { single } from 'fuzzysort'
import { expect, test } from 'vitest'
import { isGood, matchedLetters, mayMatch, piecesOf, scoreOf, searchedText } from './fuzzy.ts'

test.each([
  ['adlov', 'Ada Lovelace', true],
  ['muller', 'Jürgen Müller', true],
  ['lov ada', 'Ada Lovelace', true],
  ['ghopper', 'grace@hopper.dev', true],
  ['CE', 'Ada Lovelace', true],
  ['e', 'a text of some length, with this letter far down in it: e', true],
  ['tim', 'Katherine Johnson team', false],
  ['ada eve', 'Ada Lovelace', false],
  ['.*', 'Ada Lovelace', false],
])('%j is a good match in %j: %j', (typed, text, expected) =>
  expect(isGood(scoreOf(searchedText(typed), searchedText(text)) ?? 0)).toBe(expected),
)

const may = (typed: string, text: string) => mayMatch(searchedText(typed), searchedText(text))

const marked = (typed: string, line: string) =>
  piecesOf(line, matchedLetters(typed, line))
    .map(({ text, isMatched }) => (isMatched ? `[${text}]` : text))
    .join('')

test.each([
  ['ada', 'Ada Lovelace  ada@example.com', '[Ada] Lovelace  [ada]@example.com'],
  ['adlov', 'Ada Lovelace  ada@example.com', '[Ad]a [Lov]elace  ada@example.com'],
  ['lace ada', 'Ada Lovelace', '[Ada] Love[lace]'],
  ['a.b', 'aXb a.b', 'aXb [a.b]'],
  ['x', '👩‍👩‍👧 x', '👩‍👩‍👧 [x]'],
  ['e', 'e\u0301a e', '[e\u0301]a [e]'],
  ['', 'Ada', 'Ada'],
  ['nothing', 'Ada', 'Ada'],
])('%j marks in %j', (typed, line, expected) => expect(marked(typed, line)).toBe(expected))

test('the quick look at the letters never hides a match', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'e', 'é', 'Ü', ' ', '.', '@', '1'), maxLength: 12 })
  fc.assert(
    fc.property(letters, letters, (typed, text) => {
      const isFound = single(typed, text) !== null
      fc.pre(isFound)
      expect(may(typed, text)).toBe(true)
    }),
  )
  expect(may('ev mos', 'eve moss  eve@example.com')).toBe(true)
  expect(may('z', 'eve moss')).toBe(false)
  expect(may('sev', 'eve moss')).toBe(false)
})
