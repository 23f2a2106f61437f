import { createHmac, hash, randomUUID } from 'node:crypto'
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { providerClient, startOpenIdProvider } from '../testing/openid-provider.ts'
import { idTokenOf, personAt } from '../testing/social.ts'
import { useStarted, useTestService } from '../testing/use-service.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), GOOGLE_AUDIENCES: 'our-phone, our-tablet' }))

const signIn = (token: string, more: object = {}) =>
  service.visitor().post('/sign-in/social', { provider: 'google', idToken: { token, ...more } })
const now = () => Math.floor(Date.now() / 1000)
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = () => ({ iss: provider.url, aud: providerClient.id, iat: now(), exp: now() + 300, ...personAt() })

/** Signed by somebody else's key, and saying so or not. */
async function foreign(header: Record<string, unknown>): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256')
  return new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey)
}

const publicJwk = async () =>
  ((await (await fetch(`${provider.url}/jwks`)).json()) as { keys: { kid: string }[] }).keys[0]!

function hmac(header: object, key: string): string {
  const text = `${encode(header)}.${encode(claims())}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

describe('an id token', () => {
  it('of the provider, for us, signs in', async () => {
    expect((await signIn(await idTokenOf(provider))).status).toBe(200)
    expect((await signIn(await idTokenOf(provider, { aud: 'our-phone' }))).status).toBe(200)
    expect((await signIn(await idTokenOf(provider, { aud: ['our-phone', 'x'], azp: 'our-phone' }))).status).toBe(200)
    // The keys are kept.
    expect(provider.requests).toEqual(['/jwks'])
  })

  const bad: Record<string, () => Promise<string>> = {
    'no token': async () => 'x',
    'an empty one': async () => '..',
    'another issuer': () => idTokenOf(provider, { iss: 'https://accounts.google.com' }),
    'an issuer that begins like ours': () => idTokenOf(provider, { iss: `${provider.url}.evil.example` }),
    'an issuer with a slash more': () => idTokenOf(provider, { iss: `${provider.url}/` }),
    'another audience': () => idTokenOf(provider, { aud: 'somebody-else' }),
    'no audience': () => idTokenOf(provider, { aud: undefined }),
    'several audiences and no party': () => idTokenOf(provider, { aud: [providerClient.id, 'other'] }),
    'several audiences, made for another': () =>
      idTokenOf(provider, { aud: [providerClient.id, 'other'], azp: 'other' }),
    'several audiences, made for a list of us': () =>
      idTokenOf(provider, { aud: [providerClient.id, 'other'], azp: [providerClient.id] as never }),
    'an expired one': () => idTokenOf(provider, { iat: now() - 600, exp: now() - 120 }),
    'an old one that has not expired': () => idTokenOf(provider, { iat: now() - 7200, exp: now() + 300 }),
    'no end': () => idTokenOf(provider, { exp: undefined }),
    'no time of issue': () => idTokenOf(provider, { iat: undefined }),
    'one from the future': () => idTokenOf(provider, { iat: now() + 600 }),
    'one that is not valid yet': () => idTokenOf(provider, { nbf: now() + 600 }),
    'no person': () => idTokenOf(provider, { sub: undefined }),
    'a person who is a number': () => idTokenOf(provider, { sub: 7 as never }),
    'alg none': async () => `${encode({ alg: 'none' })}.${encode(claims())}.`,
    'alg None with a signature': async () => `${encode({ alg: 'None' })}.${encode(claims())}.${encode('x')}`,
    'HS256 with the public key': async () => {
      const jwk = await publicJwk()
      const pem = await exportSPKI((await importJWK({ ...jwk }, 'RS256')) as Parameters<typeof exportSPKI>[0])
      return hmac({ alg: 'HS256', kid: jwk.kid }, pem)
    },
    'HS256 with our secret': async () => hmac({ alg: 'HS256' }, providerClient.secret),
    'a foreign key under the right name': async () => foreign({ kid: (await publicJwk()).kid }),
    'a foreign key under another name': () => foreign({ kid: 'other' }),
    'a foreign key that it brings along': async () => {
      const { publicKey } = await generateKeyPair('RS256', { extractable: true })
      const { exportJWK } = await import('jose')
      return foreign({ jwk: await exportJWK(publicKey) })
    },
    'a foreign address of keys': () => foreign({ jku: 'https://evil.example/keys', x5u: 'https://evil.example/x' }),
    'an empty name of a key': () => foreign({ kid: '' }),
    'a header that must be understood': async () =>
      `${encode({ alg: 'RS256', crit: ['exp'], kid: (await publicJwk()).kid })}.${encode(claims())}.${encode('x')}`,
    'a changed person': async () => {
      const [head, , signature] = (await idTokenOf(provider)).split('.')
      return [head, encode(claims()), signature].join('.')
    },
    'a cut signature': async () => (await idTokenOf(provider)).slice(0, -8),
  }

  it.each(Object.keys(bad))('with %s is refused on both paths', async (name) => {
    const token = await bad[name]!()
    const before = await users()
    expect((await signIn(token)).body).toEqual({ code: 'INVALID_TOKEN', message: 'invalid token' })
    const tapped = await service.visitor().post('/one-tap/callback', { idToken: token })
    expect(tapped.body).toEqual({ code: 'INVALID_ID_TOKEN', message: 'invalid id token' })
    expect(await users()).toBe(before)
  })

  it('is tried by One Tap three times in a window, then refused before it is looked at', async () => {
    const visitor = (await service.sibling({ RATE_LIMIT: 'on' })).visitor()
    const statuses: number[] = []
    for (const idToken of ['x', 'x', 'x', await idTokenOf(provider)])
      statuses.push((await visitor.post('/one-tap/callback', { idToken })).status)
    expect(statuses).toEqual([400, 400, 400, 429])
  })

  it('is kept by One Tap, with the scopes that Google gives it', async () => {
    const [visitor, { email }] = [service.visitor(), personAt()]
    await visitor.post('/one-tap/callback', { idToken: await idTokenOf(provider, { email }) })
    const [account] = (await visitor.get('/list-accounts')).body
    expect(account.scopes).toEqual(['openid', 'profile', 'email'])
    const { sql } = service.deps
    expect(await sql`select id_token is not null as is_kept from accounts where id = ${account.id}`).toEqual([
      { isKept: true },
    ])
  })

  it('names the nonce that the caller names', async () => {
    const nonce = randomUUID()
    expect((await signIn(await idTokenOf(provider, { nonce }), { nonce })).status).toBe(200)
    for (const other of ['other', hash('sha256', nonce)])
      expect((await signIn(await idTokenOf(provider, { nonce: other }), { nonce })).status).toBe(401)
    expect((await signIn(await idTokenOf(provider), { nonce })).status).toBe(401)
  })

  it('signs in once, on whatever path, however often it is sent at once', async () => {
    const token = await idTokenOf(provider)
    const replies = await Promise.all(Array.from({ length: 8 }, () => signIn(token)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await service.visitor().post('/one-tap/callback', { idToken: token })).status).toBe(400)
    const { sql } = service.deps
    const rows = await sql`select identifier from verifications where identifier like 'id-token:%'`
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it('signs in once, however its signature is written', async () => {
    const token = await idTokenOf(provider)
    expect((await signIn(token)).status).toBe(200)
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const twin = letters[letters.indexOf(token.at(-1)!) ^ 1]!
    for (const same of [`${token.slice(0, -1)}${twin}`, `${token}==`, `${token} `, ` ${token}`, `${token}\n`])
      expect([same, (await signIn(same)).status]).toEqual([same, 401])
  })

  it('is not used up, nor called wrong, while the keys of the provider cannot be had', async () => {
    const token = await idTokenOf(provider)
    const other = `${provider.url}/.well-known/openid-configuration`
    for (const GOOGLE_JWKS_URL of ['http://127.0.0.1:1/jwks', `${provider.url}/no-such-page`, other]) {
      const away = await service.sibling({ GOOGLE_JWKS_URL })
      const idToken = { provider: 'google', idToken: { token } }
      expect((await away.visitor().post('/sign-in/social', idToken)).status).toBe(503)
      expect((await away.visitor().post('/one-tap/callback', { idToken: token })).status).toBe(503)
    }
    expect((await signIn(token)).status).toBe(200)
  })

  it('alone says who it is: nothing else in the body does', async () => {
    const { email } = personAt()
    const token = await idTokenOf(provider, { email })
    const more = { user: { email: 'eve@example.com', name: 'Eve' }, email: 'eve@example.com', accessToken: 'of-eve' }
    const { body } = await service
      .visitor()
      .post('/sign-in/social', { provider: 'google', ...more, idToken: { token, ...more } })
    expect([body.user.email, body.user.name]).toEqual([email, 'Ann'])
  })

  it('is worth nothing at a provider that is not asked for such', async () => {
    const github = await service.sibling(provider.settings('GITHUB'))
    const token = await idTokenOf(provider)
    const reply = await github.visitor().post('/sign-in/social', { provider: 'github', idToken: { token } })
    expect([reply.status, reply.body.message]).toEqual([404, 'id_token not supported'])
  })

  it('is of the domain that the settings name', async () => {
    const send = async (domain: string, hd?: string) => {
      const at = await service.sibling({ GOOGLE_HOSTED_DOMAIN: domain })
      const idToken = { token: await idTokenOf(provider, { hd }) }
      return (await at.visitor().post('/sign-in/social', { provider: 'google', idToken })).status
    }
    expect([await send('acme.example', 'acme.example'), await send('*', 'acme.example')]).toEqual([200, 200])
    expect([await send('acme.example', 'evil.example'), await send('acme.example'), await send('*')]).toEqual([
      401, 401, 401,
    ])
  })
})

const users = async () => {
  const [row] = await service.deps.sql<{ n: number }[]>`select count(*)::integer as n from users`
  return row?.n
}
