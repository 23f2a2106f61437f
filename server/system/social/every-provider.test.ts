import { beforeEach, describe, expect, test } from 'vitest'
import { type ProviderId, providerIds } from '../../../shared/providers.ts'
import type { Extensions } from '../../settings/extensions.ts'
import { HookRefusal } from '../../settings/hook-refusal.ts'
import { agreeAt } from '../../testing/identity-server/browser.ts'
import { type Person, somebody } from '../../testing/identity-server/person.ts'
import type { Scene } from '../../testing/identity-server/scene.ts'
import { comeBack, goThrough } from '../../testing/identity-server/visit.ts'
import { startIdentityServer } from '../../testing/identity-server.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { withHooks } from '../../testing/mailed.ts'
import { type TestService } from '../../testing/service.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

// Apple leads back to real domains only.
const BASE_URL = 'https://id.example.com'

const server = useStarted(() => startIdentityServer({ service: `${BASE_URL}/api/auth` }))
const service = useTestService(() => ({
  ...server.settings,
  BASE_URL,
  GOOGLE_ACCESS_TYPE: 'offline',
  TRUSTED_PROVIDERS: providerIds.join(),
}))
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
/** They state no address as verified: it links nothing, and leads to nobody. */
const vouchless: readonly ProviderId[] = ['facebook', 'spotify', 'kick', 'vk']
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
    const isLinked = !vouchless.includes(id)
    expect(locationOf(await link(id, { person }, visitor))).toBe(
      isLinked ? '/linked' : '/failed?error=unable_to_link_account',
    )
    expect((await accountsOf(visitor)).map(({ provider }: { provider: string }) => provider).toSorted()).toEqual(
      ['credential', ...(isLinked ? [id] : [])].toSorted(),
    )
    expect(locationOf(await signIn(id, { person }))).toBe(isLinked ? '/home' : '/failed?error=account_not_linked')
    expect(await usersWith(person.email)).toBe(1)
  })

  test('leads to who has the address only where it proves that, and to nobody else’s way in', async () => {
    const person = somebody()
    const stranger = await service.person({ email: person.email ?? '' })
    const isOwner = !vouchless.includes(id)
    expect(locationOf(await signIn(id, { person }))).toBe(isOwner ? '/home' : '/failed?error=account_not_linked')
    // Whoever had the address without proving it is out.
    expect((await stranger.get('/list-accounts')).status).toBe(isOwner ? 401 : 200)
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
  const { user } = (await visitor.get('/get-session')).body
  server.stands[id].refreshTokens.clear()
  const { status, body } = await tokensOf(visitor, id)
  expect([status, body.message]).toEqual([400, 'Failed to refresh access token'])
  expect((await visitor.get('/get-session')).body.user).toMatchObject({ id: user.id })
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

const signInByFacebookToken = (token: string) =>
  service.visitor().post('/sign-in/social', { provider: 'facebook', idToken: { token } })

test('an access token of Facebook that a session was given makes no other session', async () => {
  const { visitor } = await signIn('facebook', { person: somebody() })
  const { accessToken } = (await visitor.post('/get-access-token', { providerId: 'facebook' })).body
  expect(await signInByFacebookToken(accessToken)).toMatchObject({ status: 401, body: { message: 'invalid token' } })
})

test('an access token of Facebook signs in once, and never when it was made for another application', async () => {
  const stand = server.stands.facebook
  const person = somebody()
  play('facebook', { person })
  const grant = { person, redirectUri: '', scope: '', state: '', challenge: undefined, nonce: undefined }
  stand.accessTokens.set('brought-along', { ...grant, isRefreshable: false, carried: {} })
  expect(await signInByFacebookToken('brought-along')).toMatchObject({
    status: 200,
    body: { user: { email: person.email } },
  })
  expect(await signInByFacebookToken('brought-along')).toMatchObject({
    status: 401,
    body: { message: 'invalid token' },
  })

  stand.accessTokens.set('of-others', { ...grant, isRefreshable: false, carried: {} })
  play('facebook', { person, more: (told: { data: object }) => ({ data: { ...told.data, app_id: '666' } }) })
  expect(await signInByFacebookToken('of-others')).toMatchObject({
    status: 401,
    body: { message: 'Failed to get user info' },
  })
  // The longest that such a token lives, and some days.
  const [row] = await service.deps.sql`
    select max(expires_at) > now() + interval '61 days' as is_long from verifications where identifier like 'id-token:%'
  `
  expect(row).toEqual({ isLong: true })
})

test('a picture that Microsoft could not give now stays, unlike one that is gone there', async () => {
  const overriding = await service.sibling({ MICROSOFT_OVERRIDE_USER_INFO: 'on' })
  const person = somebody()
  const pictureAfter = async (trouble: Scene['trouble']) => {
    const { visitor } = await signIn('microsoft', { person, ...(trouble && { trouble }) }, overriding.visitor())
    return (await visitor.get('/get-session')).body.user.image
  }
  const picture = 'data:image/jpeg;base64,/9j/2Q=='
  expect(await pictureAfter(undefined)).toBe(picture)
  expect(await pictureAfter({ more: { json: {}, status: 503 } })).toBe(picture)
  const own = 'https://example.com/own.png'
  const after = await service.deps.sql.begin(async (tx) => {
    await tx`update users set image = ${own} where image = ${picture}`
    const asked = pictureAfter({ more: { json: {}, status: 503 } })
    await untilWaiting(service)
    return { asked }
  })
  expect(await after.asked).toBe(own)
  expect(await pictureAfter({ more: { json: {}, status: 404 } })).toBeNull()
})

describe("the application's own view of a profile", () => {
  const views = (mapProfile: NonNullable<Extensions['mapProfile']>) => withHooks(service, { mapProfile })
  const enter = async (id: ProviderId, hooked: TestService, scene: Scene) => {
    play(id, scene)
    const visitor = hooked.visitor()
    const landing = await goThrough(visitor, '/sign-in/social', { provider: id, ...targets })
    return { location: locationOf(landing), user: (await visitor.get('/get-session')).body?.user }
  }

  test.each(addressless)('lets in whom %s tells no address of, and knows them again', async (id) => {
    const hooked = await views(({ id: theirs }, provider) => ({ email: `${theirs}@${provider}.example.com` }))
    const scene = { person: somebody() }
    const first = await enter(id, hooked, scene)
    expect(first).toMatchObject({ location: '/welcome', user: { emailVerified: false } })
    const second = await enter(id, hooked, scene)
    expect(second).toMatchObject({ location: '/home', user: { id: first.user.id } })
    expect(server.stands[id].complaints).toEqual([])
  })

  test('verifies no other address than the one that the provider spoke of', async () => {
    const other = `other-${somebody().id}@example.com`
    const hooked = await views(() => ({ email: other }))
    expect(await enter('gitlab', hooked, { person: somebody() })).toMatchObject({
      user: { email: other, emailVerified: false },
    })
    const sure = await views(() => ({ email: `sure-${other}`, emailVerified: true, name: 'Ann' }))
    expect(await enter('gitlab', sure, { person: somebody() })).toMatchObject({
      user: { email: `sure-${other}`, emailVerified: true, name: 'Ann' },
    })
  })

  test('is looked at as if the provider had said it, and never makes somebody of somebody else', async () => {
    const person = somebody()
    const hooked = await views(() => ({ id: '1', image: 'javascript:alert(1)', name: 'A\u001b[2J' }))
    const { user } = await enter('gitlab', hooked, { person })
    expect(user).toMatchObject({ email: person.email, image: null, name: 'A [2J' })
    const [account] = await service.deps.sql`select account_id from accounts where user_id = ${user.id}`
    expect(account).toEqual({ accountId: person.id })
  })

  test('refuses in its own words, and a fault of it says nothing', async () => {
    const refusing = await views(() => {
      throw new HookRefusal('Staff only')
    })
    expect((await enter('gitlab', refusing, { person: somebody() })).location).toBe(
      '/failed?error=staff_only&error_description=Staff+only',
    )
    const broken = await views(() => 'yes')
    expect((await enter('gitlab', broken, { person: somebody() })).location).toMatch(/error=internal_server_error$/)
  })
})
