import { createAuthClient as createOlderClient } from 'better-auth/client'
import * as olderPlugins from 'better-auth/client/plugins'
import { createAuthClient as createNewestClient } from 'better-auth-1.7/client'
import * as newestPlugins from 'better-auth-1.7/client/plugins'
import { describe, expect, it } from 'vitest'
import { newSlug } from '../../testing/organizations.ts'
import { createFetch, someone } from '../../testing/reference-client.ts'
import { useTestService, useWire } from '../../testing/use-service.ts'
import type { Json } from '../../testing/visitor.ts'

/** Their types would need the reference's own server. */
const clients: Readonly<Record<string, { create: Json; plugins: Json }>> = {
  '1.2.8': { create: createOlderClient, plugins: olderPlugins },
  '1.7.25': { create: createNewestClient, plugins: newestPlugins },
}

const userFields = {
  company: { kind: 'text', required: true },
  seats: { kind: 'number' },
  born: { kind: 'date' },
  plan: { kind: ['free', 'pro'], default: 'free', input: 'admin' },
} as const
const extensions = { userFields, organizationFields: { taxNumber: { kind: 'text' } } } as const
const service = useTestService({}, { extensions })
const wire = useWire(service)

/** The client as applications have it, told about the fields. */
function clientOf(version: string): Json {
  const { create, plugins } = clients[version]!
  const fields = {
    company: { type: 'string' },
    seats: { type: 'number' },
    born: { type: 'date' },
    plan: { type: 'string', input: false },
  }
  return create({
    baseURL: wire.origin,
    fetchOptions: { customFetchImpl: createFetch().customFetchImpl },
    plugins: [plugins.inferAdditionalFields({ user: fields }), plugins.organizationClient(), plugins.adminClient()],
  })
}

const dataOf = async (answer: Promise<Json>): Promise<Json> => {
  const { data, error } = await answer
  if (error) throw new Error(JSON.stringify(error))
  return data
}

describe.each(Object.keys(clients))('the client at %s', (version) => {
  const born = new Date('2001-02-03T00:00:00.000Z')

  it('gives and reads fields of users', async () => {
    const client = clientOf(version)
    const { user } = await dataOf(client.signUp.email({ ...someone(), company: 'Acme', seats: 3, born }))
    expect(user).toMatchObject({ company: 'Acme', seats: 3, plan: 'free' })
    await dataOf(client.updateUser({ company: 'Acme 2', seats: null }))
    const { user: after } = await dataOf(client.getSession())
    expect(after).toMatchObject({ company: 'Acme 2', seats: null, plan: 'free' })
    expect(new Date(after.born)).toEqual(born)
  })

  it('learns by name which field is wrong', async () => {
    const client = clientOf(version)
    const errorOf = async (fields: object) => (await client.signUp.email({ ...someone(), ...fields })).error
    const refused = (path: string) => ({ status: 400, code: 'VALIDATION_ERROR', details: [{ path }] })
    expect(await errorOf({})).toMatchObject(refused('company'))
    expect(await errorOf({ company: 'Acme', plan: 'pro' })).toMatchObject(refused('plan'))
    expect(await errorOf({ company: 'Acme', colour: 'red' })).toMatchObject(refused('colour'))
  })

  it('gives and reads fields of organizations', async () => {
    const client = clientOf(version)
    await dataOf(client.signUp.email({ ...someone(), company: 'Acme' }))
    const made = await dataOf(client.organization.create({ name: 'Acme', slug: newSlug(), taxNumber: 'CHE-1' }))
    expect(made).toMatchObject({ taxNumber: 'CHE-1' })
    const data = { taxNumber: 'CHE-2' }
    expect(await dataOf(client.organization.update({ organizationId: made.id, data }))).toMatchObject(data)
    expect(await dataOf(client.organization.list())).toMatchObject([data])
    expect(await dataOf(client.organization.getFullOrganization())).toMatchObject(data)
  })

  it('lets administrators set theirs', async () => {
    const client = clientOf(version)
    const account = someone()
    const { user } = await dataOf(client.signUp.email({ ...account, company: 'Acme' }))
    await service.deps.sql`update users set roles = '{admin}' where id = ${user.id}`
    const other = { ...someone(), role: 'user', data: { company: 'Acme', plan: 'pro' } }
    expect((await dataOf(client.admin.createUser(other))).user).toMatchObject(other.data)
    const query = { filterField: 'plan', filterValue: 'pro', filterOperator: 'eq' }
    const { users } = await dataOf(client.admin.listUsers({ query }))
    expect(users.map(({ email }: Json) => email)).toContain(other.email)
    expect(users.every(({ plan }: Json) => plan === 'pro')).toBe(true)
  })
})
