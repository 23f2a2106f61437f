import { createAuthClient } from 'better-auth-1.7/client'
import { expect, it } from 'vitest'
import { createFetch } from '../../testing/reference-client.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService, useWire } from '../../testing/use-service.ts'
import type { Json } from '../../testing/visitor.ts'

const service = useTestService()
const wire = useWire(service)

/** All that `apiKeyClient` of `@better-auth/api-key` 1.7.5 says: its methods are the paths of the calls. */
const apiKeyClient = {
  id: 'api-key',
  pathMethods: { '/api-key/create': 'POST', '/api-key/delete': 'POST' },
} as const

/** The fields of a key that a server of that version answers. */
const fields =
  'id configId name start prefix referenceId enabled expiresAt createdAt updatedAt lastRequest rateLimitEnabled rateLimitMax rateLimitTimeWindow requestCount remaining refillAmount refillInterval lastRefillAt metadata permissions'.split(
    ' ',
  )

async function signedUp() {
  const { customFetchImpl } = createFetch()
  const client: Json = createAuthClient({
    baseURL: wire.origin,
    fetchOptions: { customFetchImpl },
    plugins: [apiKeyClient],
  })
  const email = `${crypto.randomUUID()}@example.com`
  const { data } = await client.signUp.email({ email, password: testPassword, name: 'Ann' })
  return { client, user: data.user }
}

it('is created, used, listed, read and deleted by the client of better-auth', async () => {
  const { client, user } = await signedUp()
  const { data: made } = await client.apiKey.create({ name: 'deploy', expiresIn: 3600 })
  const { key, ...shown } = made
  expect(Object.keys(shown).sort()).toEqual([...fields, 'hint'].sort())
  expect(shown).toMatchObject({ name: 'deploy', referenceId: user.id, enabled: true, start: key.slice(0, 4) })
  expect(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt)).toBe(3_600_000)
  const used = await service.visitor().get('/get-session', { authorization: `Bearer ${key}` })
  expect(used.body.user.id).toBe(user.id)
  // A use is noted once it is answered.
  await expect
    .poll(async () => (await client.apiKey.list()).data)
    .toEqual({ apiKeys: [{ ...shown, lastRequest: expect.any(Date) }], total: 1 })
  const { data: listed } = await client.apiKey.list()
  const { data: read } = await client.apiKey.get({ query: { id: shown.id } })
  expect(read).toEqual(listed.apiKeys[0])
  expect((await client.apiKey.delete({ keyId: shown.id })).data).toEqual({ success: true })
  expect((await service.visitor().get('/get-session', { authorization: `Bearer ${key}` })).body).toBeNull()
  expect((await client.apiKey.get({ query: { id: shown.id } })).error).toMatchObject({ code: 'KEY_NOT_FOUND' })
})

it('lists a part, with the number of all', async () => {
  const { client } = await signedUp()
  for (const name of ['one', 'two', 'three']) await client.apiKey.create({ name })
  const { data } = await client.apiKey.list({ query: { limit: 1, offset: 1 } })
  expect(data).toMatchObject({ apiKeys: [{ name: 'two' }], total: 3, limit: 1, offset: 1 })
})

it.each([
  [{ sortBy: 'name' }, ['one', 'three', 'two']],
  [{ sortBy: 'name', sortDirection: 'desc' }, ['two', 'three', 'one']],
  [{ sortBy: 'createdAt', sortDirection: 'asc' }, ['one', 'two', 'three']],
  [{ sortBy: 'expiresAt', sortDirection: 'desc' }, ['two', 'three', 'one']],
  [{ sortDirection: 'asc' }, ['three', 'two', 'one']],
])('lists in the order %j', async (query, names) => {
  const { client } = await signedUp()
  for (const [name, expiresIn] of [
    ['one', 3600],
    ['two', 14_400],
    ['three', 7200],
  ])
    await client.apiKey.create({ name, expiresIn })
  const { data } = await client.apiKey.list({ query })
  expect(data.apiKeys.map((one: Json) => one.name)).toEqual(names)
})

it('answers 404 for an unknown key where clients expect the terms of 1.7', async () => {
  const ann = (await service.sibling({ CLIENT_API: '1.7' })).copyOf(await service.person())
  const refusal = { status: 404, body: { code: 'KEY_NOT_FOUND', message: 'Key not found' } }
  expect(await ann.get('/api-key/get?id=x')).toMatchObject(refusal)
  expect(await ann.post('/api-key/delete', { keyId: 'x' })).toMatchObject(refusal)
})

it.each([
  ['prefix', 'acme_'],
  ['remaining', 5],
  ['metadata', {}],
  ['permissions', { files: ['read'] }],
  ['organizationId', 'acme'],
])('refuses %s by its name: keys here have none', async (name, value) => {
  const { client } = await signedUp()
  const { error } = await client.apiKey.create({ name: 'deploy', [name]: value })
  expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  expect(JSON.stringify(error.details)).toContain(name)
  expect((await client.apiKey.list()).data.total).toBe(0)
})

it("neither shows nor deletes somebody else's key", async () => {
  const [ann, bob] = [await signedUp(), await signedUp()]
  const { data: made } = await ann.client.apiKey.create({})
  expect(made.name).toBe('API key')
  expect((await bob.client.apiKey.get({ query: { id: made.id } })).error.code).toBe('KEY_NOT_FOUND')
  expect((await bob.client.apiKey.delete({ keyId: made.id })).error.code).toBe('KEY_NOT_FOUND')
  expect((await bob.client.apiKey.list()).data.apiKeys).toEqual([])
  expect((await ann.client.apiKey.list()).data.total).toBe(1)
})
