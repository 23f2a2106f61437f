import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ProviderId, providerIds } from '../../../shared/providers.ts'
import { agreeAt } from '../../testing/identity-server/browser.ts'
import { type Person, somebody } from '../../testing/identity-server/person.ts'
import type { Scene } from '../../testing/identity-server/scene.ts'
import { comeBack, goThrough } from '../../testing/identity-server/visit.ts'
import { type IdentityServer, startIdentityServer } from '../../testing/identity-server.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

let server: IdentityServer
let service: TestService

// Apple leads back to real domains only.
const BASE_URL = 'https://id.example.com'

beforeAll(async () => {
  server = await startIdentityServer({ service: `${BASE_URL}/api/auth` })
  service = await createTestService({
    ...server.settings,
    BASE_URL,
    GOOGLE_ACCESS_TYPE: 'offline',
    TRUSTED_PROVIDERS: providerIds.join(),
  })
})
afterAll(async () => {
  await service.stop()
  await server.stop()
})
beforeEach(() => {
  for (const { complaints } of Object.values(server.stands)) complaints.length = 0
})

const play = (id: ProviderId, scene: Scene) => {
  const extras = id === 'google' ? { access_type: 'offline' } : {}
  server.stands[id].scene = { extras, ...scene }
}

const targets = { callbackURL: '/home', errorCallbackURL: '/failed', newUserCallbackURL: '/welcome' }

async function signIn(
  id: ProviderId,
  scene: Scene,
  visitor = service.visitor(),
): Promise<Reply & { visitor: Visitor }> {
  play(id, scene)
  return { ...(await goThrough(visitor, '/sign-in/social', { provider: id, ...targets })), visitor }
}

async function link(id: ProviderId, scene: Scene, visitor: Visitor): Promise<Reply> {
  play(id, scene)
  return goThrough(visitor, '/link-social', { provider: id, callbackURL: '/linked', errorCallbackURL: '/failed' })
}

const locationOf = ({ headers }: Reply) => headers.get('location')
const usersWith = async (email: string | null) =>
  (await service.deps.sql`select from users where email = ${email ?? ''}`).length
const accountsOf = async (visitor: Visitor) => (await visitor.get('/list-accounts')).body

/** They tell no address: nobody has a way in by them. */
const addressless: readonly ProviderId[] = ['tiktok', 'reddit', 'roblox']
const others = providerIds.filter((id) => !addressless.includes(id))
const refreshing = others.filter((id) => !['facebook', 'github', 'linkedin'].includes(id))

describe.each(others)('%s', (id) => {
  test('makes a user, and knows them again', async () => {
    const person = somebody()
    const first = await signIn(id, { person })
    expect([first.status, locationOf(first)]).toEqual([302, '/welcome'])
    const { user } = (await first.visitor.get('/get-session')).body
    expect(user).toMatchObject({ name: person.name, email: person.email })

    const second = await signIn(id, { person })
    expect([second.status, locationOf(second)]).toEqual([302, '/home'])
    expect((await second.visitor.get('/get-session')).body.user.id).toBe(user.id)
    expect(await accountsOf(second.visitor)).toMatchObject([{ provider: id }])
    expect(server.stands[id].complaints).toEqual([])
  })

  test('is linked to who is signed in, and signs them in afterwards', async () => {
    const person = somebody()
    const visitor = await service.person({ email: person.email ?? '' })
    expect(locationOf(await link(id, { person }, visitor))).toBe('/linked')
    expect((await accountsOf(visitor)).map(({ provider }: { provider: string }) => provider).toSorted()).toEqual(
      ['credential', id].toSorted(),
    )
    expect(locationOf(await signIn(id, { person }))).toBe('/home')
    expect(await usersWith(person.email)).toBe(1)
  })

  test('takes over nobody by an address alone', async () => {
    const person = somebody()
    await service.person({ email: person.email ?? '' })
    // The address was never proven here.
    expect(locationOf(await signIn(id, { person }))).toBe('/failed?error=account_not_linked')
  })

  test('fails where the provider does, and makes nobody', async () => {
    const person = somebody()
    const token = { json: { error: 'invalid_grant' }, status: 400 }
    expect(locationOf(await signIn(id, { person, trouble: { token } }))).toBe('/failed?error=invalid_code')
    expect(await usersWith(person.email)).toBe(0)
  })

  test('makes nobody without an address', async () => {
    const before = await counted()
    expect(locationOf(await signIn(id, { person: somebody({ email: null }) }))).toBe('/failed?error=email_not_found')
    expect(await counted()).toEqual(before)
  })
})

const counted = async () => (await service.deps.sql`select count(*) from accounts`)[0]

describe.each(addressless)('%s', (id) => {
  test('never makes up an address', async () => {
    const before = await counted()
    expect(locationOf(await signIn(id, { person: somebody() }))).toBe('/failed?error=email_not_found')
    const visitor = await service.person()
    expect(locationOf(await link(id, { person: somebody() }, visitor))).toBe('/failed?error=email_not_found')
    // The person who signed up has one, by password.
    expect(Number((await counted())?.count)).toBe(Number(before?.count) + 1)
    expect(server.stands[id].complaints).toEqual([])
  })
})

const tokensOf = async (visitor: Visitor, providerId: string) => visitor.post('/refresh-token', { providerId })

test.each(refreshing)('%s refreshes, and again with what that brought', async (id) => {
  const { visitor } = await signIn(id, { person: somebody() })
  const seen: string[] = []
  for (const _round of [1, 2]) {
    const { status, body } = await tokensOf(visitor, id)
    expect(status).toBe(200)
    seen.push(body.accessToken)
  }
  expect(new Set(seen).size).toBe(2)
  expect(server.stands[id].complaints).toEqual([])
})

test.each(refreshing)('%s takes back what refreshes: no tokens, and the session stays', async (id) => {
  const { visitor } = await signIn(id, { person: somebody() })
  server.stands[id].refreshTokens.clear()
  const { status, body } = await tokensOf(visitor, id)
  expect([status, body.message]).toEqual([400, 'Failed to refresh access token'])
  expect((await visitor.get('/get-session')).body.user).toBeDefined()
})

test.each([
  ['facebook', 'Provider facebook does not support token refreshing.'],
  ['github', 'Failed to refresh access token'],
  ['linkedin', 'Failed to refresh access token'],
] as const)('%s has nothing to refresh with: %s', async (id, message) => {
  const { visitor } = await signIn(id, { person: somebody() })
  expect(await tokensOf(visitor, id)).toMatchObject({ status: 400, body: { message } })
})

describe('the same id at two providers', () => {
  test('is two people', async () => {
    const id = '42'
    const at = (provider: ProviderId, person: Person) => signIn(provider, { person })
    const ann = somebody({ id })
    const bob = somebody({ id })
    const [first, second] = [await at('github', ann), await at('gitlab', bob)]
    const users = [first, second].map(async ({ visitor }) => (await visitor.get('/get-session')).body.user)
    const [one, other] = await Promise.all(users)
    expect([one.email, other.email]).toEqual([ann.email, bob.email])

    // Nor does it lead from one to the other by a link.
    expect(locationOf(await link('gitlab', { person: { ...bob, email: ann.email } }, first.visitor))).toBe(
      '/failed?error=account_already_linked_to_different_user',
    )
    const again = await at('github', { ...ann, email: bob.email })
    expect((await again.visitor.get('/get-session')).body.user.id).toBe(one.id)
  })
})

test('a cancelled sign-in at Apple is told as Apple tells it', async () => {
  const callback = (fields: URLSearchParams) => {
    fields.delete('code')
    fields.set('error', 'user_cancelled_authorize')
  }
  expect(locationOf(await signIn('apple', { person: somebody(), callback }))).toBe(
    '/failed?error=user_cancelled_authorize',
  )
})

test('a form from elsewhere is not enough: the state has to be of this browser', async () => {
  play('apple', { person: somebody() })
  const { body } = await service.visitor().post('/sign-in/social', { provider: 'apple', ...targets })
  const landing = await comeBack(service.visitor(), await agreeAt(body.url))
  expect(locationOf(landing)).toMatch(/error=please_restart_the_process$/)
})

test('an access token of Facebook signs in once, and never when it was made for another application', async () => {
  const stand = server.stands.facebook
  const person = somebody()
  play('facebook', { person })
  const grant = { person, redirectUri: '', scope: '', state: '', challenge: undefined, nonce: undefined }
  stand.accessTokens.set('brought-along', { ...grant, isRefreshable: false, carried: {} })
  const signInWith = (token: string) =>
    service.visitor().post('/sign-in/social', { provider: 'facebook', idToken: { token } })
  expect(await signInWith('brought-along')).toMatchObject({ status: 200, body: { user: { email: person.email } } })
  expect(await signInWith('brought-along')).toMatchObject({ status: 401, body: { message: 'invalid token' } })

  stand.accessTokens.set('of-others', { ...grant, isRefreshable: false, carried: {} })
  play('facebook', { person, more: (told: { data: object }) => ({ data: { ...told.data, app_id: '666' } }) })
  expect(await signInWith('of-others')).toMatchObject({ status: 401, body: { message: 'Failed to get user info' } })
  // The longest that such a token lives, and some days.
  const [row] = await service.deps.sql`
    select max(expires_at) > now() + interval '61 days' as is_long from verifications where identifier like 'id-token:%'
  `
  expect(row).toEqual({ isLong: true })
})
