import { describe, expect, test } from 'vitest'
import { type ProviderId, providerIds } from '../../shared/providers.ts'
import { oneFlow } from '../testing/identity-server/one-flow.ts'
import { somebody } from '../testing/identity-server/person.ts'
import type { Scene } from '../testing/identity-server/scene.ts'
import type { Trouble } from '../testing/identity-server/trouble.ts'
import { startIdentityServer } from '../testing/identity-server.ts'
import { inTurn } from '../testing/rounds.ts'
import { answerJson, startScriptedProvider } from '../testing/scripted-provider.ts'
import { useStarted } from '../testing/use-service.ts'

const server = useStarted(() => startIdentityServer({ service: 'https://id.example.com/api/auth' }))

const run = (id: ProviderId, scene: Partial<Scene>) =>
  oneFlow(server.stands[id], { person: somebody(), ...scene }).run()

/** Who is asked for a profile; the others sign it. */
const asked = providerIds.filter((id) => !['apple', 'google', 'microsoft', 'twitch', 'linkedin'].includes(id))
const signing = ['apple', 'google', 'microsoft', 'twitch', 'linkedin'] as const

/** What a profile may come as that is none. */
const noProfiles: readonly (readonly [string, Trouble])[] = [
  ['an error with a 200', { json: { error: { code: 190, message: 'Invalid OAuth access token' } } }],
  ['an error text with a 200', { json: { error: 'invalid_token' } }],
  ['nothing in it', { json: {} }],
  ['null', { json: null }],
  ['a list', { json: [{ id: '1' }] }],
  ['a text', { json: 'undefined' }],
  ['a number', { json: 42 }],
  ['a page', 'html'],
  ['half of JSON', 'not-json'],
  ['no body', 'empty'],
  ['a redirect to an address inside', 'redirect'],
  ['a challenge', 'challenge'],
  ['a failure with a whole profile', { json: { id: '1', sub: '1', email: 'a@example.com' }, status: 403 }],
]

const noIds: readonly unknown[] = [
  null,
  0,
  '',
  -1,
  1.5,
  Number.MAX_SAFE_INTEGER + 1,
  true,
  // As rows these would be taken for lists of arguments.
  [[]],
  [['1']],
  { id: '1' },
  ' ',
  'a b',
  'a\u0000b',
  'x'.repeat(300),
]

describe.each(asked)('%s', (id) => {
  const place = asked.indexOf(id)

  test.each(inTurn(noProfiles, place))('answers with %s: nobody', async (_what, trouble) => {
    await expect(run(id, { trouble: { profile: trouble } })).rejects.toMatchObject({ step: 'profile' })
  })

  // Roblox signs the id as well: one of these does not agree with what it signed.
  test.each(inTurn(noIds, place))('says an id of %j: nobody', async (value) => {
    const profile = (told: unknown) => withId(told, value)
    await expect(run(id, { profile })).rejects.toMatchObject({ step: 'profile' })
  })

  test.each(['huge', 'half'] as const)('its profile is %s: nobody', async (trouble) => {
    await expect(run(id, { trouble: { profile: trouble } })).rejects.toMatchObject({ step: 'profile' })
  })
})

const names = new Set(['id', 'sub', 'account_id', 'user_id', 'open_id'])

/** The same profile with another id, wherever it stands. */
function withId(told: unknown, value: unknown): unknown {
  if (Array.isArray(told)) return told.map((entry) => withId(entry, value))
  if (typeof told !== 'object' || told === null) return told
  return Object.fromEntries(
    Object.entries(told).map(([key, entry]) => [key, names.has(key) ? value : withId(entry, value)]),
  )
}

describe.each(signing)('%s', (id) => {
  test.each([null, '', undefined, 7, [], ' '])('signs a subject of %j: nobody', async (sub) => {
    // OpenID Connect Core 2: a text.
    const claims = (told: object) => ({ ...told, sub }) as never
    await expect(run(id, { claims })).rejects.toThrow(/id-token|profile/)
  })

  test.each([
    ['html', 'discovery'],
    ['not-json', 'discovery'],
    [{ json: {} }, 'discovery'],
    ['redirect', 'discovery'],
    [{ json: { keys: [] } }, 'id-token'],
  ] as const)('its keys are %j: nobody', async (trouble, step) => {
    await expect(run(id, { trouble: { keys: trouble } })).rejects.toMatchObject({ step })
  })
})

const noTokens: readonly (readonly [string, Trouble])[] = [
  ['a page', 'html'],
  ['a failure with a page', 'html-500'],
  ['a redirect', 'redirect'],
  ['half of JSON', 'not-json'],
  ['no body', 'empty'],
  ['a challenge', 'challenge'],
  ['an error with a 200', { json: { error: 'invalid_grant' } }],
  ['an error beside a token', { json: { error: 'invalid_grant', access_token: 'a', token_type: 'bearer' } }],
  ['no token', { json: { token_type: 'bearer' } }],
  ['an empty token', { json: { access_token: '', token_type: 'bearer' } }],
  ['a token that is none', { json: { access_token: { a: 1 }, token_type: 'bearer' } }],
  ['a token of another type', { json: { access_token: 'a', token_type: 'mac' } }],
  ['a list', { json: [] }],
  ['null', { json: null }],
]

describe.each(providerIds)('the token of %s', (id) => {
  test.each(inTurn(noTokens, providerIds.indexOf(id)))('is %s: no exchange', async (_what, trouble) => {
    await expect(run(id, { trouble: { token: trouble } })).rejects.toMatchObject({ step: 'token' })
  })
})

test.each([
  ['github', 'token'],
  ['gitlab', 'token'],
  ['github', 'profile'],
  ['gitlab', 'profile'],
] as const)('where a redirect of %s leads at its %s is not asked', async (id, step) => {
  const trap = await startScriptedProvider()
  trap.answers['/stolen'] = answerJson({ id: 7, access_token: 'a', token_type: 'bearer' })
  const trouble = { json: {}, status: 302, headers: { location: `${trap.url}/stolen` } }
  await expect(run(id, { trouble: { [step]: trouble } })).rejects.toMatchObject({ step })
  expect(trap.requests).toEqual([])
  await trap.stop()
})

test.concurrent.for([
  ['github', 'token', 'stall', 'token'],
  ['gitlab', 'token', 'drip', 'token'],
  ['zoom', 'profile', 'stall', 'profile'],
  ['kick', 'profile', 'drip', 'profile'],
  ['google', 'keys', 'stall', 'discovery'],
] as const)('%s, whose %s is a %s that never ends: nobody', async ([id, place, trouble, step], { expect }) => {
  await expect(run(id, { trouble: { [place]: trouble } })).rejects.toMatchObject({ step })
})

test('a profile of text that obeys nobody becomes one line, and its picture none', async () => {
  const profile = (told: object) => ({
    ...told,
    name: `\u001b]0;owned\u0007<b>Ann</b>\r\nSubject: hi\u202e${'x'.repeat(500)}`,
    avatar_url: 'javascript:alert(1)',
  })
  const { identity } = await run('gitlab', { profile })
  expect(identity.name).toMatch(/^\]0;owned <b>Ann<\/b> Subject: hi x+$/)
  expect(identity.name.length).toBeLessThanOrEqual(200)
  expect(identity.image).toBeNull()
})

test.each([
  'http://pictures.example.com/a.png',
  'data:text/html,hi',
  'data:image/svg+xml;base64,AAAA',
  '//a.example/b',
  7,
  {},
])('a picture at %j is none', async (picture) => {
  const { identity } = await run('gitlab', { profile: (told: object) => ({ ...told, avatar_url: picture }) })
  expect(identity.image).toBeNull()
})

test.each([
  'ann',
  'ann@',
  'ann@example.com, bob@example.com',
  'ann@example.com\r\nBcc: x@example.com',
  7,
  ['a@b.co'],
  {},
])('an address of %j is none', async (email) => {
  const { identity } = await run('gitlab', { profile: (told: object) => ({ ...told, email }) })
  expect(identity).toMatchObject({ email: null, emailVerified: false })
})
