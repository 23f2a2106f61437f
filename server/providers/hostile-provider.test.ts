import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readProviders } from '../settings/providers.ts'
import { answerJson, type ScriptedProvider, startScriptedProvider, tokenReply } from '../testing/scripted-provider.ts'
import { createTestService, type TestService } from '../testing/service.ts'
import { locationOf } from '../testing/social.ts'
import { createProviders } from './create-providers.ts'
import { createCallOut } from './outbound.ts'

let provider: ScriptedProvider
let trap: ScriptedProvider
beforeAll(async () => {
  provider = await startScriptedProvider()
  trap = await startScriptedProvider()
})
afterAll(async () => {
  await provider.stop()
  await trap.stop()
})
beforeEach(() => {
  provider.answers['/token'] = answerJson(tokenReply)
  provider.answers['/user'] = answerJson({ id: 7, login: 'ann', email: 'ann@example.com' })
  trap.requests.length = 0
})

/** Each with a service of its own: a provider that fails too often is left alone. */
async function signIn(service: TestService): Promise<string> {
  const visitor = service.visitor()
  const { body } = await visitor.post('/sign-in/social', { provider: 'github', errorCallbackURL: '/no' })
  const state = new URL(body.url).searchParams.get('state')
  return locationOf(await visitor.get(`/callback/github?state=${state}&code=c`))
}

const html = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Down for maintenance</h1>')
const huge = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const write = (left: number): unknown => {
    if (left === 0 || response.destroyed) return response.end()
    return response.write('x'.repeat(65_536)) ? write(left - 1) : response.once('drain', () => write(left - 1))
  }
  response.on('error', () => undefined)
  return write(80)
}
const elsewhere = (response: ServerResponse) => response.writeHead(302, { location: `${trap.url}/stolen` }).end()
const halfWay = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"access_token":')
  setTimeout(() => response.destroy(), 10)
}
const stalls = () => undefined
const drips = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(timer))
}
const kinds = { html, huge, elsewhere, halfWay, stalls, drips, failing: answerJson({ error: 'x' }, 500) }

describe.each(Object.entries(kinds))('a provider: %s', (_name, answer) => {
  it.each([
    ['/token', '/no?error=invalid_code'],
    ['/user', '/no?error=unable_to_get_user_info'],
  ])('at %s', async (path, location) => {
    const service = await createTestService(provider.settings('GITHUB'))
    provider.answers[path] = answer
    expect(await signIn(service)).toBe(location)
    expect(trap.requests).toEqual([])
    expect(await service.deps.sql`select from users`).toHaveLength(0)
    await service.stop()
  })
})

describe('a provider that stalls', () => {
  it('holds nobody else up', async () => {
    const service = await createTestService({ ...provider.settings('GITHUB'), DATABASE_POOL: '2' })
    const ann = await service.person()
    const waiting: ServerResponse[] = []
    provider.answers['/token'] = (response) => waiting.push(response)
    const signIns = Array.from({ length: 200 }, () => signIn(service))
    // All of them at once on a free machine; on a busy one the first have given up when the last arrive.
    await expect.poll(() => waiting.length).toBeGreaterThan(100)
    for (let round = 0; round < 20; round += 1) expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    provider.answers['/token'] = answerJson({ error: 'bad' })
    for (const response of waiting) answerJson({ error: 'bad' })(response, new URLSearchParams(), undefined as never)
    expect(new Set(await Promise.all(signIns))).toEqual(new Set(['/no?error=invalid_code']))
    await service.stop()
  })

  it('is left alone after ten failures, and asked again after a rest', async () => {
    let now = 0
    const callOut = createCallOut(() => now)
    const asked = () => provider.requests.filter(({ line }) => line === 'GET /down').length
    provider.answers['/down'] = answerJson({}, 503)
    const ask = () =>
      callOut(`${provider.url}/down`).then(
        ({ status }) => status,
        () => 'left alone',
      )
    for (let round = 0; round < 10; round += 1) expect(await ask()).toBe(503)
    expect([await ask(), asked()]).toEqual(['left alone', 10])
    now += 30_000
    expect([await ask(), await ask(), asked()]).toEqual([503, 'left alone', 11])
    now += 30_000
    provider.answers['/down'] = answerJson({})
    expect([await ask(), await ask(), asked()]).toEqual([200, 200, 13])
  })
})

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
