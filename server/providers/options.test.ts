import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { providerIds } from '../../shared/providers.ts'
import { readProviders } from '../settings/providers.ts'

const pem = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const client = (id: string) => ({ [`${id}_CLIENT_ID`]: 'ours', [`${id}_CLIENT_SECRET`]: 'a-secret' })

test.each(providerIds)('%s needs no more than an id and a secret', (id) => {
  const { providers, problems } = readProviders(client(id.toUpperCase()))
  expect(problems).toEqual([])
  expect(providers.map(({ provider }) => provider.id)).toEqual([id])
})

test.each(providerIds.filter((id) => id !== 'vk'))('%s needs the secret', (id) => {
  const prefix = id.toUpperCase()
  const { providers, problems } = readProviders({ [`${prefix}_CLIENT_ID`]: 'ours' })
  expect(providers).toEqual([])
  expect(problems).toEqual([expect.stringMatching(`^${prefix}_CLIENT_SECRET is missing: `)])
})

test('VK knows no secret', () => {
  expect(readProviders({ VK_CLIENT_ID: 'ours' }).problems).toEqual([])
})

describe("Apple's key", () => {
  const whole = { APPLE_CLIENT_ID: 'ours', APPLE_TEAM_ID: 'TEAM123456', APPLE_KEY_ID: 'KEYID12345' }

  test('stands in for the secret', () => {
    const given = { ...whole, APPLE_PRIVATE_KEY: pem('P-256') }
    expect(readProviders(given).problems).toEqual([])
    const inOneLine = given.APPLE_PRIVATE_KEY.replaceAll('\n', '\\n')
    expect(readProviders({ ...given, APPLE_PRIVATE_KEY: inOneLine }).problems).toEqual([])
  })

  test('is whole or not there', () => {
    expect(readProviders({ ...whole, APPLE_CLIENT_SECRET: 'a-secret' }).problems).toEqual([
      expect.stringMatching(/^APPLE_PRIVATE_KEY is missing: /),
    ])
  })

  test.each([
    ['of another curve', pem('P-384')],
    ['that is none', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
    ['that is a file name', 'AuthKey_KEYID12345.p8'],
  ])('%s stops the start, and is not shown', (_what, APPLE_PRIVATE_KEY) => {
    expect(readProviders({ ...whole, APPLE_PRIVATE_KEY }).problems).toEqual([
      expect.stringMatching(/^APPLE_PRIVATE_KEY is \(hidden\): expected the text of the \.p8 file/),
    ])
  })
})

test.each([
  ['MICROSOFT', 'TENANT', 'contoso.com'],
  ['MICROSOFT', 'TENANT', '{tenantid}'],
  ['MICROSOFT', 'PROMPT', 'none'],
  ['FACEBOOK', 'GRAPH_VERSION', 'v26.0/../evil'],
  ['FACEBOOK', 'GRAPH_VERSION', '26'],
  ['GOOGLE', 'HOSTED_DOMAIN', 'https://example.com'],
  ['DISCORD', 'PROMPT', 'always'],
  ['DROPBOX', 'ACCESS_TYPE', 'legacy'],
  ['REDDIT', 'DURATION', 'forever'],
  ['REDDIT', 'USER_AGENT', 'mine\r\nX-Other: 1'],
  ['ROBLOX', 'PROMPT', 'none login'],
  ['APPLE', 'TEAM_ID', 'team'],
])('%s_%s is not %j', (prefix, key, value) => {
  const { problems } = readProviders({ ...client(prefix), [`${prefix}_${key}`]: value })
  expect(problems[0]).toMatch(`${prefix}_${key} is ${JSON.stringify(value)}: expected `)
})

test.each([
  ['MICROSOFT', 'TENANT', 'organizations'],
  ['MICROSOFT', 'TENANT', '72F988BF-86F1-41AF-91AB-2D7CD011DB47'],
  ['MICROSOFT', 'ISSUER', 'https://login.microsoftonline.us/{tenantid}/v2.0'],
  ['FACEBOOK', 'GRAPH_VERSION', 'v25.0'],
  ['ROBLOX', 'PROMPT', 'login consent'],
  ['GITLAB', 'ISSUER', 'https://git.example.com/gitlab'],
])('%s_%s may be %j', (prefix, key, value) => {
  const { providers, problems } = readProviders({ ...client(prefix), [`${prefix}_${key}`]: value })
  expect(problems).toEqual([])
  const { options, overrides } = providers[0]?.registration ?? {}
  expect([options?.[key], overrides?.issuer]).toContain(value)
})

test('scopes without openid stop the start where sign-in needs an id token', () => {
  const given = { ...client('OIDC_OURS'), OIDC_OURS_ISSUER: 'https://id.example.com', ...client('GOOGLE') }
  const scopes = { OIDC_OURS_SCOPES: 'email profile', GOOGLE_SCOPES: 'email' }
  expect(readProviders({ ...given, ...scopes }).problems).toEqual([
    'GOOGLE_SCOPES is "email": expected openid among the scopes',
    'OIDC_OURS_SCOPES is "email profile": expected openid among the scopes',
  ])
  expect(readProviders({ ...given, OIDC_OURS_SCOPES: 'groups, openid' }).problems).toEqual([])
})
