import { describe, expect, test } from 'vitest'
import { flowsOf } from '../testing/identity-server/one-flow.ts'
import { somebody } from '../testing/identity-server/person.ts'
import type { Scene } from '../testing/identity-server/scene.ts'
import { idToken } from '../testing/identity-server/token.ts'
import { startIdentityServer } from '../testing/identity-server.ts'
import { useStarted } from '../testing/use-service.ts'

const server = useStarted(() => startIdentityServer({ service: 'https://id.example.com/api/auth' }))

const { flowAt, identityAt } = flowsOf(() => server)

/** A profile with other members; below the one that envelopes it, where one does. */
const told = (more: object) => ({ profile: (shown: object) => ({ ...shown, ...more }) })
const toldIn = (envelope: string, more: object) => ({
  profile: (shown: Record<string, object>) => ({ ...shown, [envelope]: { ...shown[envelope], ...more } }),
})

const userAtTikTok = (more: object) => ({
  profile: (shown: { data: { user: object } }) => ({ ...shown, data: { user: { ...shown.data.user, ...more } } }),
})

const refusedProfile = { step: 'profile' }
const refusedToken = { step: 'token' }

test.each([
  ['github', { name: 'ann' }, told({ name: null, login: 'ann' })],
  ['gitlab', { name: 'ann' }, told({ name: '', username: 'ann' })],
  ['roblox', { name: 'ann' }, told({ nickname: '', preferred_username: 'ann' })],
  ['tiktok', { name: 'ann' }, userAtTikTok({ display_name: '', username: 'ann' })],
  ['tiktok', { image: 'https://a.example/l.png' }, userAtTikTok({ avatar_large_url: 'https://a.example/l.png' })],
  ['zoom', { name: 'Ann Lee' }, told({ display_name: '', first_name: 'Ann', last_name: ' Lee ' })],
  ['discord', { email: null, emailVerified: false }, told({ email: 'no address', verified: true })],
] as const)('%s tells the second best: %j', async (id, identity, scene) => {
  expect(await identityAt(id, scene)).toMatchObject(identity)
})

describe('Discord', () => {
  test.each([
    [{ id: '80351110224678912', avatar: 'abc1' }, 'https://cdn.discordapp.com/avatars/80351110224678912/abc1.png'],
    [{ id: '80351110224678912', avatar: 'a_abc1' }, 'https://cdn.discordapp.com/avatars/80351110224678912/a_abc1.gif'],
    [{ id: '80351110224678912', discriminator: '0' }, 'https://cdn.discordapp.com/embed/avatars/5.png'],
    [{ id: '80351110224678912', discriminator: '1337' }, 'https://cdn.discordapp.com/embed/avatars/2.png'],
    [{ id: 'abc' }, null],
    [{ id: '80351110224678912', avatar: '../../evil' }, 'https://cdn.discordapp.com/embed/avatars/5.png'],
  ])('the picture of %j is %s', async (more, image) => {
    expect(await identityAt('discord', told(more))).toMatchObject({ image })
  })

  test('the name is the one that people see, or that of the account', async () => {
    expect(await identityAt('discord', told({ global_name: null, username: 'ann' }))).toMatchObject({ name: 'ann' })
  })

  test('an address that is not stated to be verified is not', async () => {
    expect(await identityAt('discord', told({ verified: undefined }))).toMatchObject({ emailVerified: false })
  })
})

describe('Facebook', () => {
  /** With an access token that somebody brings, as its applications on phones do. */
  const bring = async (scene: Partial<Scene> = {}, nonce: string | null = null) => {
    const flow = flowAt('facebook')
    const { tokens } = await flow.run()
    Object.assign(server.stands.facebook.scene, scene)
    return flow.providers.identify(flow.configured, { token: tokens.accessToken, nonce }, 'somebody')
  }
  const debug = (more: object) => ({ more: (answer: { data: object }) => ({ data: { ...answer.data, ...more } }) })

  test('a token that was made for us', async () => {
    expect(await bring()).toMatchObject({ id: server.stands.facebook.scene.person.id, emailVerified: false })
  })

  test.each([
    ['for another application', debug({ app_id: '666' })],
    ['for nobody any more', debug({ is_valid: false })],
    ['for another user', debug({ user_id: '1' })],
    ['for an unknown one', debug({ app_id: undefined })],
  ])('a token that was made %s', async (_what, scene) => {
    await expect(bring(scene)).rejects.toMatchObject(refusedProfile)
  })

  test('a token without a nonce where one is asked for', async () => {
    await expect(bring({}, 'my nonce')).rejects.toMatchObject({ step: 'id-token' })
  })

  test('a token of Limited Login', async () => {
    const flow = flowAt('facebook')
    const more = { nonce: 'my nonce', email: 'ann@example.com', picture: 'https://pictures.example.com/a.png' }
    const token = await idToken(server.stands.facebook, undefined, more)
    const check = { token, nonce: 'my nonce' }
    expect(await flow.providers.identify(flow.configured, check, 'somebody')).toMatchObject({
      email: 'ann@example.com',
      emailVerified: false,
      image: more.picture,
    })
    await expect(flow.providers.identify(flow.configured, { token, nonce: 'yours' }, 'somebody')).rejects.toThrow(
      'id-token',
    )
  })

  test('takes no id token in the redirect flow', async () => {
    const reply = (fields: object) => ({ ...fields, id_token: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.' })
    const { identity, tokens } = await flowAt('facebook', { reply }).run()
    expect(tokens.idToken).toBeNull()
    expect(identity.id).toBe(server.stands.facebook.scene.person.id)
  })

  test('asks the version of the settings', async () => {
    const registration = { overrides: {}, options: { GRAPH_VERSION: 'v25.0' } }
    expect(await flowAt('facebook', {}, { registration }).begin()).toMatch(
      'https://www.facebook.com/v25.0/dialog/oauth?',
    )
  })
})

describe('GitHub', () => {
  const list = (...entries: object[]) => ({ more: () => entries })
  const shown = (email: string) => told({ email })
  const ann = 'ann@example.com'

  test.each([
    [
      'the primary one',
      list({ email: 'b@example.com', verified: true }, { email: ann, primary: true, verified: true }),
      true,
    ],
    ['a primary one that is not verified', list({ email: ann, primary: true, verified: false }), false],
    ['the first where none is primary', list({ email: ann, verified: true }), true],
    ['the shown one', { ...shown(ann), ...list({ email: ann, verified: true }) }, true],
    [
      'the shown one, not in the list',
      { ...shown(ann), ...list({ email: 'b@example.com', primary: true, verified: true }) },
      false,
    ],
    ['the shown one, without a list', { ...shown(ann), trouble: { more: { json: {}, status: 404 } } }, false],
  ] as const)('takes %s', async (_what, scene, emailVerified) => {
    expect(await identityAt('github', scene)).toMatchObject({ email: ann, emailVerified })
  })

  test.each([
    ['forbids the list', { trouble: { more: { json: {}, status: 403 } } }],
    ['has none in it', list()],
    ['answers with something else', { more: () => ({ message: 'Not Found' }) }],
  ] as const)('has no address where it %s', async (_what, scene) => {
    expect(await identityAt('github', scene)).toMatchObject({ email: null, emailVerified: false })
  })

  const tooOften = { json: {}, status: 403, headers: { 'x-ratelimit-remaining': '0' } }
  const tooFast = { json: {}, status: 403, headers: { 'retry-after': '60' } }
  test.each([{ json: {}, status: 502 }, tooOften, tooFast, 'half'] as const)(
    'lets in nobody whose list could not be read: %j',
    async (more) => {
      await expect(identityAt('github', { trouble: { more } })).rejects.toMatchObject(refusedProfile)
    },
  )

  test('names itself in the callback, or does not; anybody else there is refused', async () => {
    const { issuer } = server.stands.github.endpoints
    expect(await identityAt('github', { callback: (fields) => fields.set('iss', issuer) })).toHaveProperty('id')
    const callback = (fields: URLSearchParams) => fields.set('iss', 'https://github.evil.example/login/oauth')
    await expect(identityAt('github', { callback })).rejects.toMatchObject(refusedToken)
  })

  test('reads the scopes that were granted, with commas between them', async () => {
    expect((await flowAt('github').run()).tokens.scopes).toEqual(['read:user', 'user:email'])
  })

  test('keeps what refreshes, and for how long, of an application whose tokens end', async () => {
    const more = { expires_in: 28_800, refresh_token: 'ghr_1', refresh_token_expires_in: 15_897_600 }
    const { tokens } = await flowAt('github', { reply: (fields) => ({ ...fields, ...more }) }).run()
    expect(tokens).toMatchObject({ refreshToken: 'ghr_1', accessTokenLife: 28_800, refreshTokenLife: 15_897_600 })
  })

  test.each([
    [
      { expires_in: 0, refresh_token: '' },
      { refreshToken: null, accessTokenLife: null },
    ],
    [
      { expires_in: 9e9, refresh_token_expires_in: -1 },
      { accessTokenLife: 315_360_000, refreshTokenLife: null },
    ],
  ])('takes what says nothing for nothing: %j', async (more, tokens) => {
    const flow = flowAt('github', { reply: (fields) => ({ ...fields, ...more }) })
    expect((await flow.run()).tokens).toMatchObject(tokens)
  })
})

describe('Spotify', () => {
  test('has people without a picture, and without a name', async () => {
    expect(await identityAt('spotify', told({ images: [], display_name: null }))).toMatchObject({
      image: null,
      name: '',
    })
  })

  test('knows people by their id, as those who signed in earlier', async () => {
    const person = somebody()
    expect(await identityAt('spotify', { person })).toMatchObject({ id: person.id })
  })
})

describe('X', () => {
  test('an error that is told with a 200 is nobody', async () => {
    const json = { errors: [{ title: 'Not Found Error', detail: 'Could not find user' }] }
    await expect(identityAt('twitter', { trouble: { profile: { json } } })).rejects.toMatchObject(refusedProfile)
  })

  test('a used-up monthly cap is nobody', async () => {
    const profile = { json: { title: 'UsageCapExceeded' }, status: 429 }
    await expect(identityAt('twitter', { trouble: { profile } })).rejects.toMatchObject(refusedProfile)
  })

  test('the badge says nothing of an address', async () => {
    const scene = toldIn('data', { verified: true, confirmed_email: undefined })
    expect(await identityAt('twitter', scene)).toMatchObject({ email: null, emailVerified: false })
  })
})

describe('Dropbox', () => {
  test('lets nobody in who is disabled there', async () => {
    await expect(identityAt('dropbox', told({ disabled: true }))).rejects.toMatchObject(refusedProfile)
  })
})

describe('Kick', () => {
  test('reads how long a token lives, though it is a text', async () => {
    expect((await flowAt('kick').run()).tokens.accessTokenLife).toBe(7200)
  })

  test.each([[[]], [[{}]], [undefined], [{}], ['x']])('a list of %j is nobody', async (data) => {
    await expect(identityAt('kick', told({ data }))).rejects.toMatchObject(refusedProfile)
  })
})

describe('GitLab', () => {
  test.each([
    ['who is blocked', { state: 'blocked' }],
    ['who is locked', { locked: true }],
    ['of whom nothing is said', { state: undefined }],
  ])('lets nobody in %s', async (_what, more) => {
    await expect(identityAt('gitlab', told(more))).rejects.toMatchObject(refusedProfile)
  })

  test('reads an answer of OpenID as well', async () => {
    const person = {
      sub: '7',
      name: 'Ann',
      email: 'ann@example.com',
      email_verified: true,
      picture: 'https://a.example/a.png',
    }
    expect(await identityAt('gitlab', { trouble: { profile: { json: person } } })).toEqual({
      id: '7',
      name: 'Ann',
      email: 'ann@example.com',
      emailVerified: true,
      image: 'https://a.example/a.png',
      isImageUnread: false,
    })
  })

  test.each(['https://git.example.com/gitlab', 'https://git.example.com/gitlab/'])('lives at %s', async (issuer) => {
    const flow = flowAt('gitlab', {}, { registration: { overrides: { issuer } } })
    expect(await flow.begin()).toMatch('https://git.example.com/gitlab/oauth/authorize?')
  })
})

describe('TikTok', () => {
  test.each([
    [{ data: {}, error: { code: 'scope_not_authorized', message: 'The user did not authorize' } }],
    [{ data: { user: { open_id: '1' } }, error: { code: 'access_token_invalid' } }],
    [{ data: { user: { open_id: '1' } } }],
  ])('%j is nobody', async (json) => {
    await expect(identityAt('tiktok', { trouble: { profile: { json } } })).rejects.toMatchObject(refusedProfile)
  })

  test('keeps how long it can be refreshed', async () => {
    expect((await flowAt('tiktok').run()).tokens).toMatchObject({
      refreshTokenLife: 31_536_000,
      scopes: ['user.info.basic', 'user.info.profile'],
    })
  })

  test('never takes a name for an address', async () => {
    expect(await identityAt('tiktok')).toMatchObject({
      name: expect.stringMatching(/^Person \d+$/),
      email: null,
      emailVerified: false,
    })
  })
})

describe('Reddit', () => {
  test('an agent of our own choice', async () => {
    const flow = flowAt('reddit', {}, { registration: { options: { USER_AGENT: 'web:shop.example:2.1 (by /u/ann)' } } })
    await flow.run()
    const agents = server.stands.reddit.seen.filter(({ place }) => place !== 'authorize').slice(-2)
    expect(agents.map(({ headers }) => headers['user-agent'])).toEqual(
      Array(2).fill('web:shop.example:2.1 (by /u/ann)'),
    )
  })

  test('a wrong client is told with a challenge, and fails all the same', async () => {
    const flow = flowAt('reddit', {}, { registration: { clientSecret: 'wrong' } })
    await expect(flow.run()).rejects.toMatchObject(refusedToken)
  })

  test.each(['', null, undefined])('an icon of %j is no picture', async (icon) => {
    expect(await identityAt('reddit', told({ icon_img: icon }))).toMatchObject({ image: null })
  })
})

describe('VK', () => {
  test('a reply to another request', async () => {
    const reply = (fields: object) => ({ ...fields, state: 'another' })
    await expect(identityAt('vk', { reply })).rejects.toMatchObject(refusedToken)
  })

  test('no device in the callback', async () => {
    await expect(identityAt('vk', { callback: (fields) => fields.delete('device_id') })).rejects.toMatchObject(
      refusedToken,
    )
  })

  test('no device for the refresh', async () => {
    const flow = flowAt('vk')
    const { tokens, identity } = await flow.run()
    const refreshed = flow.providers.refresh(
      flow.configured,
      tokens.refreshToken ?? '',
      { accountId: identity.id },
      'somebody',
    )
    await expect(refreshed).rejects.toMatchObject(refusedToken)
  })

  test('an id token that nobody can check is dropped, of a refresh too', async () => {
    const { providers, configured, ...flow } = flowAt('vk')
    const { tokens, identity } = await flow.run()
    const kept = { accountId: identity.id, device_id: `device-${identity.id}` }
    const refreshed = await providers.refresh(configured, tokens.refreshToken ?? '', kept, 'somebody')
    expect([tokens.idToken, refreshed.idToken]).toEqual([null, null])
  })

  test('an error in place of a profile', async () => {
    const json = { error: 'invalid_token', error_description: 'access_token is missing or invalid' }
    await expect(identityAt('vk', { trouble: { profile: { json } } })).rejects.toMatchObject(refusedProfile)
  })

  test('a name of one word', async () => {
    expect(await identityAt('vk', toldIn('user', { first_name: ' Ann ', last_name: null }))).toMatchObject({
      name: 'Ann',
    })
  })
})

describe('Zoom', () => {
  test('asks for no scopes, whatever is wished', async () => {
    const url = new URL(await flowAt('zoom', {}, { scopes: ['user:write'] }).begin())
    expect(url.searchParams.has('scope')).toBe(false)
  })

  test.each(['inactive', 'pending', undefined])('lets nobody in who is %s', async (status) => {
    await expect(identityAt('zoom', told({ status }))).rejects.toMatchObject(refusedProfile)
  })

  test.each([0, true, '1', undefined])('a verified of %j is no statement', async (verified) => {
    expect(await identityAt('zoom', told({ verified }))).toMatchObject({ emailVerified: false })
  })
})
