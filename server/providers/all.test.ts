import { beforeEach, describe, expect, test } from 'vitest'
import { type ProviderId, providerIds } from '../../shared/providers.ts'
import { oauthRules } from '../testing/identity-server/oauth-rules.ts'
import { oneFlow } from '../testing/identity-server/one-flow.ts'
import { openidRules } from '../testing/identity-server/openid-rules.ts'
import { somebody } from '../testing/identity-server/person.ts'
import type { Rules } from '../testing/identity-server/rules.ts'
import { startIdentityServer } from '../testing/identity-server.ts'
import { useStarted } from '../testing/use-service.ts'
import type { ProviderError } from './provider.ts'
import { providers } from './providers.ts'

const server = useStarted(() => startIdentityServer({ service: 'https://id.example.com/api/auth' }))
beforeEach(() => {
  for (const { seen, complaints } of Object.values(server.stands))
    for (const list of [seen, complaints]) list.length = 0
})

/** Who tells no address, and who says of none that it is verified. */
const without: Readonly<Record<'email' | 'verified', readonly ProviderId[]>> = {
  email: ['tiktok', 'reddit', 'roblox'],
  verified: ['tiktok', 'reddit', 'roblox', 'facebook', 'kick', 'spotify', 'vk'],
}

/** Pictures that are not told as an address. */
const pictures: Partial<Record<ProviderId, unknown>> = {
  apple: null,
  discord: 'https://cdn.discordapp.com/embed/avatars/1.png',
  microsoft: 'data:image/jpeg;base64,/9j/2Q==',
}

/** The stand-in has the paths of the real one, below a folder of its own. */
const isAt = ({ protocol, pathname }: URL, path: string): boolean =>
  protocol === 'https:' && pathname.endsWith(`/${path}`)

/** By what a provider is told whom the application expects. */
const hints: Partial<Record<ProviderId, string>> = {
  github: 'login',
  gitlab: 'login_hint',
  google: 'login_hint',
  linkedin: 'login_hint',
  microsoft: 'login_hint',
}

/** The issuer, and the hosts of the authorization, the tokens, the profile and the keys, as each provider documents them. */
const documented: Readonly<Record<ProviderId, readonly [issuer: string, hosts: string]>> = {
  apple: ['https://appleid.apple.com', 'appleid.apple.com appleid.apple.com - appleid.apple.com'],
  discord: ['https://discord.com', 'discord.com discord.com discord.com -'],
  dropbox: ['https://www.dropbox.com', 'www.dropbox.com api.dropboxapi.com api.dropboxapi.com -'],
  facebook: ['https://www.facebook.com', 'www.facebook.com graph.facebook.com graph.facebook.com limited.facebook.com'],
  github: ['https://github.com/login/oauth', 'github.com github.com api.github.com -'],
  gitlab: ['https://gitlab.com', 'gitlab.com gitlab.com gitlab.com -'],
  google: [
    'https://accounts.google.com',
    'accounts.google.com oauth2.googleapis.com openidconnect.googleapis.com www.googleapis.com',
  ],
  kick: ['https://id.kick.com', 'id.kick.com id.kick.com api.kick.com -'],
  linkedin: ['https://www.linkedin.com/oauth', 'www.linkedin.com www.linkedin.com api.linkedin.com www.linkedin.com'],
  microsoft: [
    'https://login.microsoftonline.com/{tenantid}/v2.0',
    'login.microsoftonline.com login.microsoftonline.com graph.microsoft.com login.microsoftonline.com',
  ],
  reddit: ['https://www.reddit.com', 'www.reddit.com www.reddit.com oauth.reddit.com -'],
  roblox: ['https://apis.roblox.com/oauth/', 'apis.roblox.com apis.roblox.com apis.roblox.com apis.roblox.com'],
  spotify: ['https://accounts.spotify.com', 'accounts.spotify.com accounts.spotify.com api.spotify.com -'],
  tiktok: ['https://www.tiktok.com', 'www.tiktok.com open.tiktokapis.com open.tiktokapis.com -'],
  twitch: ['https://id.twitch.tv/oauth2', 'id.twitch.tv id.twitch.tv id.twitch.tv id.twitch.tv'],
  twitter: ['https://x.com', 'x.com api.x.com api.x.com -'],
  vk: ['https://id.vk.ru', 'id.vk.ru id.vk.ru id.vk.ru -'],
  zoom: ['https://zoom.us', 'zoom.us zoom.us api.zoom.us -'],
}

/** Options that are asked for in the address: as set, and as the parameter. */
const askedFor = [
  ['discord', 'PROMPT', 'consent', 'prompt'],
  ['dropbox', 'ACCESS_TYPE', 'online', 'token_access_type'],
  ['facebook', 'CONFIG_ID', '123', 'config_id'],
  ['google', 'ACCESS_TYPE', 'offline', 'access_type'],
  ['google', 'HOSTED_DOMAIN', 'example.com', 'hd'],
  ['google', 'PROMPT', 'select_account', 'prompt'],
  ['microsoft', 'PROMPT', 'consent', 'prompt'],
  ['reddit', 'DURATION', 'temporary', 'duration'],
  ['roblox', 'PROMPT', 'login consent', 'prompt'],
] as const

test.each(askedFor)('%s asks for %s=%s', async (id, option, value, parameter) => {
  const registration = { options: { [option]: value } }
  const address = await oneFlow(server.stands[id], { person: somebody() }, { registration }).begin()
  expect(new URL(address).searchParams.get(parameter)).toBe(value)
})

test('there is a record of each provider that we know by name', () => {
  expect(providers.map(({ id }) => id).toSorted()).toEqual(providerIds.toSorted())
})

describe.each(providerIds)('%s', (id) => {
  test('has the addresses that it documents', async () => {
    const flow = oneFlow(server.stands[id], { person: somebody() }, { registration: { overrides: {} } })
    const { endpoints } = flow.configured.provider
    const look = () => Promise.reject(new Error('Nothing is looked up'))
    const found = typeof endpoints === 'function' ? await endpoints(flow.configured.registration, look) : endpoints
    const { issuer, authorization, token, userinfo, jwks } = found
    const addresses = [authorization, token, userinfo, jwks].map((address) => address && new URL(address))
    expect([issuer, addresses.map((address) => (address ? address.host : '-')).join(' ')]).toEqual(documented[id])
    const { paths } = server.stands[id].rules
    const places = [paths.authorize, paths.token, paths.profile, paths.keys]
    const wrong = addresses.filter((address, index) => address && !isAt(address, places[index] ?? ''))
    expect(wrong).toEqual([])
  })

  test('tells who somebody is, and no more than it knows', async () => {
    const stand = server.stands[id]
    const person = somebody({ picture: `https://pictures.example.com/${id}.png` })
    const { identity } = await oneFlow(stand, { person }).run()

    expect(stand.complaints).toEqual([])
    expect(identity).toMatchObject({
      name: person.name,
      email: without.email.includes(id) ? null : person.email,
      emailVerified: !without.verified.includes(id),
      image: id in pictures ? pictures[id] : person.picture,
    })
    expect(identity.id).toContain(person.id)
    expect(stand.seen.map(({ place }) => place)).toEqual(expect.arrayContaining(['authorize', 'token']))
  })

  test('knows the same person by the same id again, and another by another', async () => {
    const stand = server.stands[id]
    const ann = somebody()
    const ids: string[] = []
    for (const person of [ann, ann, somebody()]) ids.push((await oneFlow(stand, { person }).run()).identity.id)
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
    expect(stand.complaints).toEqual([])
  })

  test('states no address as verified that the provider does not', async () => {
    const person = somebody({ isVerified: false })
    // X tells confirmed addresses only.
    const isVerified = id === 'twitter'
    expect((await oneFlow(server.stands[id], { person }).run()).identity.emailVerified).toBe(isVerified)
  })

  test('invents no address where there is none', async () => {
    const person = somebody({ email: null })
    const { identity } = await oneFlow(server.stands[id], { person }).run()
    expect(identity).toMatchObject({ email: null, emailVerified: false })
  })

  test('takes a code once', async () => {
    const stand = server.stands[id]
    await expect(
      oneFlow(stand, { person: somebody(), callback: (fields) => fields.set('code', 'stolen') }).run(),
    ).rejects.toMatchObject({ step: 'token' })
  })

  test('is told whom the application expects, where it would know what that means', async () => {
    const loginHint = 'ann@example.com'
    const address = await oneFlow(server.stands[id], { person: somebody() }, { loginHint }).begin()
    const told = [...new URL(address).searchParams].filter(([, value]) => value === loginHint)
    expect(told.map(([name]) => name)).toEqual(hints[id] ? [hints[id]] : [])
  })

  test('lets no secret and no verifier into an address', async () => {
    const stand = server.stands[id]
    await oneFlow(stand, { person: somebody() }).run()
    const addresses = stand.seen.map(({ query }) => decodeURIComponent(query)).join('\n')
    expect(addresses).not.toBe('')
    expect(addresses).not.toContain(stand.client.secret)
    expect(addresses).not.toContain('vvvvvvvv')
  })
})

/** Signs somebody in, and refreshes what came of it. */
async function refreshAt(id: ProviderId) {
  const stand = server.stands[id]
  const isGoogle = id === 'google'
  const scene = { person: somebody(), ...(isGoogle && { extras: { access_type: 'offline' } }) }
  const flow = oneFlow(stand, scene, isGoogle ? { registration: { options: { ACCESS_TYPE: 'offline' } } } : {})
  const { tokens, identity } = await flow.run()
  const kept = { accountId: identity.id, device_id: `device-${scene.person.id}` }
  const again = () => flow.providers.refresh(flow.configured, tokens.refreshToken ?? '', kept, 'somebody')
  return { stand, tokens, again }
}

const rules = Object.entries<Rules>({ ...openidRules, ...oauthRules })
const withRefresh = (kind: Rules['refresh']) =>
  rules.flatMap(([id, { refresh }]) => (refresh === kind ? [id as ProviderId] : []))

test.each(withRefresh('single-use'))('%s gives new tokens for old ones, which die', async (id) => {
  const { stand, tokens, again } = await refreshAt(id)
  const renewed = await again()
  expect(stand.complaints).toEqual([])
  expect(renewed.accessToken).not.toBe(tokens.accessToken)
  expect(renewed.refreshToken).toMatch(/^refresh\./)
  expect(renewed.refreshToken).not.toBe(tokens.refreshToken)
  await expect(again()).rejects.toMatchObject({ step: 'token' })
})

test.each(withRefresh('kept'))('%s gives new access tokens, and no other to refresh with', async (id) => {
  const { stand, tokens, again } = await refreshAt(id)
  const renewed = [await again(), await again()]
  expect(stand.complaints).toEqual([])
  expect(new Set([tokens, ...renewed].map(({ accessToken }) => accessToken)).size).toBe(3)
  expect(renewed.map(({ refreshToken }) => refreshToken)).toEqual([null, null])
})

test.each(withRefresh('none'))('%s gives nothing to refresh with', async (id) => {
  const { tokens } = await refreshAt(id)
  expect(tokens).toMatchObject({ accessToken: expect.stringMatching(/./), refreshToken: null })
})

test.each([
  ['of the same user', {}, 'taken'],
  ['of another user', { sub: 'another' }, 'id-token'],
  ['of nobody', { sub: '' }, 'profile'],
  ['of another issuer', { iss: 'https://evil.example' }, 'id-token'],
])('a refreshed id token %s: %s', async (_what, claims, outcome) => {
  const { stand, again } = await refreshAt('twitch')
  stand.scene = { ...stand.scene, claims: (usual) => ({ ...usual, ...claims }) }
  const found = again().then(
    ({ idToken }) => (idToken === null ? 'dropped' : 'taken'),
    ({ step }: ProviderError) => step,
  )
  expect(await found).toBe(outcome)
})

test('a refreshed id token that nobody can read is kept as it is', async () => {
  const { stand, again } = await refreshAt('twitch')
  stand.scene = { ...stand.scene, sign: () => Promise.resolve('opaque') }
  expect(await again()).toHaveProperty('idToken', 'opaque')
})
