import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ProviderId, providerIds } from '../../shared/providers.ts'
import { oneFlow } from '../testing/identity-server/one-flow.ts'
import { somebody } from '../testing/identity-server/person.ts'
import { type IdentityServer, startIdentityServer } from '../testing/identity-server.ts'
import { providers } from './providers.ts'

let server: IdentityServer

beforeAll(async () => {
  server = await startIdentityServer({ service: 'https://id.example.com/api/auth' })
})
afterAll(() => server.stop())
beforeEach(() => {
  for (const { seen, complaints } of Object.values(server.stands))
    for (const list of [seen, complaints]) list.length = 0
})

/** Who tells no address, and who says of none that it is verified. */
const without: Readonly<Record<'email' | 'verified' | 'picture', readonly ProviderId[]>> = {
  email: ['tiktok', 'reddit', 'roblox'],
  verified: ['tiktok', 'reddit', 'roblox', 'facebook', 'kick', 'spotify', 'vk'],
  picture: ['apple', 'discord', 'microsoft'],
}

const offline = { options: { ACCESS_TYPE: 'offline' } }

test('there is a record of each provider that we know by name', () => {
  expect(providers.map(({ id }) => id).toSorted()).toEqual(providerIds.toSorted())
})

describe.each(providerIds)('%s', (id) => {
  test('tells who somebody is, and no more than it knows', async () => {
    const stand = server.stands[id]
    const person = somebody({ picture: `https://pictures.example.com/${id}.png` })
    const { tokens, identity } = await oneFlow(stand, { person }).run()

    expect(stand.complaints).toEqual([])
    expect(identity).toMatchObject({
      name: person.name,
      email: without.email.includes(id) ? null : person.email,
      emailVerified: !without.verified.includes(id),
    })
    if (!without.picture.includes(id)) expect(identity.image).toBe(person.picture)
    expect(identity.id).toContain(person.id)
    expect(tokens.tokenType).toBe('bearer')
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
    if (id === 'twitter') return
    expect((await oneFlow(server.stands[id], { person }).run()).identity.emailVerified).toBe(false)
  })

  test('invents no address where there is none', async () => {
    const person = somebody({ email: null })
    const { identity } = await oneFlow(server.stands[id], { person }).run()
    expect(identity).toMatchObject({ email: null, emailVerified: false })
  })

  test('is refreshed as the provider wants it', async () => {
    const stand = server.stands[id]
    const settings = id === 'google' ? { scene: { extras: { access_type: 'offline' } }, registration: offline } : {}
    const flow = oneFlow(stand, { person: somebody(), ...settings.scene }, settings)
    const { tokens } = await flow.run()
    if (stand.rules.refresh === 'none') return void expect(tokens.refreshToken).toBeNull()

    const kept = { device_id: `device-${stand.scene.person.id}` }
    const renewed = await flow.providers.refresh(flow.configured, tokens.refreshToken ?? '', kept)
    expect(stand.complaints).toEqual([])
    expect(renewed.accessToken).not.toBe(tokens.accessToken)
    if (stand.rules.refresh === 'kept') return void expect(renewed.refreshToken).toBeNull()

    expect(renewed.refreshToken).not.toBe(tokens.refreshToken)
    // The old one died.
    await expect(flow.providers.refresh(flow.configured, tokens.refreshToken ?? '', kept)).rejects.toThrow('token')
  })

  test('takes a code once', async () => {
    const stand = server.stands[id]
    await expect(
      oneFlow(stand, { person: somebody(), callback: (fields) => fields.set('code', 'stolen') }).run(),
    ).rejects.toMatchObject({ step: 'token' })
  })

  test('lets no secret and no verifier into an address', async () => {
    const stand = server.stands[id]
    await oneFlow(stand, { person: somebody() }).run()
    const addresses = stand.seen.map(({ query }) => decodeURIComponent(query)).join('\n')
    expect(addresses).not.toContain(stand.client.secret)
    expect(addresses).not.toContain('vvvvvvvv')
  })
})
