import { expect, test } from 'vitest'
import { isBlank } from './text-rules.ts'

test.each([
  '',
  '  ',
  '\n\t',
  '\u00a0',
  '\u3164',
  '\u115f\u1160',
  '\uffa0',
  '\u2800',
  '\u200b\u2060',
  '\u{e0001}',
  '\ufe0f',
  '\u00ad',
])('the name %j looks like none', (name) => expect(isBlank(name)).toBe(true))

test.each(['a', '.', '👩‍👩‍👧', ' ж ', '\u3164a', '⠁', '한', '-'])('the name %j is one', (name) =>
  expect(isBlank(name)).toBe(false),
)
