import { describe, expect, test } from 'vitest'
import { type ProviderId, providerIds } from '../../../shared/providers.ts'
import { callTimes } from '../../providers/outbound.ts'
import { somebody } from '../../testing/identity-server/person.ts'
import type { Scene, Seen } from '../../testing/identity-server/scene.ts'
import type { Trouble } from '../../testing/identity-server/trouble.ts'
import { goThrough } from '../../testing/identity-server/visit.ts'
import { startIdentityServer } from '../../testing/identity-server.ts'
import { inTurn } from '../../testing/rounds.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'

const BASE_URL = 'https://id.example.com'

const server = useStarted(() => startIdentityServer({ service: `${BASE_URL}/api/auth` }))
const service = useTestService(() => ({ ...server.settings, BASE_URL }), { callTimes })

const targets = { callbackURL: '/home', errorCallbackURL: '/failed' }

async function landing(id: ProviderId, scene: Partial<Scene>) {
  server.stands[id].scene = { person: somebody(), ...scene }
  const { headers } = await goThrough(service.visitor(), '/sign-in/social', { provider: id, ...targets })
  return headers.get('location')
}

const rows = () => service.deps.sql`
  select (select count(*) from users) as users, (select count(*) from accounts) as accounts,
    (select count(*) from sessions) as sessions
`

const signing: readonly ProviderId[] = ['apple', 'google', 'microsoft', 'twitch', 'linkedin']

/** Where a provider says who somebody is: in its profile, or in what it signed. */
const sayingId = (id: ProviderId, value: unknown): Partial<Scene> =>
  signing.includes(id)
    ? { claims: (claims) => ({ ...claims, sub: value }) as never }
    : { profile: (told: unknown) => withId(told, value) }

const names = new Set(['id', 'account_id', 'user_id', 'open_id', 'sub'])

function withId(told: unknown, value: unknown): unknown {
  if (Array.isArray(told)) return told.map((entry) => withId(entry, value))
  if (typeof told !== 'object' || told === null) return told
  const entries = Object.entries(told)
  return Object.fromEntries(entries.map(([key, entry]) => [key, names.has(key) ? value : withId(entry, value)]))
}

describe.each(providerIds)('%s', (id) => {
  const place = providerIds.indexOf(id)

  test.each(inTurn([null, 0, '', [[]], 'undefined '], place))('who is %j becomes no user', async (value) => {
    const before = await rows()
    expect(await landing(id, sayingId(id, value))).toBe('/failed?error=unable_to_get_user_info')
    expect(await rows()).toEqual(before)
  })

  test.each<Trouble>(inTurn<Trouble>(['html', 'redirect', 'not-json', { json: { error: 'invalid_grant' } }], place))(
    'its token of %j is no code',
    async (trouble) => {
      const before = await rows()
      expect(await landing(id, { trouble: { token: trouble } })).toBe('/failed?error=invalid_code')
      expect(await rows()).toEqual(before)
    },
  )
})

const asked = providerIds.filter((id) => !signing.includes(id))

const noProfiles: readonly Trouble[] = [
  { json: { error: { message: 'Invalid OAuth access token' } } },
  { json: null },
  { json: [{ id: 'undefined' }] },
  'html',
  'empty',
  'redirect',
  'challenge',
]

describe.each(asked)('%s', (id) => {
  test.each(inTurn(noProfiles, asked.indexOf(id)))('its profile of %j is nobody', async (trouble) => {
    const before = await rows()
    expect(await landing(id, { trouble: { profile: trouble } })).toBe('/failed?error=unable_to_get_user_info')
    expect(await rows()).toEqual(before)
  })
})

describe.each(signing)('%s', (id) => {
  test.each([undefined, null, '', 'undefined', 'a.b.c', 7, {}, 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'])(
    'its id token of %j is nobody',
    async (token) => {
      const before = await rows()
      const reply = (fields: object) => ({ ...fields, id_token: token })
      expect(await landing(id, { reply })).toBe('/failed?error=unable_to_get_user_info')
      expect(await rows()).toEqual(before)
    },
  )
})

// Each is a provider of its own, so that no failures in a row let the others rest.
test('100 MB, a connection that breaks, no answer, a failure, drops that never end: nobody, and no word of it to the browser', async () => {
  const before = await rows()
  const found = await Promise.all([
    landing('github', { trouble: { token: 'huge' } }),
    landing('gitlab', { trouble: { token: 'half' } }),
    landing('discord', { trouble: { token: 'drip' } }),
    landing('spotify', { trouble: { token: 'stall' } }),
    landing('facebook', { trouble: { token: { json: { error: 'x' }, status: 500 } } }),
    landing('zoom', { trouble: { profile: 'huge' } }),
    landing('kick', { trouble: { profile: 'half' } }),
    landing('reddit', { trouble: { profile: 'drip' } }),
    landing('dropbox', { trouble: { profile: 'stall' } }),
    landing('vk', { trouble: { profile: { json: { error: 'x' }, status: 500 } } }),
  ])
  expect(found).toEqual([
    ...Array<string>(5).fill('/failed?error=invalid_code'),
    ...Array<string>(5).fill('/failed?error=unable_to_get_user_info'),
  ])
  expect(await rows()).toEqual(before)
})

/** What secures a flow is never the caller's, whichever way they try. */
describe('what a caller asks for', () => {
  const evil = {
    state: 'evil',
    redirect_uri: 'https://evil.example/callback',
    client_id: 'evil',
    client_key: 'evil',
    response_type: 'token',
    response_mode: 'fragment',
    nonce: 'evil',
    code_challenge: 'evil',
    code_challenge_method: 'plain',
  }
  const asParameters = new URLSearchParams(evil).toString()

  test.each(providerIds)('at %s it replaces nothing', async (id) => {
    server.stands[id].scene = { person: somebody() }
    const visitor = service.visitor()
    const plain = new URL((await visitor.post('/sign-in/social', { provider: id, ...targets })).body.url)
    const tries = [
      { ...evil, additionalData: evil, params: evil, query: evil },
      { loginHint: `a@example.com&${asParameters}` },
      { loginHint: `a@example.com#${asParameters}` },
      { requestSignUp: true, disableRedirect: true, ...evil },
    ]
    for (const asked of tries) {
      const { body } = await visitor.post(`/sign-in/social?${asParameters}`, { provider: id, ...targets, ...asked })
      const url = new URL(body.url)
      expect(url.origin + url.pathname).toBe(plain.origin + plain.pathname)
      for (const name of Object.keys(evil)) {
        expect(url.searchParams.getAll(name)).toHaveLength(plain.searchParams.has(name) ? 1 : 0)
        expect(url.searchParams.get(name) ?? '').not.toBe(evil[name as keyof typeof evil])
      }
      for (const name of [
        'redirect_uri',
        'response_type',
        'response_mode',
        'client_id',
        'client_key',
        'code_challenge_method',
      ])
        expect(url.searchParams.get(name)).toBe(plain.searchParams.get(name))
    }
  })

  test.each([`openid&${asParameters}`, 'openid state=evil', 'a b', 'a\r\nb', 'a"b'])(
    'a scope of %j is none, or stays one',
    async (scope) => {
      const { status, body } = await service.visitor().post('/sign-in/social', { provider: 'google', scopes: [scope] })
      const url = new URL(body.url ?? 'https://none.example')
      const isPlain = status === 400 || url.searchParams.get('state') !== 'evil'
      expect([200, 400]).toContain(status)
      expect(isPlain).toBe(true)
      expect(url.searchParams.getAll('state').length).toBeLessThanOrEqual(1)
    },
  )
})

test('no secret, verifier or token stands in the log, whatever fails', async () => {
  for (const id of providerIds) {
    await landing(id, {})
    await landing(id, {
      trouble: { token: { json: { error: 'invalid_grant', error_description: 'of-the-provider' } } },
    })
    await landing(id, sayingId(id, null))
  }
  const log = JSON.stringify(service.logged)
  const secrets = Object.values(server.stands).flatMap(({ client, seen }) => [
    client.secret,
    ...seen.flatMap(secretsIn),
  ])
  expect(secrets.length).toBeGreaterThan(100)
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
})

const secretsIn = ({ form, headers }: Seen): string[] =>
  [form.code_verifier, form.code, form.client_secret, form.refresh_token, headers.authorization].filter(
    (value) => value !== undefined,
  )
