import { describe, expect, it } from 'vitest'
import { parseProxies } from './schema.ts'

describe('a trusted proxy', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['10.0.0.1', '::ffff:10.0.0.1', true],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['10.0.0.0/31', '10.0.0.1', true],
    ['10.0.0.0/31', '10.0.0.2', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::1', '::1', true],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['::1', '127.0.0.1', false],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fe00::1', false],
    ['::ffff:10.0.0.0/104', '10.9.9.9', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['10.0.0.0/8', '', false],
    ['10.0.0.0/8', 'garbage', false],
  ])('%s and %s: %s', (entry, address, expected) => expect(parseProxies(entry)(address)).toBe(expected))
})

it.each([
  'garbage',
  'localhost',
  'proxy.internal',
  '10.0.0',
  '10',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0-10.0.0.9',
  '10.0.0.*',
  '*',
  '::/129',
  '::ffff:10.0.0.0/95',
  '010.0.0.1',
  '0x0a.0.0.1',
  '167772161',
  '10.0.0.1:80',
])('refuses the entry %s', (entry) => {
  expect(() => parseProxies(entry)).toThrow('an IP address or a range like 10.0.0.0/8')
})
