import { generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import { afterEach, expect, test } from 'vitest'
import type { Environment } from '../../config.ts'
import { comeBack } from '../../testing/identity-server/visit.ts'
import { type OpenIdProvider, type Person, providerClient, startOpenIdProvider } from '../../testing/openid-provider.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { personAt } from '../../testing/social.ts'
import type { Visitor } from '../../testing/visitor.ts'

/** A certified OpenID provider in place of some of the eighteen: whole flows, none of it imitated by us. */
const BASE_URL = 'https://id.example.com'
const backAt = (id: string) => `${BASE_URL}/api/auth/callback/${id}`

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

interface Place {
  readonly provider: OpenIdProvider
  readonly service: TestService
  readonly id: string
}

async function openPlace(provider: OpenIdProvider, id: string, settings: Environment): Promise<Place> {
  const trusted = { BASE_URL, TRUSTED_PROVIDERS: id, ACCOUNT_LINKING: 'on' }
  const service = await createTestService({ ...provider.settings(id.toUpperCase()), ...trusted, ...settings })
  stops.push(
    () => service.stop(),
    () => provider.stop(),
  )
  return { provider, service, id }
}

const targets = { callbackURL: '/home', errorCallbackURL: '/failed', newUserCallbackURL: '/welcome' }

async function go({ provider, id }: Place, visitor: Visitor, person: Person, path = '/sign-in/social') {
  const { body } = await visitor.post(path, { provider: id, ...targets })
  const { status, headers } = await comeBack(visitor, await provider.visitToForm(body.url, person))
  return [status, headers.get('location')]
}

/** Signs up, comes again, is linked, refreshes. */
async function wholeStory(place: Place, person: Person) {
  const { service, id } = place
  const first = service.visitor()
  expect(await go(place, first, person)).toEqual([302, '/welcome'])
  const { user } = (await first.get('/get-session')).body
  expect(user).toMatchObject({ email: person.email })
  const second = service.visitor()
  expect(await go(place, second, person)).toEqual([302, '/home'])
  expect((await second.get('/get-session')).body.user.id).toBe(user.id)

  const other = personAt({ ...person, sub: `${person.sub}-2`, email: `other-${person.email}` })
  const linker = await service.person({ email: other.email ?? '' })
  expect(await go(place, linker, other, '/link-social')).toEqual([302, '/home'])
  expect((await linker.get('/list-accounts')).body).toHaveLength(2)

  const renewed = await second.post('/refresh-token', { providerId: id })
  expect(renewed.status).toBe(200)
  return user
}

test('as GitLab of our own, by OpenID scopes', async () => {
  const provider = await startOpenIdProvider({ redirectUris: [backAt('gitlab')] })
  const place = await openPlace(provider, 'gitlab', { GITLAB_SCOPES: 'openid profile email' })
  const picture = 'https://pictures.example.com/ann.png'
  const user = await wholeStory(place, personAt({ picture }))
  expect(user).toMatchObject({ name: 'Ann', emailVerified: true, image: picture })
})

const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'

test('as Microsoft, whose issuer holds the tenant', async () => {
  const provider = await startOpenIdProvider({ redirectUris: [backAt('microsoft')], path: `/${tenant}/v2.0` })
  const MICROSOFT_ISSUER = provider.url.replace(tenant, '{tenantid}')
  const MICROSOFT_SCOPES = 'openid profile email'
  const place = await openPlace(provider, 'microsoft', { MICROSOFT_ISSUER, MICROSOFT_SCOPES })
  const user = await wholeStory(place, personAt({ tid: tenant, xms_edov: true }))
  expect(user).toMatchObject({ emailVerified: true, image: null })
  // What the standard's claim says does not count there, and another tenant's token is not of this issuer.
  await go(place, place.service.visitor(), personAt({ tid: tenant }))
  expect(await place.service.deps.sql`select from users where not email_verified and name = 'Ann'`).toHaveLength(1)
  const stranger = personAt({ tid: '11111111-2222-4333-8444-555555555555', xms_edov: true })
  expect(await go(place, place.service.visitor(), stranger)).toEqual([302, '/failed?error=unable_to_get_user_info'])
})

test('as Apple, with a form that comes back and a secret that is signed', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const isSecret = (shown: string) =>
    jwtVerify(shown, publicKey, {
      algorithms: ['ES256'],
      audience: 'https://appleid.apple.com',
      issuer: 'TEAM123456',
      subject: providerClient.id,
    }).then(
      ({ protectedHeader }) => protectedHeader.kid === 'KEYID12345',
      () => false,
    )
  const provider = await startOpenIdProvider({ redirectUris: [backAt('apple')], isSecret })
  const place = await openPlace(provider, 'apple', {
    APPLE_SCOPES: 'openid email',
    APPLE_TEAM_ID: 'TEAM123456',
    APPLE_KEY_ID: 'KEYID12345',
    APPLE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  })
  const person = personAt()
  // Nobody tells a name: the address stands in for it.
  expect(await wholeStory(place, person)).toMatchObject({ name: person.email, emailVerified: true })
})

test('as one that nobody has heard of, found by its issuer alone', async () => {
  const provider = await startOpenIdProvider({ redirectUris: [backAt('acme')] })
  const { OIDC_ACME_ISSUER, OIDC_ACME_CLIENT_ID, OIDC_ACME_CLIENT_SECRET } = provider.settings('OIDC_ACME')
  const service = await createTestService({
    BASE_URL,
    OIDC_ACME_ISSUER,
    OIDC_ACME_CLIENT_ID,
    OIDC_ACME_CLIENT_SECRET,
    TRUSTED_PROVIDERS: 'acme',
  })
  stops.push(
    () => service.stop(),
    () => provider.stop(),
  )
  expect(await wholeStory({ provider, service, id: 'acme' }, personAt())).toMatchObject({ name: 'Ann' })
})
