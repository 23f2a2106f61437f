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

test('another account in place of the one before is told, unless this run chose it', () => {
  const eve = { ...ada, email: 'eve@example.com' }
  const before = { current: ada, me, takeover: undefined }
  const told = takeoverOf(before, eve)
  expect(told).toEqual({ account: eve.email, former: ada.email, before: undefined, now: undefined })
  expect(takeoverOf(before, eve, true)).toBeUndefined()
  const next = takeoverOf({ current: eve, me, takeover: told }, { ...eve, impersonating: 'bob@example.com' })
  expect(next).toEqual({ account: eve.email, former: ada.email, before: undefined, now: 'bob@example.com' })
  expect(next && takeoverText(next)).toMatchObject({
    title: 'IMPERSONATING bob@example.com',
    sentence:
      'ada@example.com is no longer signed in on this machine. Everything that you do here is now done as bob@example.com.',
  })
  expect(takeoverOf({ current: eve, me, takeover: told }, ada)).toEqual({
    ...told,
    account: ada.email,
    former: undefined,
  })
})

test('an account whose session nobody has seen is no takeover', () => {
  expect(takeoverOf({ current: ada, me: null, takeover: undefined }, acting('x'))).toBeUndefined()
  expect(takeoverOf({ current: undefined, me, takeover: undefined }, acting('x'))).toBeUndefined()
})

test('the end of an impersonation is told too', () => {
  expect(takeoverText({ account: ada.email, before: 'bob@example.com', now: undefined }).title).toBe(
    'You are ada@example.com again',
  )
})
