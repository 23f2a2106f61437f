import { expect, test } from 'vitest'
import { toScreenHint } from './shown-error.ts'

test.each([
  ['Choose another slug', 'Choose another slug'],
  ['postern sign-in', '2 lists the accounts and signs in.'],
  ['Begin again: postern sign-in --device', '2 lists the accounts and signs in.'],
  [
    'The sign-in page lists its providers: postern sign-in --device',
    'Without a provider, the sign-in page lists them all.',
  ],
  [
    'It has google, github. The sign-in page lists its providers: postern sign-in --device',
    'It has google, github. Without a provider, the sign-in page lists them all.',
  ],
  [
    'Did you mean google? The sign-in page lists its providers: postern sign-in --device',
    'Did you mean google? Without a provider, the sign-in page lists them all.',
  ],
])('of `%s` a screen says what its keys can do', (hint, said) => {
  expect(toScreenHint(hint)).toBe(said)
})
