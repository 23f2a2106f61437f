import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Environment, forgetSecrets, parseConfig } from './config.ts'
import type { Extensions } from './settings/extensions.ts'
import { fuzzRuns } from './testing/rounds.ts'
import { complaint, otherSecret, testSecret } from './testing/settings.ts'

describe('the secret', () => {
  it.each([
    'x'.repeat(31),
    testSecret.slice(1),
    'x'.repeat(64),
    '0'.repeat(32),
    'ab'.repeat(20),
    '1234567890'.repeat(4),
    '12345678901234567890123456789012',
    '0123456789abcdef0123456789abcdef',
    '0123456789ABCDEF0123456789ABCDEF',
    'abcdefghijklmnopqrstuvwxyz123456',
    'qwertyuiopasdfghjklzxcvbnm1234567',
    'secret-secret-key-of-32-characters!!',
    'my-super-secret-key-that-is-long-1234',
    'your-secret-goes-here-0123456789-abc',
    'please-change-me-before-production-1',
    'CHANGEME-0123456789-qazwsxedcrfvtgb',
    'change_this_to_something_random_123',
    'replace-with-openssl-rand-base64-32x',
    'this is an example value of 32 chars',
    'better-auth-secret-12345678901234567890',
    'postern-development-key-0123456789ab',
  ])('is not %s', (text) => {
    const message = complaint({ SECRET: text })
    expect(message).toContain('SECRET is (hidden): expected')
    expect(message).toContain('openssl rand -base64 32')
    expect(message).not.toContain(text)
  })

  it('is anything random', () => {
    const encodings = ['base64', 'base64url', 'hex'] as const
    for (let round = 0; round < 10 * fuzzRuns; round += 1) {
      const text = randomBytes(32).toString(encodings[round % 3])
      expect(parseConfig({ SECRET: text }).SECRETS).toEqual([text])
    }
  })

  it('may be several, newest first, and then stands alone', () => {
    expect(parseConfig({ SECRETS: `${otherSecret},${testSecret}`, SECRET: testSecret }).SECRETS).toEqual([
      otherSecret,
      testSecret,
    ])
  })
})

describe('the page of an application for invitations', () => {
  const told = 'expected https, plain http to this machine, or an address of TRUSTED_ORIGINS'

  it.each(['http://app.example.com/join', 'myapp://join/{id}', 'javascript:alert(1)//{id}'])('is not %s', (text) =>
    expect(complaint({ INVITATION_URL: text })).toContain(told),
  )

  it.each([
    ['https://app.example.com/join', ''],
    ['http://127.0.0.1:3000/join', ''],
    ['myapp://join/{id}', 'myapp://'],
    ['http://app.example.com/join', 'http://app.example.com'],
  ])('may be %s, with TRUSTED_ORIGINS %j', (text, TRUSTED_ORIGINS) =>
    expect(parseConfig({ INVITATION_URL: text, TRUSTED_ORIGINS }).INVITATION_URL).toBe(text),
  )
})

describe('production', () => {
  const NODE_ENV = 'production'
  const BASE_URL = 'https://id.example.com'

  it('needs a secret and its public address, and says both at once', () => {
    const message = complaint({ NODE_ENV })
    expect(message).toContain('SECRET is missing')
    expect(message).toContain('BASE_URL is missing')
    expect(complaint({ NODE_ENV, BASE_URL })).toContain('SECRET is missing')
    expect(complaint({ NODE_ENV, SECRET: testSecret })).toContain('BASE_URL is missing')
  })

  it.each([
    'http://id.example.com',
    'http://192.168.0.1',
    'http://localhost.example.com',
    'http://127.0.0.1.nip.io',
    'http://0.0.0.0',
  ])('does not go without TLS at %s', (address) =>
    expect(complaint({ NODE_ENV, SECRET: testSecret, BASE_URL: address })).toContain('production needs https'),
  )

  it.each([BASE_URL, 'http://localhost:4100', 'http://127.0.0.1:4100', 'http://127.9.9.9', 'http://[::1]:4100'])(
    'goes at %s',
    (address) => expect(parseConfig({ NODE_ENV, SECRET: testSecret, BASE_URL: address }).BASE_URL.origin).toBe(address),
  )

  it('is the only place that needs them', () => {
    expect(parseConfig({}).SECRETS).toEqual([])
    expect(parseConfig({ PORT: '5000' }).BASE_URL.origin).toBe('http://localhost:5000')
  })
})

describe('settings that contradict each other', () => {
  it.each<[Environment, string]>([
    [{ MIN_PASSWORD_LENGTH: '20', MAX_PASSWORD_LENGTH: '10' }, 'MIN_PASSWORD_LENGTH is above MAX_PASSWORD_LENGTH'],
    [{ COOKIE_HOST_PREFIX: 'on' }, 'expected an https BASE_URL'],
    [{ COOKIE_SAME_SITE: 'none' }, 'expected an https BASE_URL'],
    [{ COOKIE_DOMAIN: 'example.com' }, 'expected the host of BASE_URL or a parent'],
    [{ COOKIE_DOMAIN: 'ample.com', BASE_URL: 'https://example.com' }, 'expected the host of BASE_URL or a parent'],
    [{ COOKIE_DOMAIN: 'id.example.com', BASE_URL: 'https://example.com' }, 'expected the host of BASE_URL or a parent'],
    [{ COOKIE_DOMAIN: 'co.uk', BASE_URL: 'https://id.example.co.uk' }, 'expected a domain of your own'],
    [{ COOKIE_DOMAIN: 'github.io', BASE_URL: 'https://ann.github.io' }, 'expected a domain of your own'],
    [
      { COOKIE_DOMAIN: 'example.com', COOKIE_HOST_PREFIX: 'on', BASE_URL: 'https://id.example.com' },
      'COOKIE_DOMAIN and COOKIE_HOST_PREFIX are both set',
    ],
    [{ METRICS: 'on', PORT: '9464' }, 'METRICS_PORT is the same as PORT'],
    [{ COOKIE_HOST_PREFIX: 'on', BASE_URL: 'http://localhost' }, 'expected an https BASE_URL'],
  ])('%j stop the start', (given, reason) => expect(complaint(given)).toContain(reason))

  it('are none where they fit', () => {
    expect(parseConfig({ COOKIE_HOST_PREFIX: 'on', BASE_URL: 'https://id.example.com' }).COOKIE_HOST_PREFIX).toBe(true)
    for (const domain of ['example.com', 'Example.com', 'id.example.com'])
      expect(
        parseConfig({ COOKIE_DOMAIN: domain, COOKIE_SAME_SITE: 'none', BASE_URL: 'https://id.example.com' })
          .COOKIE_DOMAIN,
      ).toBe(domain.toLowerCase())
  })

  it('names trusted origins that the cookie does not reach', () => {
    const given = { BASE_URL: 'https://id.example.com', TRUSTED_ORIGINS: 'https://a.example.com,https://app.test' }
    expect(parseConfig(given).originsWithoutCookie).toEqual(['https://app.test'])
    expect(parseConfig({ ...given, COOKIE_SAME_SITE: 'strict' }).originsWithoutCookie).toEqual(['https://app.test'])
    expect(parseConfig({ ...given, COOKIE_SAME_SITE: 'none' }).originsWithoutCookie).toEqual([])
  })
})

it.each([
  [{ SESSION_EXPIRES_IN: '99999d' }, 'SESSION_EXPIRES_IN is "99999d": expected at most 400d'],
  [{ SESSION_EXPIRES_IN: '1' }, 'SESSION_EXPIRES_IN is "1": expected at least 1m'],
  [{ PASSWORD_QUEUE_TIMEOUT: '9s' }, 'PASSWORD_QUEUE_TIMEOUT is "9s": expected at most 8s'],
])('tells the bound of %j as one would type it', (given, reason) => expect(complaint(given)).toContain(reason))

it('takes secrets out of an environment and leaves the rest', () => {
  const environment = {
    SECRET: testSecret,
    SECRETS: otherSecret,
    DATABASE_URL: 'postgres://u:p@db/app',
    PORT: '1',
    PATH: '/bin',
  }
  forgetSecrets(environment)
  expect(environment).toEqual({ PORT: '1', PATH: '/bin' })
})

describe('what a config file may hold besides settings, where a program gives it', () => {
  it.each([
    [{ beforeDeletUser: () => undefined }, 'beforeDeletUser is unknown: expected one of disabledPaths, RATE_LIMITS'],
    [{ TRUSTED_ORIGINS: ['https://app.example.com'] }, 'TRUSTED_ORIGINS is unknown: expected one of'],
    [{ beforeDeleteUser: 'no' }, 'beforeDeleteUser cannot be used: expected a function'],
    [
      { mailTemplates: { verify_email: () => undefined } },
      'mailTemplates cannot be used: expected functions by the kind of mail, which is one of ',
    ],
    [{ platformRoles: null }, 'platformRoles cannot be used: expected roles with resources'],
    [
      { disabledPaths: ['/nothing'] },
      'disabledPaths cannot be used: expected paths of calls, and none has the path "/nothing"',
    ],
  ])('may be neither mistyped nor of another kind: %o', (given, reason) => {
    expect(() => parseConfig({}, given as Extensions)).toThrow(reason)
  })

  it('may be left undefined', () => {
    expect(parseConfig({}, { beforeDeleteUser: undefined } as object).extensions.beforeDeleteUser).toBeUndefined()
  })
})

describe('an address of the database', () => {
  it.each([
    ['host=/run&port=5433', 'no port: it belongs before the question mark'],
    ['sslmode=require&channel_binding=require', 'no channel_binding: sslmode=verify-full'],
    ['sslmode=verify-full&sslrootcert=ca.pem', 'no sslrootcert: NODE_EXTRA_CA_CERTS'],
    ['ssl=requier', 'no ssl: sslmode says whether to use TLS'],
    ['sslcert=a.pem&sslkey=a.key', 'no sslcert: certificates of clients'],
  ])('is not taken with %s, which the driver would pass on to the server', (query, told) => {
    const DATABASE_URL = `postgres://db/app?${query}`
    expect(complaint({ DATABASE_URL })).toContain(`DATABASE_URL is (hidden): expected ${told}`)
    expect(complaint({ DATABASE_URL, DATABASE_REPLICA_URL: DATABASE_URL })).toContain(
      'DATABASE_REPLICA_URL is (hidden)',
    )
  })

  it.each(['true', 'no-verify', 'Require', ''])(
    'is not taken with sslmode=%s, which would mean verify-full',
    (mode) => {
      expect(complaint({ DATABASE_URL: `postgres://db/app?sslmode=${mode}` })).toContain(
        'DATABASE_URL is (hidden): expected sslmode to be one of disable, allow, prefer, require, verify-ca, verify-full',
      )
    },
  )

  it('may have settings of the server', () => {
    const query = 'sslmode=require&application_name=x&options=-c%20search_path%3Dother&target_session_attrs=read-write'
    expect(complaint({ DATABASE_URL: `postgres://db/app?${query}` })).toBe('accepted')
  })
})
