import { expect, test } from 'vitest'
import { takeoverOf, takeoverText } from './takeover.ts'

const ada = { origin: 'http://a', email: 'ada@example.com', isCurrent: true, isSignedIn: true, file: '' }
const acting = (impersonating: string) => ({ ...ada, impersonating })
const me = {} as never

test('who acts as somebody else than before is told about it once, and what follows adds up', () => {
  const before = { current: ada, me, takeover: undefined }
  expect(takeoverOf(before, ada)).toBeUndefined()
  const begun = takeoverOf(before, acting('bob@example.com'))
  expect(begun).toEqual({ account: ada.email, before: undefined, now: 'bob@example.com' })
  const next = takeoverOf({ ...before, current: acting('bob@example.com'), takeover: begun }, acting('eve@example.com'))
  expect(next).toEqual({ account: ada.email, before: undefined, now: 'eve@example.com' })
  expect(takeoverOf({ ...before, takeover: begun }, ada)).toBe(begun)
})

test('another account, or one whose session nobody has seen, is no takeover', () => {
  expect(takeoverOf({ current: ada, me, takeover: undefined }, { ...acting('x'), email: 'eve' })).toBeUndefined()
  expect(takeoverOf({ current: ada, me: null, takeover: undefined }, acting('x'))).toBeUndefined()
  expect(takeoverOf({ current: undefined, me, takeover: undefined }, acting('x'))).toBeUndefined()
})

test('the end of an impersonation is told too', () => {
  expect(takeoverText({ account: ada.email, before: 'bob@example.com', now: undefined }).title).toBe(
    'You are ada@example.com again',
  )
})
