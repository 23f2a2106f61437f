import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { linkTo, userOf } from '../../testing/mailed.ts'
import { mutationsOf } from '../../testing/mutations.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { found } from '../../testing/organizations.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { mutations, timeFor } from '../../testing/rounds.ts'
import { dumpTables, trail } from '../../testing/rows.ts'
import { idTokenOf } from '../../testing/social.ts'
import { sameBytes } from '../../testing/spellings.ts'
import { useMade, useStarted, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const secret = 'Older-k3Jx9vQ2mWz7Lr5TbN8yHd4FsG6p'
const another = 'another horse battery staple'
const cookieName = 'postern.session_token'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({
  SECRET: secret,
  INVITATION_REQUIRES_VERIFIED_EMAIL: 'off',
  STATE_COOKIE: 'off',
  ...provider.settings('GOOGLE'),
}))
const byMail = useMade(() => service.sibling({ DELETE_USER_MODE: 'email' }))
const caching = useMade(() => service.sibling({ COOKIE_CACHE: 'on' }))
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))
const acme = useMade(() => found(service))

type Person = Visitor & { email: string }

async function newState(person: Person): Promise<string> {
  const { body } = await person.post('/link-social', { provider: 'google' })
  return new URL(body.url).searchParams.get('state') ?? ''
}

/** One living token of each kind, all of one user. */
async function allTokens() {
  const person: Person = await service.person()
  const { email } = person
  await service.visitor().post('/send-verification-email', { email })
  const verification = (await linkTo(service, email, 'verify-email')).token
  await proveAddress(service.deps.sql, email)
  await person.post('/change-email', { newEmail: `new-${email}` })
  const change = (await linkTo(service, email, 'change-email')).token
  await service.deps.sql`update users set email_verified = false where email = ${email}`
  await strict.copyOf(person).post('/change-email', { newEmail: `newer-${email}` })
  const newAddress = (await linkTo(service, `newer-${email}`, 'verify-email')).token
  await service.visitor().post('/forget-password', { email })
  const reset = (await linkTo(service, email, 'reset-password')).token
  await byMail.copyOf(person).post('/delete-user')
  const deletion = (await linkTo(service, email, 'delete-account')).token
  const invitation = await acme.invite(email)
  const browser = caching.copyOf(person)
  await browser.get('/get-session')
  const { session, user } = (await person.get('/get-session')).body
  const cookie = decodeURIComponent(person.cookies.get(cookieName) ?? '')
  const claims = JSON.parse(Buffer.from(verification.split('.')[1]!, 'base64url').toString())
  const tokens = {
    verification,
    change,
    'new address': newAddress,
    reset,
    deletion,
    session: session.token as string,
    cookie,
    invitation,
    'copy of the session': browser.cookies.get('postern.session_data') ?? '',
    'id of the session': session.id as string,
    'id of the user': user.id as string,
    'jti of the verification': claims.jti as string,
    state: await newState(person),
    'id token': await idTokenOf(provider, { email: `at-google-${email}` }),
  }
  return { person, tokens }
}
type Kind = keyof Awaited<ReturnType<typeof allTokens>>['tokens']

/**
 * Not given at all; the token within the cookie, which is a bearer token; or a provider's token whose signature is spelled
 * in another way, which is our library's to read.
 */
function isStillOne(tokens: Record<Kind, string>, kind: Kind, text: string): boolean {
  const signedIn = (token: string) => token.slice(0, token.lastIndexOf('.'))
  const signatureIn = (token: string) => Buffer.from(token.slice(token.lastIndexOf('.')), 'base64url')
  const isSpelled = signedIn(text) === signedIn(tokens[kind]) && signatureIn(text).equals(signatureIn(tokens[kind]))
  return text === '' || text === tokens.session || (kind === 'id token' && isSpelled)
}

/** What takes a token, which kind, and whether it was taken. */
const consumers: Record<string, { takes: Kind[]; offer: (token: string, person: Person) => Promise<boolean> }> = {
  'GET /verify-email': {
    takes: ['verification', 'change', 'new address'],
    offer: async (token, person) =>
      (await person.get(`/verify-email?token=${encodeURIComponent(token)}`)).status === 200,
  },
  'POST /reset-password': {
    takes: ['reset'],
    offer: async (token) =>
      (await service.visitor().post('/reset-password', { token, newPassword: another })).status === 200,
  },
  'GET /reset-password/{token}': {
    takes: ['reset'],
    offer: async (token) => {
      const reply = await service.visitor().get(`/reset-password/${encodeURIComponent(token)}?callbackURL=/r`)
      return new URL(reply.headers.get('location') ?? 'http://x').searchParams.has('token')
    },
  },
  'POST /delete-user': {
    takes: ['deletion'],
    offer: async (token, person) => (await person.post('/delete-user', { token })).status === 200,
  },
  'GET /delete-user/callback': {
    takes: ['deletion'],
    offer: async (token, person) =>
      (await person.get(`/delete-user/callback?token=${encodeURIComponent(token)}`)).status === 200,
  },
  'GET /organization/get-invitation': {
    takes: ['invitation'],
    offer: async (token, person) =>
      (await person.get(`/organization/get-invitation?id=${encodeURIComponent(token)}`)).status === 200,
  },
  'POST /organization/accept-invitation': {
    takes: ['invitation'],
    offer: async (token, person) =>
      (await person.post('/organization/accept-invitation', { invitationId: token })).status === 200,
  },
  'POST /organization/reject-invitation': {
    takes: ['invitation'],
    offer: async (token, person) =>
      (await person.post('/organization/reject-invitation', { invitationId: token })).status === 200,
  },
  'GET /callback/{id}': {
    takes: ['state'],
    offer: async (token, person) => {
      const reply = await person.get(`/callback/google?code=c&state=${encodeURIComponent(token)}`)
      return !reply.headers.get('location')?.includes('please_restart_the_process')
    },
  },
  'POST /sign-in/social': {
    takes: ['id token'],
    offer: async (token) => {
      const body = { provider: 'google', idToken: { token } }
      return (await service.visitor().post('/sign-in/social', body)).status === 200
    },
  },
  'POST /one-tap/callback': {
    takes: ['id token'],
    offer: async (token) => (await service.visitor().post('/one-tap/callback', { idToken: token })).status === 200,
  },
  'POST /revoke-session': {
    takes: ['session', 'id of the session'],
    offer: async (token, person) => (await person.post('/revoke-session', { token })).status === 200,
  },
  'a bearer header': {
    takes: ['session', 'cookie'],
    offer: async (token) => {
      const reply = await service
        .visitor()
        .get('/get-session', { authorization: `Bearer ${encodeURIComponent(token)}` })
      return reply.body !== null
    },
  },
  'a cookie': {
    takes: ['cookie'],
    offer: async (token) => {
      const reply = await service
        .visitor()
        .get('/get-session', { cookie: `${cookieName}=${encodeURIComponent(token)}` })
      return reply.body !== null
    },
  },
}

describe.each(Object.entries(consumers))('%s', (_name, { takes, offer }) => {
  it('takes tokens of its own kind alone; each other is a plain refusal that changes nothing', async () => {
    const { person, tokens } = await allTokens()
    const others = Object.entries(tokens).filter(([kind]) => !takes.includes(kind as Kind))
    expect(others.filter(([, token]) => token === '')).toEqual([])
    const before = await dumpTables(service, trail)
    const { length } = service.logged
    for (const [kind, token] of others) expect([kind, await offer(token, person)]).toEqual([kind, false])
    expect(await dumpTables(service, trail)).toBe(before)
    expect(service.logged.slice(length).filter(({ status }) => Number(status) >= 500)).toEqual([])
  })

  it.each(takes)('takes one for: %s', async (kind) => {
    const { person, tokens } = await allTokens()
    await service.deps.sql`update users set email_verified = ${kind === 'change'} where email = ${person.email}`
    expect(await offer(tokens[kind], person)).toBe(true)
  })

  it.each(takes)(
    'takes nothing that is nearly one for: %s',
    async (kind) => {
      const { person, tokens } = await allTokens()
      await service.deps.sql`update users set email_verified = ${kind === 'change'} where email = ${person.email}`
      const others = mutationsOf(tokens[kind]).filter((text) => !isStillOne(tokens, kind, text))
      const refused = fc.asyncProperty(others, async (mutated) => !(await offer(mutated, person)))
      await fc.assert(refused, { numRuns: mutations })
      expect(await offer(tokens[kind], person)).toBe(true)
    },
    timeFor(mutations, 0.1).timeout,
  )
})

/** HS384 or HS512, with a key that is meant for HS256. */
function otherHash(hash: string, claims: object, key: KeyObject): string {
  const text = `${encoded({ alg: `HS${hash.slice(3)}`, typ: 'verify-email+jwt' })}.${encoded(claims)}`
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const refused = { status: 401, body: { code: 'INVALID_TOKEN', message: 'invalid_token' }, setCookies: [] }

describe('a token that we did not make exactly so', () => {
  /** A real one taken apart, its key, and another user's address. */
  async function parts() {
    const { email } = await service.person()
    await service.visitor().post('/send-verification-email', { email })
    const { token } = await linkTo(service, email, 'verify-email')
    const [head = '', body = '', mac = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
    return { email, token, head, body, mac, claims, key: service.deps.keys.mail[0]! }
  }

  /** Signed with our very key: only the shape can refuse them. */
  async function wellSigned({ claims, key }: Awaited<ReturnType<typeof parts>>) {
    const sign = (payload: object, typ: string | null = 'verify-email+jwt') =>
      new SignJWT(payload as Record<string, unknown>)
        .setProtectedHeader({ alg: 'HS256', ...(typ === null ? {} : { typ }) })
        .sign(key)
    const changing = { ...claims, aud: 'change-email' }
    const lacking = (claim: string) => Object.fromEntries(Object.entries(claims).filter(([name]) => name !== claim))
    return [
      ...(await Promise.all(['exp', 'aud', 'jti', 'sub', 'email'].map((claim) => sign(lacking(claim))))),
      await sign(claims, null),
      await sign(claims, 'JWT'),
      await sign(claims, 'change-email+jwt'),
      await sign({ ...changing, updateTo: 'evil@example.com' }),
      await sign(changing),
      await sign(changing, 'change-email+jwt'),
      await sign({ ...claims, aud: 'reset-password' }),
      await sign({ ...claims, aud: 'new-email' }, 'new-email+jwt'),
      await sign({ ...claims, aud: 'new-email', updateTo: 'evil@example.com' }),
      await sign({ ...claims, aud: ['verify-email', 'change-email'] }),
      await sign({ ...claims, updateTo: 'evil@example.com' }),
      await sign({ ...changing, updateTo: 7 }, 'change-email+jwt'),
      await sign({ ...claims, email: ['ann@example.com'] }),
      await sign({ ...claims, sub: 7 }),
      await sign({ ...claims, jti: null }),
      await sign({ ...claims, jti: 'another' }),
      await sign({ ...claims, nbf: Math.floor(Date.now() / 1000) + 3600 }),
      await sign({ ...claims, exp: 'never' }),
      ...['sha384', 'sha512'].map((hash) => otherHash(hash, claims, key)),
    ]
  }

  async function forged(part: Awaited<ReturnType<typeof parts>>) {
    const { head, body, mac, claims, key } = part
    const unsigned = (header: object) => `${encoded(header)}.${body}.`
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = createPublicKey(pair.privateKey).export({ type: 'spki', format: 'pem' })
    const hmac = (secret: string | Buffer, text: string) =>
      createHmac('sha256', secret).update(text).digest('base64url')
    const bySecret = (secret: string | Buffer) => `${head}.${body}.${hmac(secret, `${head}.${body}`)}`
    return [
      ...['none', 'None', 'NONE', ''].map((alg) => unsigned({ alg, typ: 'verify-email+jwt' })),
      `${encoded({ alg: 'none', typ: 'verify-email+jwt' })}.${body}.${mac}`,
      await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'verify-email+jwt' }).sign(pair.privateKey),
      bySecret(String(pem)),
      bySecret(secret),
      bySecret(''),
      `${head}.${encoded({ ...claims, email: 'evil@example.com' })}.${mac}`,
      `${encoded({ alg: 'HS384' })}.${body}.${mac}`,
      `${encoded({ alg: 'HS256', crit: ['b64'], b64: false })}.${body}.${mac}`,
      `${encoded({ alg: 'HS256', jwk: { kty: 'oct', k: Buffer.alloc(32).toString('base64url') } })}.${body}.${bySecret(Buffer.alloc(32)).split('.')[2]}`,
      `${head}.${body}.${mac.slice(0, -2)}`,
      ...sameBytes(mac, 'base64url').map((other) => `${head}.${body}.${other}`),
      `${head}.${body}`,
      `${head}.${body}.${mac}.${mac}`,
      `.${body}.${mac}`,
      `${head}..${mac}`,
      // The same MAC over our text, made for another purpose.
      `${head}.${body}.${service.deps.keys.limit.sign(`${head}.${body}`).toString('base64url')}`,
      `${head}.${body}.${service.deps.keys.cookie.sign(`${head}.${body}`).toString('base64url')}`,
      key.export().toString('base64url'),
    ]
  }

  it('verifies nothing: no other algorithm, key, purpose, shape or text', async () => {
    const part = await parts()
    const tokens = [...(await wellSigned(part)), ...(await forged(part))]
    expect(tokens.length).toBeGreaterThanOrEqual(25)
    for (const token of tokens) {
      const reply = await service.visitor().get(`/verify-email?token=${encodeURIComponent(token)}`)
      expect({ token, ...reply }).toMatchObject(refused)
    }
    expect(await userOf(service, part.email)).toMatchObject({ emailVerified: false })
    expect((await service.visitor().get(`/verify-email?token=${part.token}`)).status).toBe(200)
  })

  it('is no mailed token made of a cookie, and no cookie made of a mailed token', async () => {
    const { head, body, token, mac } = await parts()
    const { cookies } = await service.person()
    const [value = '', cookieMac = ''] = decodeURIComponent(cookies.get(cookieName) ?? '').split('.')
    const url = Buffer.from(cookieMac, 'base64').toString('base64url')
    for (const made of [`${head}.${body}.${url}`, `${value}.${value}.${url}`, `${head}.${value}.${url}`])
      expect(await service.visitor().get(`/verify-email?token=${encodeURIComponent(made)}`)).toMatchObject(refused)
    const base64 = Buffer.from(mac, 'base64url').toString('base64')
    for (const made of [token, `${head}.${body}.${base64}`, `${value}.${base64}`, `${head}.${base64}`]) {
      const reply = await service.visitor().get('/get-session', { cookie: `${cookieName}=${encodeURIComponent(made)}` })
      expect(reply.body).toBeNull()
    }
  })
})
