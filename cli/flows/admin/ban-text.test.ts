import { expect, test } from 'vitest'
import { banText } from './users.ts'

test.each([
  [{ banReason: 'No reason', banExpires: null }, 'no reason given, for good'],
  [{ banReason: null, banExpires: null }, 'no reason given, for good'],
  [{ banReason: 'Spam', banExpires: new Date('2999-01-01') }, /^Spam, ends in .*2999-01-01/],
])('of a ban is told why and how long: %j', (user, text) => {
  expect(banText(user)).toMatch(text)
})
