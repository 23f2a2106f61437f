import type { ServerResponse } from 'node:http'
import { generateKeyPair, SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { readProviders } from '../settings/providers.ts'
import { type Answer, answerJson, startScriptedProvider } from '../testing/scripted-provider.ts'
import { createTestService } from '../testing/service.ts'
import { useStarted } from '../testing/use-service.ts'
import { createProviders } from './create-providers.ts'
import { verifyIdToken } from './id-token.ts'

const provider = useStarted(startScriptedProvider)

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
    ['an address that is too long', { jwks_uri: `https://id.example.com/${'x'.repeat(2048)}` }],
    ['another scheme', { authorization_endpoint: 'javascript:alert(1)' }],
  ])('is not believed with %s', async (_name, change) => {
    expect((await begin(change)).status).toBe(503)
  })
})

describe('discovery that fails', () => {
  const path = '/.well-known/openid-configuration'
  const beginning = { state: 's', redirectUri: 'https://us.example/cb', verifier: 'v', nonce: 'n', scopes: [] }
  const document = (change: object = {}) => {
    const [authorization_endpoint, token_endpoint, jwks_uri] = ['a', 't', 'k'].map((name) => `${provider.url}/${name}`)
    return answerJson({ issuer: provider.url, authorization_endpoint, token_endpoint, jwks_uri, ...change })
  }
  /** `begin` returns where the browser is sent, or the name and message of the error. */
  const start = (issuer = provider.url, answer = 5000) => {
    const clock = { now: 1_000_000 }
    const logged: unknown[] = []
    const given = { OIDC_ACME_ISSUER: issuer, OIDC_ACME_CLIENT_ID: 'us', OIDC_ACME_CLIENT_SECRET: 'a-secret' }
    const options = {
      times: { answer, flow: 2 * answer },
      issuers: [issuer],
      log: { warn: (line: unknown) => void logged.push(line) },
    }
    const all = createProviders(readProviders(given).providers, () => clock.now, options)
    const told = (error: Error) => `${error.name}: ${error.message}`
    const begin = () => all.begin(all.find('acme')!, beginning).then((url) => url.split('?')[0], told)
    const parts = [{ alg: 'RS256' }, { iss: issuer, aud: 'us' }, {}]
    const token = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const prove = () => all.proveWorkload([issuer], token).then(String, ({ name }: Error) => name)
    return { clock, logged, begin, prove }
  }
  const asked = () => provider.requests.splice(0).map(({ line }) => line)
  beforeEach(() => void asked())

  it('is asked once in five seconds, whoever wants to sign in', async () => {
    const { clock, begin } = start()
    provider.answers[path] = answerJson({}, 500)
    const first = await Promise.all(Array.from({ length: 30 }, begin))
    clock.now += 4999
    const later = await Promise.all(Array.from({ length: 30 }, begin))
    expect([new Set([...first, ...later]).size, asked()]).toEqual([1, [`GET ${path}`]])
    clock.now += 1
    provider.answers[path] = document()
    expect([await begin(), asked()]).toEqual([`${provider.url}/a`, [`GET ${path}`]])
  })

  it('opens the circuit after ten failures', async () => {
    const { clock, begin } = start()
    provider.answers[path] = answerJson({}, 500)
    for (let round = 0; round < 10; round += 1) {
      expect(await begin()).toContain('answered 500')
      clock.now += 5000
    }
    expect(asked()).toHaveLength(10)
    expect(await begin()).toContain('not called for a while')
    expect(asked()).toEqual([])
  })

  it('stays open to all while one person sends tokens of keys that cannot be fetched', async () => {
    const { prove } = start()
    provider.answers[path] = document()
    provider.answers['/k'] = answerJson({}, 500)
    for (let round = 0; round < 12; round += 1) await prove()
    expect(asked().filter((line) => line === 'GET /k')).toHaveLength(12)
  })

  it.each(['begin', 'prove'] as const)('leaves in use what was found before: %s', async (name) => {
    const { clock, logged, [name]: act } = start()
    provider.answers[path] = document()
    provider.answers['/k'] = answerJson({ keys: [] })
    const found = await act()
    expect([await act(), asked().filter((line) => line.endsWith(path))]).toEqual([found, [`GET ${path}`]])
    clock.now += 3_600_000
    provider.answers[path] = document({ jwks_uri: 'http://elsewhere.example/k' })
    expect([await act(), await act(), asked().filter((line) => line.endsWith(path))]).toEqual([
      found,
      found,
      [`GET ${path}`],
    ])
    const whose = name === 'begin' ? 'acme' : provider.url
    expect(logged).toEqual([{ provider: whose, err: expect.objectContaining({ name: 'ProviderError' }) }])
    clock.now += 60_000
    const renewed = { authorization_endpoint: `${provider.url}/new` }
    let answerNow = () => {}
    provider.answers[path] = (...given) => {
      answerNow = () => void document(renewed)(...given)
    }
    // Nobody waits for an answer that may not come.
    expect(await act()).toEqual(found)
    await expect.poll(asked).toContain(`GET ${path}`)
    answerNow()
    await expect.poll(act).toEqual(name === 'begin' ? `${provider.url}/new` : found)
    expect(logged).toHaveLength(1)
  })

  it.each([
    ['another issuer', { answer: answerJson({ issuer: 'https://evil.example' }) }, 'names another issuer'],
    ['no document', { answer: answerJson({}, 404) }, 'answered 404'],
    ['no JSON', { answer: (response: ServerResponse) => response.end('<html>') }, 'is not valid JSON'],
    ['no answer', { answer: () => undefined }, 'The answer took too long'],
    ['no connection', { issuer: 'http://127.0.0.1:1' }, 'ECONNREFUSED 127.0.0.1:1'],
  ])('says why: %s', async (_name, { answer, issuer }: { answer?: Answer; issuer?: string }, reason) => {
    if (answer) provider.answers[path] = answer
    const told = await start(issuer, reason.startsWith('The answer') ? 200 : undefined).begin()
    expect(told).toContain("ProviderError: The provider's discovery step failed: ")
    expect(told).toContain(reason)
  })
})

describe('discovery at an issuer of https', () => {
  const issuer = 'https://id.example.com'
  const usual = { OIDC_ACME_ISSUER: issuer, OIDC_ACME_CLIENT_ID: 'us', OIDC_ACME_CLIENT_SECRET: 'a-secret' }
  const found = async (change: object, given = usual) => {
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/a`,
      token_endpoint: `${issuer}/t`,
      jwks_uri: `${issuer}/k`,
    }
    const { provider, registration } = readProviders(given).providers[0]!
    if (typeof provider.endpoints !== 'function') throw new Error('Nothing is found out')
    const endpoints = await provider.endpoints(registration, async () => ({ ...document, ...change }))
    return { provider, registration, endpoints }
  }

  it.each([
    ['does not say', undefined, 'header'],
    ['takes it in the header', ['client_secret_basic'], 'header'],
    ['takes it in either', ['client_secret_basic', 'client_secret_post'], 'body'],
  ])('shows the secret where the document says: %s', async (_name, token_endpoint_auth_methods_supported, place) => {
    const given = { OIDC_ACME_ISSUER: issuer, OIDC_ACME_CLIENT_ID: 'us', OIDC_ACME_CLIENT_SECRET: 'secret:+of-acme' }
    const { provider, registration } = await found({ token_endpoint_auth_methods_supported }, given)
    const [body, headers] = [new URLSearchParams(), new Headers()]
    await provider.authentication?.(registration, body, headers)
    const basic = headers.get('authorization')?.replace(/^Basic /, '') ?? ''
    expect([body.toString(), atob(basic)]).toEqual(
      place === 'body' ? ['client_id=us&client_secret=secret%3A%2Bof-acme', ''] : ['', 'us:secret%3A%2Bof-acme'],
    )
  })

  const asked = { email: 'ann@example.com', email_verified: true, preferred_username: 'ann' }
  const whole = { id: 'ann', name: 'ann', email: 'ann@example.com', emailVerified: true, image: undefined }
  it.each([
    ['which lacks the address, about the same person', {}, { ...asked, sub: 'ann' }, whole],
    ['which lacks the address, about another', {}, { ...asked, sub: 'eve' }, null],
    ['which lacks the address, about nobody', {}, 'ann', null],
    [
      'which has the address, for nothing',
      { ...asked, email: 'old@example.com' },
      { ...asked, sub: 'ann' },
      { ...whole, email: 'old@example.com' },
    ],
  ])('asks its userinfo beside an id token %s', async (_name, claims, answer, profile) => {
    const { provider, registration, endpoints } = await found({ userinfo_endpoint: `${issuer}/u` })
    const source = { registration, accessToken: 'x', reply: {}, callback: {}, claims: { sub: 'ann', ...claims } }
    const ask = async (address: string) => (address === `${issuer}/u` ? answer : undefined)
    expect(await provider.profile?.({ ...source, endpoints, ask })).toEqual(profile)
  })

  it.each<[string, string]>([
    ...['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'].map((alg): [string, string] => [alg, 'ann']),
    ['RS512', 'ERR_JOSE_ALG_NOT_ALLOWED'],
  ])('id tokens by %s: %s', async (alg, expected) => {
    const { provider, registration, endpoints } = await found({})
    const { privateKey, publicKey } = await generateKeyPair(alg)
    const token = new SignJWT({ iss: issuer, aud: 'us', sub: 'ann' }).setProtectedHeader({ alg }).setIssuedAt()
    const check = { token: await token.setExpirationTime('5m').sign(privateKey), nonce: null }
    const keys = async () => async () => publicKey
    const read = verifyIdToken({ provider, registration }, provider.idToken!, endpoints, { ...check, keys })
    expect(
      await read.then(
        ({ sub }) => sub,
        ({ code }: { code: string }) => code,
      ),
    ).toBe(expected)
  })

  it('is believed with addresses of other hosts', async () => {
    const { endpoints } = await found({ token_endpoint: 'https://tokens.example.com/t' })
    expect(endpoints.token).toBe('https://tokens.example.com/t')
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
