import { expect, test } from 'vitest'
import { deviceOf } from './sessions.ts'

test.each([
  [{ label: 'laptop', userAgent: 'postern/0.1.0 (linux)' }, 'laptop'],
  [{ label: null, userAgent: 'Firefox' }, 'Firefox'],
  [{ label: null, userAgent: '' }, 'an unknown device'],
  [undefined, 'an unknown device'],
])('people are told the machine of a session by its label first: %j', (session, text) => {
  expect(deviceOf(session)).toBe(text)
})
