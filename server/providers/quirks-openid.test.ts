import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { signToken } from '../testing/identity-server/keys.ts'
import { type FlowOptions, flowsOf } from '../testing/identity-server/one-flow.ts'
import { microsoftTenant } from '../testing/identity-server/openid-rules.ts'
import { somebody } from '../testing/identity-server/person.ts'
import { idToken } from '../testing/identity-server/token.ts'
import { type IdentityServer, startIdentityServer } from '../testing/identity-server.ts'
import { useStarted } from '../testing/use-service.ts'

const server = useStarted(() => startIdentityServer({ service: 'https://id.example.com/api/auth' }))

type Id = keyof IdentityServer['stands']

const { flowAt, identityAt } = flowsOf(() => server)

const withClaims = (more: JWTPayload) => ({ claims: (claims: JWTPayload) => ({ ...claims, ...more }) })

/** `in`, or the step that failed. */
const outcomeOf = (found: Promise<unknown>): Promise<string> =>
  found.then(
    () => 'in',
    ({ step }: { step: string }) => step,
  )

/** Without any redirect, as applications on a phone do it. */
async function identifyAt(id: Id, more: JWTPayload, nonce: string | null, options: FlowOptions = {}) {
  const { providers, configured } = flowAt(id, {}, options)
  const token = await idToken(server.stands[id], undefined, more)
  return providers.identify(configured, { token, nonce }, 'somebody')
}

describe('Apple', () => {
  test('tells the name once, and a later sign-in has none', async () => {
    const person = somebody({ name: 'Ann Lee' })
    expect(await identityAt('apple', { person })).toMatchObject({ name: 'Ann Lee' })
    expect(await identityAt('apple', { person })).toMatchObject({ name: '' })
  })

  test.each([
    ['{"name":{"firstName":" Ann "}}', 'Ann'],
    ['{"name":{"lastName":"Lee","firstName":null}}', 'Lee'],
    ['{"name":"Ann"}', ''],
    ['{"name":', ''],
    ['null', ''],
  ])('reads the name of %s as %j', async (user, name) => {
    expect(await identityAt('apple', { callback: (fields) => fields.set('user', user) })).toMatchObject({ name })
  })

  test('takes nothing but a name from what nobody signed', async () => {
    const person = somebody()
    const user = JSON.stringify({ email: 'victim@example.com', sub: '1', name: { firstName: 'Ann' } })
    const identity = await identityAt('apple', { person, callback: (fields) => fields.set('user', user) })
    expect(identity).toMatchObject({ id: person.id, email: person.email, name: 'Ann' })
  })

  test.each([
    ['false', false],
    ['true', true],
    [true, true],
    [false, false],
    [1, false],
    [undefined, false],
  ])('an email_verified of %j is %j', async (verified, emailVerified) => {
    expect(await identityAt('apple', withClaims({ email_verified: verified }))).toMatchObject({ emailVerified })
  })

  test('takes a relayed address as any other', async () => {
    const email = 'abc123@privaterelay.appleid.com'
    expect(await identityAt('apple', withClaims({ email, is_private_email: 'true' }))).toMatchObject({ email })
  })

  test('takes a secret that was signed elsewhere', async () => {
    const { appleKey, client } = server.stands.apple
    const { SignJWT, importPKCS8 } = await import('jose')
    const clientSecret = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: appleKey.keyId })
      .setIssuer(appleKey.teamId)
      .setSubject(client.id)
      .setAudience('https://appleid.apple.com')
      .setIssuedAt()
      .setExpirationTime('180d')
      .sign(await importPKCS8(appleKey.pem, 'ES256'))
    const options = { registration: { clientSecret, options: { PRIVATE_KEY: '' } } }
    expect(await identityAt('apple', {}, options)).toHaveProperty('id')
  })

  test('takes a key whose line breaks are written out', async () => {
    const PRIVATE_KEY = server.stands.apple.appleKey.pem.replaceAll('\n', '\\n')
    expect(await identityAt('apple', {}, { registration: { options: { PRIVATE_KEY } } })).toHaveProperty('id')
  })

  const native = { registration: { options: { APP_BUNDLE_IDS: 'com.example.app, com.example.other' } } }
  const hashed = createHash('sha256').update('my nonce').digest('hex')

  test.each([
    ['the nonce itself', 'my nonce', true],
    ['its hash', hashed, true],
    ['another', 'your nonce', false],
    ['none', undefined, false],
  ])('a native token with %s', async (_what, nonce, isTaken) => {
    const identified = identifyAt('apple', { aud: 'com.example.app', nonce }, 'my nonce', native)
    expect(await outcomeOf(identified)).toBe(isTaken ? 'in' : 'id-token')
  })

  test('a native token of an application that is not ours', async () => {
    await expect(identifyAt('apple', { aud: 'com.example.evil' }, null, native)).rejects.toMatchObject({
      step: 'id-token',
    })
  })
})

describe('Microsoft', () => {
  const ofTenant = (tid: string) => {
    const { url } = server.stands.microsoft
    return withClaims({ tid, iss: `${url}/${tid}/v2.0` })
  }
  const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad'
  const other = '11111111-2222-4333-8444-555555555555'

  test.each([
    ['common', microsoftTenant, true],
    ['common', consumers, true],
    ['organizations', microsoftTenant, true],
    ['organizations', consumers, false],
    ['consumers', consumers, true],
    ['consumers', microsoftTenant, false],
    [microsoftTenant, microsoftTenant, true],
    [microsoftTenant.toUpperCase(), microsoftTenant, true],
    [microsoftTenant, other, false],
    ['common', 'not-a-guid', false],
  ])('of %s, somebody from %s: %j', async (TENANT, tid, isIn) => {
    const found = identityAt('microsoft', ofTenant(tid), { registration: { options: { TENANT } } })
    expect(await outcomeOf(found)).toBe(isIn ? 'in' : 'id-token')
  })

  test.each([
    ['a tenant in the issuer that is not that of the claim', { tid: other }],
    ['no tenant at all', { tid: undefined }],
    ['the placeholder itself', { tid: '{tenantid}' }],
  ])('%s is refused', async (_what, more) => {
    await expect(identityAt('microsoft', withClaims(more))).rejects.toMatchObject({ step: 'id-token' })
  })

  test.each([
    [`/${microsoftTenant}/v2.0`, 'in'],
    ['/{tenantid}/v2.0', 'in'],
    ['/common/v2.0', 'token'],
    [`/evil/${microsoftTenant}/v2.0`, 'token'],
  ])('a callback that names %s: %s', async (issuer, outcome) => {
    const callback = (fields: URLSearchParams) => fields.set('iss', `${server.stands.microsoft.url}${issuer}`)
    expect(await outcomeOf(identityAt('microsoft', { callback }))).toBe(outcome)
  })

  test.each([
    [{ xms_edov: true }, true],
    [{ xms_edov: 1 }, true],
    [{ xms_edov: '1' }, true],
    [{ xms_edov: 'true' }, true],
    [{ xms_edov: '0' }, false],
    [{ xms_edov: false }, false],
    [{ xms_edov: undefined }, false],
    [{ xms_edov: undefined, email_verified: true }, false],
    [{ xms_edov: undefined, email: 'a@example.com', verified_primary_email: ['a@example.com'] }, true],
    [{ xms_edov: undefined, email: 'a@example.com', verified_secondary_email: ['a@example.com'] }, true],
    [{ xms_edov: undefined, email: 'a@example.com', verified_primary_email: ['b@example.com'] }, false],
    [{ xms_edov: undefined, email: 'a@example.com', verified_primary_email: 'a@example.com' }, false],
  ])('%j states of the address: %j', async (more, emailVerified) => {
    expect(await identityAt('microsoft', withClaims(more))).toMatchObject({ emailVerified })
  })

  test('never takes the name of an account for an address', async () => {
    const claims = { email: undefined, preferred_username: 'ann@contoso.com', upn: 'ann@contoso.com' }
    expect(await identityAt('microsoft', withClaims(claims))).toMatchObject({ email: null })
  })

  test('takes the photo along, and does without', async () => {
    const image = 'data:image/jpeg;base64,/9j/2Q=='
    expect(await identityAt('microsoft')).toMatchObject({ image, isImageUnread: false })
    const none = { more: { json: { error: { code: 'ImageNotFound' } }, status: 404 } }
    expect(await identityAt('microsoft', { trouble: none })).toMatchObject({ image: null, isImageUnread: false })
    const busy = { more: { json: {}, status: 429 } }
    expect(await identityAt('microsoft', { trouble: busy })).toMatchObject({ image: null, isImageUnread: true })
    expect(await identityAt('microsoft', { trouble: { more: 'html' } })).toMatchObject({ image: null })
  })

  test('has nothing to refresh with unless offline access is asked for', async () => {
    const scope = 'openid profile email'
    const flow = flowAt('microsoft', { scope }, { registration: { scopes: scope.split(' ') } })
    expect((await flow.run()).tokens.refreshToken).toBeNull()
  })

  test.each([
    [null, 'openid profile email User.Read offline_access Calendars.Read'],
    [['openid', 'email', 'offline_access'], 'openid email offline_access Calendars.Read'],
  ])('with the scopes %j is asked again for all that was granted', async (scopes, scope) => {
    const scene = scopes ? { scope: scopes.join(' ') } : {}
    const flow = flowAt('microsoft', scene, { registration: { scopes } })
    const { tokens, identity } = await flow.run()
    const kept = { accountId: identity.id, scopes: ['openid', 'Calendars.Read'] }
    await flow.providers.refresh(flow.configured, tokens.refreshToken ?? '', kept, 'somebody').catch(() => undefined)
    expect(server.stands.microsoft.seen.at(-1)?.form.scope).toBe(scope)
  })

  test('an error with its own words is a failed exchange', async () => {
    const json = { error: 'invalid_grant', error_description: 'AADSTS70008: …', error_codes: [70_008] }
    await expect(identityAt('microsoft', { trouble: { token: { json, status: 400 } } })).rejects.toMatchObject({
      step: 'token',
    })
  })
})

describe('Google', () => {
  test('writes its issuer with and without the scheme', async () => {
    const iss = server.stands.google.url
    // Only https is left out: the stand-in is reached by http.
    await expect(identityAt('google', withClaims({ iss: iss.replace('http://', '') }))).rejects.toThrow('id-token')
    const secure = { issuer: 'https://accounts.google.com' }
    const overrides = { ...server.stands.google.endpoints, ...secure }
    for (const claimed of ['https://accounts.google.com', 'accounts.google.com'])
      expect(await identityAt('google', withClaims({ iss: claimed }), { registration: { overrides } })).toHaveProperty(
        'id',
      )
  })

  test.each([
    ['example.com', 'example.com', true],
    ['Example.com', 'example.com', true],
    ['example.com', 'evil.com', false],
    ['example.com', undefined, false],
    ['*', 'any.example', true],
    ['*', undefined, false],
    ['*', '', false],
  ])('a domain of %j, and a claim of %j: %j', async (HOSTED_DOMAIN, hd, isIn) => {
    const scene = { ...withClaims({ hd }), extras: { hd: HOSTED_DOMAIN } }
    const found = identityAt('google', scene, { registration: { options: { HOSTED_DOMAIN } } })
    expect(await outcomeOf(found)).toBe(isIn ? 'in' : 'id-token')
  })

  test('gives what refreshes at the first consent alone, and when it is asked again', async () => {
    const person = somebody()
    const tokensWith = async (options: Record<string, string>, extras: Record<string, string>) =>
      (await flowAt('google', { person, extras }, { registration: { options } }).run()).tokens.refreshToken
    const offline = [{ ACCESS_TYPE: 'offline' }, { access_type: 'offline' }] as const
    expect(await tokensWith(...offline)).not.toBeNull()
    expect(await tokensWith(...offline)).toBeNull()
    const again = [
      { ACCESS_TYPE: 'offline', PROMPT: 'consent' },
      { access_type: 'offline', prompt: 'consent' },
    ] as const
    expect(await tokensWith(...again)).not.toBeNull()
  })

  test('names itself in the callback, or does not; anybody else there is refused', async () => {
    const { issuer } = server.stands.google.endpoints
    expect(await identityAt('google', { callback: (fields) => fields.set('iss', issuer) })).toHaveProperty('id')
    await expect(
      identityAt('google', { callback: (fields) => fields.set('iss', 'https://evil.example') }),
    ).rejects.toMatchObject({ step: 'token' })
  })

  test('takes tokens of our other applications, and of no others', async () => {
    const several = { registration: { options: { AUDIENCES: 'ios-app, android-app' } } }
    await expect(identifyAt('google', { aud: 'android-app' }, null, several)).resolves.toHaveProperty('id')
    await expect(identifyAt('google', { aud: 'evil-app' }, null, several)).rejects.toThrow('id-token')
    await expect(identifyAt('google', { aud: 'ios-app' }, null)).rejects.toThrow('id-token')
  })
})

describe('LinkedIn', () => {
  test('takes both of its issuers, and no third', async () => {
    const { url } = server.stands.linkedin
    expect(await identityAt('linkedin', withClaims({ iss: url }))).toHaveProperty('id')
    await expect(identityAt('linkedin', withClaims({ iss: `${url}/other` }))).rejects.toThrow('id-token')
  })

  test('"false" is not true', async () => {
    expect(await identityAt('linkedin', withClaims({ email_verified: 'false' }))).toMatchObject({
      emailVerified: false,
    })
  })
})

describe('Twitch', () => {
  test('tells its scopes as a list', async () => {
    const { tokens } = await flowAt('twitch').run()
    expect(tokens.scopes).toEqual(['user:read:email', 'openid'])
  })

  test('an error in words of its own is a failed exchange', async () => {
    const json = { status: 400, message: 'Invalid authorization code' }
    await expect(identityAt('twitch', { trouble: { token: { json, status: 400 } } })).rejects.toThrow('token')
  })

  test('needs the nonce back', async () => {
    await expect(identityAt('twitch', withClaims({ nonce: undefined }))).rejects.toThrow('id-token')
  })
})

describe('Roblox', () => {
  test('does without a picture', async () => {
    expect(await identityAt('roblox', { person: somebody({ picture: null }) })).toMatchObject({ image: null })
  })

  test('a profile of somebody else is refused', async () => {
    const profile = (told: { sub: string }) => ({ ...told, sub: '1' })
    await expect(identityAt('roblox', { profile })).rejects.toMatchObject({ step: 'profile' })
  })

  test('takes ES256 alone', async () => {
    const sign = (claims: JWTPayload) => signToken(claims, server.stands.roblox.keys.RS256)
    await expect(identityAt('roblox', { sign })).rejects.toMatchObject({ step: 'id-token' })
  })

  test.each(['apple', 'google', 'linkedin', 'microsoft', 'twitch'] as const)('and %s RS256 alone', async (id) => {
    const sign = (claims: JWTPayload) => signToken(claims, server.stands[id].keys.ES256)
    await expect(identityAt(id, { sign })).rejects.toMatchObject({ step: 'id-token' })
  })
})
