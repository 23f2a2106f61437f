import { expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { checkSetCookies } from './set-cookie.ts'

const http = parseConfig({})
const https = parseConfig({ BASE_URL: 'https://id.example.com' })
const shared = parseConfig({ BASE_URL: 'https://id.example.com', COOKIE_DOMAIN: 'example.com' })
const foreign = parseConfig({ BASE_URL: 'https://id.example.com', COOKIE_SAME_SITE: 'none' })

const good = 'postern.session_token=a.b%3D; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax'

it('lets agreed cookies pass', () => {
  const lines = [good, 'postern.dont_remember=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']
  expect(() => checkSetCookies(lines, http)).not.toThrow()
  expect(() => checkSetCookies([`__Secure-${good.replace('HttpOnly', 'HttpOnly; Secure')}`], https)).not.toThrow()
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
  expect(() => checkSetCookies([line], isSecure ? https : http)).toThrow('A cookie')
})

it('refuses one cookie twice', () => {
  expect(() => checkSetCookies([good, good], http)).toThrow('Set twice')
})

const secured = `__Secure-${good.replace('HttpOnly', 'HttpOnly; Secure')}`

it('wants None and Partitioned where pages of other sites ask, but for what a provider leads back to', () => {
  const line = secured.replace('Lax', 'None; Partitioned')
  expect(() => checkSetCookies([line], foreign)).not.toThrow()
  const state = line.replace('session_token', 'state.a1')
  expect(() => checkSetCookies([state.replace('; Partitioned', '')], foreign)).not.toThrow()
  for (const wrong of [secured, secured.replace('Lax', 'None'), state])
    expect(() => checkSetCookies([wrong], foreign)).toThrow('other attributes')
})

it('wants a domain after the removal of the host-only cookie', () => {
  const line = secured.replace('; Path', '; Domain=example.com; Path')
  const removal = secured.replace('a.b%3D; Max-Age=604800', '; Max-Age=0')
  expect(() => checkSetCookies([removal, line], shared)).not.toThrow()
  for (const wrong of [[line], [line, removal], [secured, line], [removal.replace('session_token', 'position'), line]])
    expect(() => checkSetCookies(wrong, shared)).toThrow(/A cookie|Set twice|Not removed/)
})
