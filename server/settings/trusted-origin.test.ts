import { describe, expect, it } from 'vitest'
import { parseTrustedOrigin } from './trusted-origin.ts'

const matches = (entry: string, target: string) => parseTrustedOrigin(entry)(new URL(target))

describe('a trusted origin', () => {
  it.each([
    ['https://app.example.com', 'https://app.example.com/x', true],
    ['https://app.example.com/', 'https://app.example.com', true],
    ['HTTPS://APP.example.com', 'https://app.example.com', true],
    ['https://app.example.com:443', 'https://app.example.com', true],
    ['http://app.example.com:80', 'http://app.example.com', true],
    ['https://app.example.com', 'http://app.example.com', false],
    ['https://app.example.com', 'https://app.example.com:8443', false],
    ['https://app.example.com:8443', 'https://app.example.com:8443', true],
    ['https://app.example.com:8443', 'https://app.example.com', false],
    ['https://app.example.com', 'https://app.example.com.evil.test', false],
    ['https://app.example.com', 'https://evil-app.example.com', false],
    ['http://localhost:3000', 'http://localhost:3000', true],
    ['http://localhost', 'http://evil-localhost', false],
    ['http://localhost', 'http://localhost:3000', false],
    ['http://127.0.0.1', 'http://127.0.0.1.nip.io', false],
    ['http://127.0.0.1', 'http://127.0.0.2', false],
    ['http://[::1]:3000', 'http://[::1]:3000', true],
    ['https://bücher.example', 'https://xn--bcher-kva.example', true],
  ])('%s and %s: %s', (entry, target, expected) => expect(matches(entry, target)).toBe(expected))
})

describe('a wildcard', () => {
  it.each([
    ['*.example.com', 'https://a.example.com', true],
    ['*.example.com', 'http://a.example.com', true],
    ['*.example.com', 'https://a.b.example.com', true],
    ['*.EXAMPLE.com', 'https://a.example.COM', true],
    ['*.example.com', 'https://example.com', false],
    ['*.example.com', 'https://.example.com', false],
    ['*.example.com', 'https://a..example.com', false],
    ['*.example.com', 'https://evilexample.com', false],
    ['*.example.com', 'https://a.example.com.evil.test', false],
    ['*.example.com', 'https://a.example.com:8443', false],
    ['*.example.com:8443', 'https://a.example.com:8443', true],
    ['*.example.com:8443', 'https://a.example.com', false],
    ['*.example.com:443', 'https://a.example.com', true],
    ['*.example.com:443', 'http://a.example.com', false],
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'http://a.example.com', false],
    ['http://*.example.com:8080', 'http://a.example.com:8080', true],
    ['*.example.com', 'ftp://a.example.com', false],
    ['*.example.com', 'myapp://a.example.com', false],
    ['*.localhost', 'http://a.localhost', true],
  ])('%s and %s: %s', (entry, target, expected) => expect(matches(entry, target)).toBe(expected))
})

describe('a custom scheme', () => {
  it.each([
    ['myapp://', 'myapp://x', true],
    ['myapp://', 'myapp:///x', true],
    ['myapp://', 'myapps://x', false],
    ['myapp://home', 'myapp://home', true],
    ['myapp://home', 'myapp://home/x', true],
    ['myapp://home', 'myapp://homes', false],
    ['myapp://home', 'myapp://other', false],
    ['myapp://home/a', 'myapp://home/a/b', true],
    ['myapp://home/a/', 'myapp://home/a', true],
    ['myapp://home/a', 'myapp://home/ab', false],
    ['myapp://home/a', 'myapp://home', false],
    ['com.example.app://', 'com.example.app://x', true],
  ])('%s and %s: %s', (entry, target, expected) => expect(matches(entry, target)).toBe(expected))
})

it.each([
  '*',
  'https://*',
  '*.',
  '*.*.example.com',
  'a.*.example.com',
  'app-*.example.com',
  '*example.com',
  'https://*.example.com/x',
  'https://*.example.com:*',
  'ftp://*.example.com',
  'myapp://*.example.com',
  'https://user@*.example.com',
  'app.example.com',
  'localhost:3000',
  '//app.example.com',
  '/app',
  'https:app.example.com',
  'https://',
  'https://app.example.com/path',
  'https://app.example.com?x',
  'https://app.example.com#x',
  'https://user@app.example.com',
  'https://:pass@app.example.com',
  'https://app.example.com:99999',
  'https://a b.example.com',
  'null',
  'javascript://x',
  'data://x',
  'file:///',
  'vbscript://x',
  'blob://x',
  'https://*.com',
  '*.co.uk',
  'https://*.GitHub.io',
])('refuses the entry %s', (entry) => {
  expect(() => parseTrustedOrigin(entry)).toThrow(/an origin like|leftmost label|no scheme|anybody can register/)
})

it.each(['https://*.example.com', '*.localhost', '*.corp', '*.home.arpa', '*.apps.github.io'])(
  'takes the entry %s',
  (entry) => {
    expect(parseTrustedOrigin(entry)).toBeTypeOf('function')
  },
)
