import { expect, it } from 'vitest'
import { checkSetCookies } from './set-cookie.ts'

const good = 'postern.session_token=a.b%3D; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax'

it('lets agreed cookies pass', () => {
  const lines = [good, 'postern.dont_remember=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']
  expect(() => checkSetCookies(lines, false)).not.toThrow()
  expect(() => checkSetCookies([`__Secure-${good.replace('HttpOnly', 'HttpOnly; Secure')}`], true)).not.toThrow()
})

it.each([
  ['a foreign name', good.replace('session_token', 'theme'), false],
  ['a comma', good.replace('a.b', 'a,b'), false],
  ['no prefix on https', good, true],
  ['too much', good.replace('a.b', 'a'.repeat(4096)), false],
  ['401 days', good.replace('604800', '34646400'), false],
  ['an empty value that stays', good.replace('a.b%3D', ''), false],
  ['a value that goes', good.replace('604800', '0'), false],
  ['no HttpOnly', good.replace('; HttpOnly', ''), false],
  ['Secure over http', good.replace('HttpOnly', 'HttpOnly; Secure'), false],
  ['a Domain', `${good}; Domain=example.com`, false],
  ['an Expires', `${good}; Expires=Thu, 01 Jan 2026 00:00:00 GMT`, false],
  ['SameSite=None', good.replace('Lax', 'None'), false],
])('refuses %s', (_name, line, isSecure) => {
  expect(() => checkSetCookies([line], isSecure)).toThrow('A cookie')
})

it('refuses one cookie twice', () => {
  expect(() => checkSetCookies([good, good], false)).toThrow('Set twice')
})
