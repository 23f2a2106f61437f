import { beforeEach, describe, expect, it } from 'vitest'
import { exchange, jobToken, trustFields } from '../../testing/key-answers.ts'
import { isAlive, type MadeKey, machine, organizationKey, rotate } from '../../testing/machines.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { done, type Founded, found } from '../../testing/organizations.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))

let acme: Founded
let older: MadeKey
beforeEach(async () => {
  acme = await found(service)
  older = await organizationKey(acme)
  // A clock of milliseconds may give both the same one.
  await service.deps.sql`update machine_keys set created_at = created_at - interval '1 second' where id = ${older.id}`
})

const unnamed = { status: 403, body: { message: expect.stringContaining('--rotates KEY') } }
const create = (fields: object = {}) =>
  acme.owner.post('/key/trust/create', trustFields(acme, provider, { claims: claims(), ...fields }))
let repository: string
function claims() {
  repository = `acme/${crypto.randomUUID()}`
  return { repository }
}
/** A job that is signed in by a new rule. */
async function jobBy(fields: object = {}): Promise<Visitor> {
  const { id: trust } = await done(create(fields))
  const { access_token } = await done(
    exchange(service.visitor(), await jobToken(service, provider, { repository }), { trust }),
  )
  return machine(service, access_token)
}

describe('the jobs of a rule that names no keys', () => {
  it('rotate those that are not older than the rule, and no other', async () => {
    const job = await jobBy()
    expect(await rotate(job, older.id)).toMatchObject(unnamed)
    expect(await isAlive(service, older.token)).toBe(true)
    const newer = await organizationKey(acme)
    expect((await done(rotate(job, newer.id))).id).toBe(newer.id)
  })

  it('rotate a key of the very moment of the rule', async () => {
    const job = await jobBy()
    await service.deps.sql`
      update machine_keys set created_at = t.created_at from trust_rules t
      where machine_keys.id = ${older.id} and t.organization_id = ${acme.id}
    `
    expect((await rotate(job, older.id)).status).toBe(200)
  })
})

describe('the jobs of a rule that names keys', () => {
  it('rotate these, however old they are, again and again, and no other', async () => {
    const job = await jobBy({ rotates: [older.id, older.id] })
    const newer = await organizationKey(acme)
    await done(rotate(job, older.id))
    await done(rotate(job, older.id))
    expect(await rotate(job, newer.id)).toMatchObject(unnamed)
    const [rule] = await done(acme.owner.get(`/key/trust/list?organizationId=${acme.id}`))
    expect(rule.rotates).toEqual([older.id])
  })

  it('rotate none where it names none', async () => {
    const job = await jobBy({ rotates: [] })
    for (const { id } of [older, await organizationKey(acme)]) expect(await rotate(job, id)).toMatchObject(unnamed)
  })

  it('get no roles by it: a key that may do more stays as it is', async () => {
    const job = await jobBy({ rotates: [older.id], role: 'member' })
    expect((await rotate(job, older.id)).body.message).toBe('Key not found')
  })

  it('cannot be keys of others, or none at all', async () => {
    const elsewhere = await organizationKey(await found(service))
    for (const id of [elsewhere.id, 'no-such-key'])
      expect((await create({ rotates: [older.id, id] })).body.message).toBe('Key not found')
    expect(await done(acme.owner.get(`/key/trust/list?organizationId=${acme.id}`))).toEqual([])
  })
})

it('a person rotates any key, whatever rules name', async () => {
  await done(create({ rotates: [] }))
  expect((await rotate(acme.owner, older.id)).status).toBe(200)
})
