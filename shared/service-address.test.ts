import { expect, test } from 'vitest'
import { apiBaseAt, serviceAddress } from './service-address.ts'

test.each([
  ['https://id.example.com', 'https://id.example.com/api/auth'],
  ['https://id.example.com/auth', 'https://id.example.com/auth'],
  ['https://example.com/tools/auth', 'https://example.com/tools/auth'],
  ['https://example.com/tools/api/auth', 'https://example.com/tools/api/auth'],
  ['http://[::1]:4100', 'http://[::1]:4100/api/auth'],
])('%s is written for %s, and means it', (address, base) => {
  expect(serviceAddress(base)).toBe(address)
  expect(apiBaseAt(new URL(address))).toBe(base)
})
