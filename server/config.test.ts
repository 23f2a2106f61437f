import { describe, expect, it } from 'vitest'
import { type Config, type Environment, parseConfig } from './config.ts'
import { day, duration, flag, type SettingCases, sentence, whole } from './testing/setting-cases.ts'
import { complaint, otherSecret, testSecret } from './testing/settings.ts'

const networks: SettingCases = {
  unset: [],
  good: [['10.0.0.0/8, fd00::/8, 127.0.0.1', [expect.any(Function), expect.any(Function), expect.any(Function)]]],
  bad: [
    ['10.0.0.0/8, intranet', 'an IP address or a range like 10.0.0.0/8'],
    ['10.0.0.0/33', 'an IP address or a range like 10.0.0.0/8'],
  ],
}

const settings: Record<string, SettingCases> = {
  NODE_ENV: { unset: 'development', good: [['test', 'test']], bad: [] },
  HOST: { unset: '127.0.0.1', good: [['0.0.0.0', '0.0.0.0']], bad: [] },
  PORT: whole(4100, 0, 65_535),
  LISTEN_EARLY: flag(true),
  STOP_NOTICE: duration(1, 0, 60),
  API_REFERENCE: { ...flag(false), unset: undefined },
  DEFAULT_LANGUAGE: {
    unset: 'en',
    good: [['de', 'de']],
    bad: ['DE', 'de-AT', 'nl'].map((text) => [text, 'one of "en"|"de"|"es"|"fr"']),
  },
  WORKERS: {
    unset: 1,
    good: [
      ['1', 1],
      ['256', 256],
      ['auto', 'auto'],
    ],
    bad: [
      ['0', 'at least 1'],
      ['257', 'at most 256'],
      ...['all', '-1', '1.5'].map((text): [string, string] => [text, 'a whole number from 1 to 256, or auto']),
    ],
  },
  BASE_URL: {
    unset: new URL('http://localhost:4100'),
    good: [
      ['https://id.example.com', new URL('https://id.example.com')],
      ['http://localhost:3000/', new URL('http://localhost:3000')],
      ['HTTPS://ID.EXAMPLE.COM:443', new URL('https://id.example.com')],
    ],
    bad: [
      ...'id.example.com /path ftp://id.example.com javascript:alert(1) https:// //id.example.com https:id.example.com'
        .split(' ')
        .map((text) => [text, 'an absolute http or https address'] as const),
      ...['https://id.example.com/path', 'https://id.example.com?x', 'https://me@id.example.com'].map(
        (text) => [text, 'without path, query or user'] as const,
      ),
    ],
  },
  BASE_PATH: {
    unset: '/api/auth',
    good: [
      ['/auth', '/auth'],
      ['/a/b.c/d_e~f-g', '/a/b.c/d_e~f-g'],
    ],
    bad: [...'/ auth /auth/ //auth /a//b /a?b /a#b /:a /* /a%20 /ä ../a /.. /./a'.split(' '), '/a b'].map((text) => [
      text,
      'a path like /api/auth, without a slash at the end',
    ]),
  },
  DATABASE_URL: {
    unset: undefined,
    good: [
      ['postgres://user:pass@db:5432/app', 'postgres://user:pass@db:5432/app'],
      ['postgresql://db/app?sslmode=require', 'postgresql://db/app?sslmode=require'],
      ['postgres:///app?host=/run/postgresql', 'postgres:///app?host=/run/postgresql'],
    ],
    bad: ['mysql://user:pass@db/app', 'db:5432/app', 'user=app host=db', 'postgres'].map((text) => [
      text,
      'a postgres:// address',
    ]),
  },
  DATA_DIR: { unset: expect.stringContaining('postern'), good: [['/tmp/x', '/tmp/x']], bad: [] },
  DATABASE_POOL: whole(10, 1, 1000),
  DATABASE_PREPARE: flag(true),
  DATABASE_TIMEOUT: duration(5, 1, 10),
  MIGRATE: flag(true),
  SECRETS: {
    unset: [],
    good: [
      [testSecret, [testSecret]],
      [` ${testSecret} , ${otherSecret},`, [testSecret, otherSecret]],
    ],
    bad: [
      [`${testSecret},short`, 'at least 32 random characters'],
      [',', 'at least one secret'],
      [`${testSecret},${'x'.repeat(40)}`, 'a random value, not a sample'],
    ],
  },
  TRUSTED_ORIGINS: {
    unset: [],
    good: [
      [
        'https://app.example.com, *.example.org ,myapp://',
        [expect.any(Function), expect.any(Function), expect.any(Function)],
      ],
      [' , ', []],
    ],
    bad: [
      ['*', 'only as the whole leftmost label'],
      ['https://ok.example.com,https://a.*.com', 'only as the whole leftmost label'],
      ['app.example.com', 'an origin like https://app.example.com'],
      ['https://app.example.com/path', 'without path, query or user'],
      ['javascript://x', 'no scheme that runs or reads code'],
      ['https://*.github.io', 'names below a domain of your own: anybody can register one below github.io'],
    ],
  },
  TRUSTED_PROXIES: {
    unset: [],
    good: [['10.0.0.0/8,::1', [expect.any(Function), expect.any(Function)]]],
    bad: ['10.0.0.0/99', 'proxy.internal', '10.0.0', '*'].map((text) => [
      text,
      'an IP address or a range like 10.0.0.0/8',
    ]),
  },
  STRICT_ORIGIN: flag(false),
  RATE_LIMIT: flag(true),
  EMAIL_PASSWORD: flag(true),
  SIGN_UP: flag(true),
  AUTO_SIGN_IN: flag(true),
  SERVICE_KEY: {
    unset: undefined,
    good: [[`${testSecret}, ${otherSecret}`, [testSecret, otherSecret]]],
    bad: [[`${testSecret},short`, 'at least 32 random characters']],
  },
  IMPORTED_SECRET: { unset: undefined, good: [['short', 'short']], bad: [] },
  IMPORTED_COOKIE: {
    unset: 'better-auth.session_token',
    good: [['__Secure-my-app.session_token', '__Secure-my-app.session_token']],
    bad: ['a cookie', 'a=b', 'a;b', ''].map((text) => [text, 'the name of a cookie']),
  },
  JWT_ALGORITHM: {
    unset: 'EdDSA',
    good: ['EdDSA', 'ES256', 'ES512', 'RS256', 'PS256'].map((text) => [text, text]),
    bad: ['HS256', 'none', 'eddsa'].map((text) => [text, '"EdDSA"|"ES256"|"ES512"|"RS256"|"PS256"']),
  },
  JWT_EXPIRES_IN: duration(900, 60, 86_400),
  JWT_ISSUER: { unset: 'http://localhost:4100', good: [['our accounts', 'our accounts']], bad: [] },
  JWT_AUDIENCE: {
    unset: ['http://localhost:4100'],
    good: [['shop, mail', ['shop', 'mail']]],
    bad: [[',', 'at least one name']],
  },
  JWT_CLAIMS: { unset: 'full', good: [['minimal', 'minimal']], bad: [['all', '"full"|"minimal"']] },
  JWT_HEADER: flag(true),
  JWT_ROTATION: duration(90 * 86_400, 0, 3650 * 86_400),
  JWKS_MAX_AGE: duration(900, 60, 86_400),
  SMTP_URL: {
    unset: undefined,
    good: [],
    bad: [
      ['http://mail.example.com', 'an address like smtp://'],
      ['mail.example.com', 'an address like smtp://'],
      ['smtp://me:100%@mail.example.com', '%25 in place of each %'],
    ],
  },
  MAIL_FROM: {
    unset: undefined,
    good: ['no-reply@example.com', 'Example <no-reply@example.com>'].map((text) => [text, text]),
    bad: ['Example', 'a@b.co, c@d.co', 'a@b.co\nBcc: c@d.co', '"x" <a@b.co>', 'A\n<a@b.co>'].map((text) => [
      text,
      'an address like no-reply@example.com',
    ]),
  },
  REQUIRE_EMAIL_VERIFICATION: flag(false),
  SEND_VERIFICATION_ON_SIGN_UP: flag(false),
  AUTO_SIGN_IN_AFTER_VERIFICATION: flag(false),
  VERIFICATION_EMAIL: flag(true),
  RESET_PASSWORD: flag(true),
  CHANGE_EMAIL: flag(true),
  DELETE_USER: flag(true),
  VERIFICATION_LINK: { unset: 'page', good: [['direct', 'direct']], bad: [['mail', '"page"|"direct"']] },
  DELETE_USER_MODE: {
    unset: 'immediate',
    good: ['immediate', 'email'].map((text) => [text, text]),
    bad: [['later', '"immediate"|"email"']],
  },
  EMAIL_VERIFICATION_EXPIRES_IN: duration(3600, 60, 30 * day),
  RESET_PASSWORD_EXPIRES_IN: duration(3600, 60, day),
  DELETE_TOKEN_EXPIRES_IN: duration(day, 60, 30 * day),
  SESSION_FRESH_AGE: duration(day, 0, 400 * day),
  MIN_PASSWORD_LENGTH: {
    ...whole(8, 1, 1024),
    good: [
      ['1', 1],
      ['128', 128],
    ],
  },
  MAX_PASSWORD_LENGTH: {
    ...whole(128, 1, 1024),
    good: [
      ['8', 8],
      ['1024', 1024],
    ],
  },
  ARGON2_MEMORY: whole(19_456, 19_456, 131_072),
  ARGON2_PASSES: whole(2, 2, 10),
  ARGON2_LANES: whole(1, 1, 4),
  PASSWORD_QUEUE: whole(32, 1, 10_000),
  PASSWORD_QUEUE_TIMEOUT: duration(2, 1, 8),
  SESSION_EXPIRES_IN: duration(7 * day, 60, 400 * day),
  SESSION_UPDATE_AGE: duration(day, 0, 400 * day),
  SESSION_REFRESH: flag(true),
  SESSION_MAX_AGE: duration(90 * day, 60, 3650 * day),
  SESSION_LIMIT: whole(100, 1, 10_000),
  MULTI_SESSION: whole(0, 0, 20),
  LAST_LOGIN_METHOD: flag(false),
  CLIENT_API: {
    unset: '1.2',
    good: ['1.2', '1.7'].map((text) => [text, text]),
    bad: ['1', '1.8', 'newest'].map((text) => [text, '"1.2"|"1.7"']),
  },
  COOKIE_CACHE: flag(false),
  COOKIE_CACHE_MAX_AGE: duration(60, 1, 300),
  COOKIE_PREFIX: {
    unset: 'postern',
    good: [['my-app_2', 'my-app_2']],
    bad: [
      ...['a b', 'a=b', 'a;b', 'a.b', 'x'.repeat(65), 'ä', '__Host-;'].map(
        (text) => [text, 'letters, digits, _ and -'] as const,
      ),
      ['__Host-x', 'a name without the beginning of those that browsers reserve'],
    ],
  },
  COOKIE_HOST_PREFIX: { ...flag(false), good: [['off', false]] },
  // Its good values need a BASE_URL (config-rules.test.ts).
  COOKIE_DOMAIN: {
    unset: undefined,
    good: [],
    bad: [
      'localhost',
      'com',
      '.example.com',
      'example.com.',
      '127.0.0.1',
      '[::1]',
      'a b.com',
      'a.com; Path=/x',
      '*.a.com',
    ].map((text) => [text, 'a domain like example.com']),
  },
  COOKIE_SAME_SITE: {
    unset: 'lax',
    good: ['lax', 'strict'].map((text) => [text, text]),
    bad: ['Lax', 'off'].map((text) => [text, '"lax"|"strict"|"none"']),
  },
  CORS_HEADERS: {
    unset: ['traceparent', 'tracestate'],
    good: [
      ['', []],
      ['X-Client-Version, x-b', ['x-client-version', 'x-b']],
    ],
    bad: ['*', 'a b', 'x:y'].map((text) => [text, 'names of headers like x-client-version']),
  },
  TEAMS: flag(true),
  DEFAULT_TEAM: flag(true),
  MAXIMUM_TEAMS: whole(100, 1, 10_000),
  ROLE_LIMIT: whole(25, 0, 100),
  MAXIMUM_MEMBERS_PER_TEAM: whole(100_000, 1, 100_000),
  ALLOW_REMOVING_ALL_TEAMS: flag(false),
  MEMBERSHIP_LIMIT: whole(100, 1, 100_000),
  ORGANIZATION_LIMIT: whole(100, 0, 100_000),
  ORGANIZATION_CREATION: flag(true),
  ORGANIZATION_DELETION: flag(true),
  INVITATION_EXPIRES_IN: duration(172_800, 60, 365 * day),
  INVITATION_URL: {
    unset: undefined,
    good: [
      ['https://app.example.com/invitation', 'https://app.example.com/invitation'],
      ['http://localhost:3000/#/join/{id}', 'http://localhost:3000/#/join/{id}'],
    ],
    bad: [
      ['/invitation', 'an absolute address'],
      ['https://{id}.example.com/', '{id} in the path, the query or the fragment'],
      ['https://app.example.com/{invitationId}', 'no other place than {id}'],
      ['https://user@app.example.com/', 'without user or password'],
    ],
  },
  INVITATION_LIMIT: whole(100, 1, 100_000),
  INVITATION_HISTORY: duration(30 * day, 0, 3650 * day),
  INVITATION_REQUIRES_VERIFIED_EMAIL: flag(true),
  AUDIT_RETENTION: duration(400 * day, 0, 3650 * day),
  ACCOUNT_LINKING: flag(true),
  DEVICE_CLIENTS: {
    unset: [],
    good: [['postern, a-tool', ['postern', 'a-tool']]],
    bad: [],
  },
  KEY_LIMIT: whole(50, 0, 10_000),
  WEBHOOK_LIMIT: whole(10, 0, 1000),
  KEY_EXPIRES_IN: duration(30 * day, 60, 3650 * day),
  KEY_MAX_AGE: duration(365 * day, 60, 3650 * day),
  OUTBOUND_PRIVATE_NETWORKS: networks,
  WEBHOOK_PRIVATE_NETWORKS: networks,
  KEY_ISSUERS: {
    unset: ['https://token.actions.githubusercontent.com', 'https://gitlab.com', 'https://agent.buildkite.com'],
    good: [
      ['https://git.example.com, http://127.0.0.1:8080', ['https://git.example.com', 'http://127.0.0.1:8080']],
      [',', []],
    ],
    bad: [
      ['http://git.example.com', 'https addresses; plain http only to this machine'],
      ['git.example.com', 'https addresses of issuers'],
    ],
  },
  TRUSTED_PROVIDERS: {
    unset: ['apple', 'github', 'google'],
    good: [
      ['google, microsoft', ['google', 'microsoft']],
      [' , ', []],
    ],
    bad: [['google,gogle', 'expected ids like google, or the name of an OIDC_… provider']],
  },
  ALLOW_DIFFERENT_EMAILS: flag(false),
  ALLOW_UNLINKING_ALL: flag(false),
  UPDATE_ACCOUNT_ON_SIGN_IN: flag(true),
  STATE_COOKIE: flag(true),
  ADMIN_USER_IDS: { unset: [], good: [['one, two', ['one', 'two']]], bad: [] },
  ADMIN_EMAILS: { unset: [], good: [['Ann@X.example', ['ann@x.example']]], bad: [['a@b.cc,b', 'addresses like ann@']] },
  DEFAULT_ROLE: {
    unset: 'user',
    good: [['user', 'user']],
    bad: [
      ['a b', 'letters, digits, _ and -'],
      ['nobody', 'expected one of admin, user'],
      ['admin', 'expected a role without permission to set roles, because everybody who signs up gets it'],
    ],
  },
  DEFAULT_BAN_REASON: sentence('No reason'),
  DEFAULT_BAN_EXPIRES_IN: duration(undefined, 1, 3650 * day),
  BANNED_USER_MESSAGE: sentence(),
  IMPERSONATION_SESSION_DURATION: duration(3600, 60, day),
  CREATOR_ROLE: {
    unset: 'owner',
    good: [['admin', 'admin']],
    bad: [
      ['a b', 'letters, digits, _ and -'],
      ['nobody', 'expected one of owner, admin, member'],
    ],
  },
  LOG_LEVEL: {
    unset: 'info',
    good: ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'].map((text) => [text, text]),
    bad: ['verbose', 'INFO', '30'].map((text) => [text, '"silent"|"fatal"|"error"|"warn"|"info"|"debug"|"trace"']),
  },
  LOG_FORMAT: {
    unset: undefined,
    good: ['pretty', 'json'].map((text) => [text, text]),
    bad: [['xml', '"pretty"|"json"']],
  },
  LOG_TIME: { unset: 'epoch', good: [['iso', 'iso']], bad: [['ISO', '"epoch"|"iso"']] },
  LOG_LEVEL_NAMES: flag(false),
  METRICS: flag(false),
  METRICS_HOST: { unset: '127.0.0.1', good: [['0.0.0.0', '0.0.0.0']], bad: [] },
  METRICS_PORT: whole(9464, 0, 65_535),
}

const hidden = ['SECRETS', 'DATABASE_URL', 'SERVICE_KEY', 'SMTP_URL', 'IMPORTED_SECRET']

/** The whole message of a refusal. */

// The limits are tried in a test of their own.
it('has no setting that is not tried here', () => {
  const known = Object.keys(parseConfig({ SECRET: testSecret })).filter(
    (key) =>
      ![
        'SECRET',
        'extensions',
        'roles',
        'platformRoles',
        'RATE_LIMITS',
        'ownFields',
        'providers',
        'originsWithoutCookie',
      ].includes(key),
  )
  expect(known).toEqual(expect.arrayContaining(['PORT', 'METRICS_PORT']))
  expect(known.filter((key) => !(key in settings))).toEqual([])
})

describe.each(Object.entries(settings))('%s', (key, { unset, good, bad }) => {
  const valueOf = (given: Environment) => parseConfig(given)[key as keyof Config]

  it('has its default', () => expect(valueOf({})).toEqual(unset))

  it.each(good)('takes %j', (text, value) => expect(valueOf({ [key]: text })).toEqual(value))

  it.each(bad)('refuses %j: its name, what was wrong, what is allowed', (text, allowed) => {
    const message = complaint({ [key]: text })
    expect(message).toContain(`${key} is ${hidden.includes(key) ? '(hidden)' : JSON.stringify(text)}: expected `)
    expect(message).toContain(allowed)
  })
})

it('says everything that is wrong at once', () => {
  const message = complaint({ PORT: 'x', RATE_LIMIT: 'maybe', SECRET: 'short' })
  expect(message.split('\n')).toEqual([
    'The settings are invalid:',
    expect.stringContaining('PORT'),
    expect.stringContaining('SECRET'),
    expect.stringContaining('RATE_LIMIT'),
  ])
})

it('ignores what is somebody else’s', () => {
  expect(parseConfig({ PATH: '/bin', SHELL: 'x', PORTS: 'x', port: 'x' }).PORT).toBe(4100)
})
