import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readProviders } from '../settings/providers.ts'
import { answerJson, type ScriptedProvider, startScriptedProvider } from '../testing/scripted-provider.ts'
import { createTestService } from '../testing/service.ts'
import { createProviders } from './create-providers.ts'

let provider: ScriptedProvider
beforeAll(async () => {
  provider = await startScriptedProvider()
})
afterAll(() => provider.stop())

describe('discovery', () => {
  const document = (change: object = {}) => ({
    issuer: provider.url,
    authorization_endpoint: `${provider.url}/authorize`,
    token_endpoint: `${provider.url}/token`,
    jwks_uri: `${provider.url}/jwks`,
    ...change,
  })
  const settings = () => ({
    OIDC_ACME_ISSUER: provider.url,
    OIDC_ACME_CLIENT_ID: 'acme-client',
    OIDC_ACME_CLIENT_SECRET: 'secret-of-acme',
  })
  const path = '/.well-known/openid-configuration'
  const begin = async (change?: object) => {
    const service = await createTestService(settings())
    provider.answers[path] = answerJson(document(change))
    const reply = await service.visitor().post('/sign-in/social', { provider: 'acme' })
    await service.stop()
    return reply
  }

  it('is asked once, when it is needed', async () => {
    const service = await createTestService(settings())
    provider.answers[path] = answerJson(document())
    const asked = () => provider.requests.filter(({ line }) => line === `GET ${path}`).length
    const before = asked()
    const replies = [1, 2, 3].map(() => service.visitor().post('/sign-in/social', { provider: 'acme' }))
    const [first] = await Promise.all(replies)
    expect([new URL(first!.body.url).origin, asked() - before]).toEqual([provider.url, 1])
    await service.stop()
  })

  it.each([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['an issuer with a slash more', { issuer: 'http://127.0.0.1/' }],
    ['plain http elsewhere', { token_endpoint: 'http://169.254.169.254/token' }],
    ['no address', { jwks_uri: undefined }],
    ['another scheme', { authorization_endpoint: 'javascript:alert(1)' }],
  ])('is not believed with %s', async (_name, change) => {
    expect((await begin(change)).status).toBe(503)
  })
})

describe('discovery at an issuer of https', () => {
  const issuer = 'https://id.example.com'
  const found = async (change: object) => {
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/a`,
      token_endpoint: `${issuer}/t`,
      jwks_uri: `${issuer}/k`,
    }
    const given = { OIDC_ACME_ISSUER: issuer, OIDC_ACME_CLIENT_ID: 'us', OIDC_ACME_CLIENT_SECRET: 'a-secret' }
    const { provider, registration } = readProviders(given).providers[0]!
    if (typeof provider.endpoints !== 'function') throw new Error('Nothing is found out')
    return provider.endpoints(registration, async () => ({ ...document, ...change }))
  }

  it('is believed with addresses of other hosts', async () => {
    expect(await found({ token_endpoint: 'https://tokens.example.com/t' })).toMatchObject({
      token: 'https://tokens.example.com/t',
    })
  })

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    'is not believed with plain http as %s, on the same host neither',
    async (name) => {
      await expect(found({ [name]: 'http://id.example.com/x' })).rejects.toThrow('not https')
    },
  )
})

it('knows no provider that the settings do not name', () => {
  expect(createProviders([], Date.now).find('github')).toBeNull()
})
