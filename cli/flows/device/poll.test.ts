import { expect, test } from 'vitest'
import { signInOverError, signInRefusedError } from './poll.ts'

test.each([
  [undefined, 'postern sign-in --device'],
  ['github', 'postern sign-in --provider github'],
])('what was begun with the provider %s begins again with it', (provider, line) => {
  expect(signInRefusedError({ provider }).hint).toBe(`Begin again if that was a mistake: ${line}`)
  expect(signInOverError('not approved in time', { provider }).hint).toBe(`Begin again: ${line}`)
})
