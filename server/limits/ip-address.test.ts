import { expect, it } from 'vitest'
import { queueSenderOf, subscriberOf } from './ip-address.ts'

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::'],
  ['2001:db8:0:0:ffff::9', '2001:db8::'],
  ['10.0.0.1', '10.0.0.1'],
  ['127.0.0.1', undefined],
  ['::1', undefined],
  ['::ffff:127.0.0.1', undefined],
  ['', undefined],
])('a client at %j takes the share of %s', (address, share) => {
  expect(queueSenderOf({ address, isServer: false })).toBe(share)
  expect(queueSenderOf({ address, isServer: true })).toBeUndefined()
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2::9', '2001:db8:1::'],
  ['', 'unknown'],
])('the subscriber at %j is %s', (address, subscriber) => expect(subscriberOf(address)).toBe(subscriber))
