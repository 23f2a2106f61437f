import { expect, test } from 'vitest'
import { toScreenHint } from './shown-error.ts'

test.each([
  ['Choose another slug', 'Choose another slug'],
  ['postern sign-in', '2 lists the accounts and signs in.'],
  ['Begin again: postern sign-in --device', '2 lists the accounts and signs in.'],
  ['Its page offers all it has: postern sign-in --device', 'Without a provider its page offers all it has.'],
  [
    'Did you mean google? Its page offers all it has: postern sign-in --device',
    'Did you mean google? Without a provider its page offers all it has.',
  ],
])('of `%s` a screen says what its keys can do', (hint, said) => {
  expect(toScreenHint(hint)).toBe(said)
})
