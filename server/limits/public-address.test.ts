import { expect, it } from 'vitest'
import { isPublicAddress } from './ip-address.ts'

it.each([
  '8.8.8.8',
  '1.1.1.1',
  '140.82.121.4',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450:4001:830::200e',
  '::ffff:8.8.8.8',
])('%s is a host of the internet', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each([
  ['of this machine', ['127.0.0.1', '127.255.255.254', '::1', '0.0.0.0', '0.1.2.3', '::']],
  [
    'private',
    ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  ],
  ['of the link', ['169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0']],
  ['for many', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
  [
    'reserved',
    ['192.0.0.1', '192.0.2.1', '198.18.0.1', '203.0.113.1', '240.0.0.1', '2001:db8::1', '100::1', '4000::1', '5f00::1'],
  ],
  ['of IPv4 inside IPv6', ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1', '::10.0.0.1']],
  [
    'behind a translator',
    ['64:ff9b::10.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::1', '2001::1', '::ffff:0:127.0.0.1'],
  ],
  ['no address', ['', 'localhost', 'example.com', '1.2.3', '2130706433', '0x7f.1']],
])('what is %s is none', (_kind, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([])
})
