import { expect, it } from 'vitest'
import { crossSiteOrigins, isPublicSuffix } from './sites.ts'

it.each([
  ['https://id.example.com', 'https://app.example.com,https://example.com:8443,*.example.com,myapp://', []],
  ['https://id.example.com', 'https://*.example.com, https://app.test', ['https://app.test']],
  ['https://id.example.com', 'http://app.example.com', ['http://app.example.com']],
  ['https://id.example.co.uk', 'https://shop.co.uk', ['https://shop.co.uk']],
  ['https://ann.github.io', 'https://bob.github.io,*.github.io', ['https://bob.github.io', '*.github.io']],
  ['http://localhost:4100', 'http://localhost:3000,http://127.0.0.1:3000', ['http://127.0.0.1:3000']],
  ['http://127.0.0.1:4100', 'http://127.0.0.1:3000,http://127.0.0.2:3000', ['http://127.0.0.2:3000']],
])('of a service at %s, %s has %j of other sites', (base, entries, others) => {
  expect(crossSiteOrigins(entries, new URL(base))).toEqual(others)
})

it.each([
  ['com', true],
  ['co.uk', true],
  ['github.io', true],
  ['example.com', false],
  ['id.example.co.uk', false],
])('%s is a public suffix: %s', (domain, is) => expect(isPublicSuffix(domain)).toBe(is))
