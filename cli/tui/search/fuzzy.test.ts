import { expect, test } from 'vitest'
import { isGood, matchedLetters, piecesOf, scoreOf } from './fuzzy.ts'

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
])('%j is a good match in %j: %j', (typed, text, expected) => expect(isGood(scoreOf(typed, text) ?? 0)).toBe(expected))

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
