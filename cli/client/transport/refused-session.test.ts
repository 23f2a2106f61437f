import { expect, test } from 'vitest'
import { refusedSessionIn } from './refused-session.ts'

const broken = { reason: 'it breaks the rules for cookies', isOfAddress: false }
const isFor = (domain: string, host: string) => ({
  reason: `it is for ${domain} and this address is ${host}`,
  isOfAddress: true,
})

test.each([
  ['http://id.test', 'Secure', { reason: 'it is Secure and this address is http', isOfAddress: true }],
  ['https://id.test', 'Secure', broken],
  ['https://id.test', 'Domain=other.test', isFor('other.test', 'id.test')],
  ['https://my-id.test', 'Domain=id.test', isFor('id.test', 'my-id.test')],
  ['https://id.test', 'Domain=.ID.test', broken],
  ['https://id.test', 'Domain=id.test; Domain=other.test', isFor('other.test', 'id.test')],
])('a session cookie that %s sets with %s is refused, and why', (origin, attributes, expected) => {
  const lines = ['postern.known_device=d', `postern.session_token=a.b; ${attributes}`]
  const refused = refusedSessionIn(new URL(origin), lines, ['postern.known_device', 'postern.session_token'])
  expect(refused).toEqual({ token: 'a.b', ...expected })
})

test.each([
  ['it was taken', 'postern.session_token=a.b', []],
  ['it ends the session', 'postern.session_token=; Max-Age=0', ['postern.session_token']],
])('no session is refused where %s', (_, line, refused) => {
  expect(refusedSessionIn(new URL('https://id.test'), [line], refused)).toBeUndefined()
})
