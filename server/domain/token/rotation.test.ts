import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockAdministration } from '../../db/admins.ts'
import { transaction } from '../../db/transaction.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { done } from '../../testing/organizations.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { ageKeys, keysAt, personWithRole, storedKeys, tokenOf, verifyAt } from '../../testing/tokens.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'
import { createKey, leadTimeOf } from './add-due-key.ts'
import { readKeyRing } from './key-ring.ts'

const time = { passed: 0 }
let service: TestService
beforeEach(async () => {
  time.passed = 0
  service = await createTestService({}, { now: () => new Date(Date.now() + time.passed) })
})
afterEach(() => service.stop())

/** Time passes for whatever is stored, and for clocks. Seconds. */
async function pass(seconds: number): Promise<void> {
  time.passed += seconds * 1000
  await ageKeys(service, seconds)
}

const origin = 'http://localhost:4100'
const lead = () => leadTimeOf(service.deps.config)
const keyIdOf = (token: string) => decodeProtectedHeader(token).kid
const idsAt = async (at: TestService) => (await keysAt(at)).keys.map(({ kid }) => kid)
const rotate = async (admin: Visitor, body: object = {}) => (await done(admin.post('/admin/rotate-keys', body))).keys

/** Another service, with the keys that it fetched once and keeps for as long as it may. */
function createVerifier() {
  const seen = { fetched: 0 }
  const keys = createRemoteJWKSet(new URL(`${origin}/api/auth/jwks`), {
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: (url) => {
      seen.fetched += 1
      return Promise.resolve(service.app.request(url))
    },
  })
  const verify = (token: string) =>
    jwtVerify(token, keys, { issuer: origin, audience: origin, currentDate: service.deps.now() })
  return { seen, verify }
}

describe('a rotation', () => {
  it('is refused to who loses the right while it waits', async () => {
    const [admin, before] = [await personWithRole(service, 'admin'), await keysAt(service)]
    let asked: Promise<Reply> | undefined
    await transaction(service.deps.sql, async (tx) => {
      await lockAdministration(tx)
      await tx`update users set roles = '{user}' where email = ${admin.email}`
      asked = admin.post('/admin/rotate-keys', { revoke: true })
      await untilWaiting(service)
    })
    expect((await asked)?.status).toBe(403)
    expect(await keysAt(service)).toEqual(before)
  })

  it('leaves no verifier without a key: not one that knew the old keys, nor one that comes later', async () => {
    const admin = await personWithRole(service, 'admin')
    const [early, late] = [createVerifier(), createVerifier()]
    const before = await tokenOf(admin)
    await early.verify(before)

    await rotate(admin)
    const during = await tokenOf(admin)
    expect(keyIdOf(during)).toBe(keyIdOf(before))
    for (const { verify } of [early, late]) await Promise.all([verify(before), verify(during)])

    await pass(lead() - 100)
    const last = await tokenOf(admin)
    expect(keyIdOf(last)).toBe(keyIdOf(before))
    await early.verify(last)

    // Whoever knew only the old keys has had to ask again by now; whoever asked since the rotation has not.
    await pass(101)
    const after = await tokenOf(admin)
    expect(keyIdOf(after)).not.toBe(keyIdOf(before))
    await Promise.all([late.verify(after), late.verify(last)])
    expect([early.seen.fetched, late.seen.fetched]).toEqual([1, 1])
    await createVerifier().verify(last)
  })

  it('takes the old key back once all that it signed has expired', async () => {
    const admin = await personWithRole(service, 'admin')
    const [old] = await idsAt(service)
    await rotate(admin)
    await pass(lead() + 900)
    expect(await idsAt(service)).toEqual([expect.any(String), old])
    await pass(121)
    expect(await idsAt(service)).toEqual([keyIdOf(await tokenOf(admin))])
    expect(await storedKeys(service)).toHaveLength(1)
  })

  it('is under way: asked for again, it begins no other', async () => {
    const admin = await personWithRole(service, 'admin')
    await keysAt(service)
    const first = await rotate(admin)
    expect(first).toMatchObject([{ publishedUntil: null }, { publishedUntil: expect.any(String) }])
    expect(await rotate(admin)).toEqual(first)
    await pass(lead() + 1)
    expect(await rotate(admin)).toHaveLength(3)
  })

  it('is told in the trail, once, by whoever asked for it', async () => {
    const admin = await personWithRole(service, 'admin')
    await keysAt(service)
    const [{ id }] = await rotate(admin)
    await rotate(admin)
    const rows = await service.deps.sql`
      select actor_id = u.id as is_own, target, details from audit_events, users u
      where event = 'keys-rotated' and u.email = ${admin.email}
    `
    expect([...rows]).toEqual([{ isOwn: true, target: id, details: { count: 0 } }])
  })

  it.each([
    ['no role', []],
    ['another role', ['user']],
  ])('is not for somebody with %s', async (_name, roles) => {
    const eve = await personWithRole(service, ...roles)
    await keysAt(service)
    const before = [...(await storedKeys(service))]
    for (const body of [{}, { revoke: true }])
      expect(await eve.post('/admin/rotate-keys', body)).toMatchObject({ status: 403 })
    expect((await service.visitor().post('/admin/rotate-keys')).status).toBe(401)
    expect([...(await storedKeys(service))]).toEqual(before)
  })

  it('is not for an administrator whom somebody acts as', async () => {
    const admin = await personWithRole(service, 'admin')
    await service.deps.sql`update sessions set impersonated_by = user_id`
    expect((await admin.post('/admin/rotate-keys')).status).toBe(403)
  })

  it('leaves one newest key, and one that follows, when two instances rotate at once', async () => {
    const sibling = await service.sibling()
    const admin = await personWithRole(service, 'admin')
    await Promise.all([keysAt(service), keysAt(sibling)])
    const there = sibling.copyOf(admin)
    const answers = await Promise.all([admin, there, admin, there].map((who) => rotate(who)))
    expect(new Set(answers.map((keys) => JSON.stringify(keys))).size).toBe(1)
    expect(await storedKeys(service)).toMatchObject([{ isNewest: true, isPending: true }, { isNewest: false }])
    expect(await idsAt(sibling)).toEqual(await idsAt(service))
  })
})

describe('a key that has leaked', () => {
  it('ends at once with what it signed, wherever keys are read anew', async () => {
    const admin = await personWithRole(service, 'admin')
    const leaked = await tokenOf(admin)
    const sent = (await admin.get('/get-session')).headers.get('set-auth-jwt')!
    await rotate(admin)
    const keys = await rotate(admin, { revoke: true })
    expect(keys).toHaveLength(1)
    for (const token of [leaked, sent]) await expect(verifyAt(service, token)).rejects.toThrow('no applicable key')
    const next = (await admin.get('/get-session')).headers.get('set-auth-jwt')!
    for (const token of [await tokenOf(admin), next]) {
      await verifyAt(service, token)
      expect(keyIdOf(token)).toBe(keys[0].id)
    }
    const [row] = await service.deps.sql`select details from audit_events where details->'count' = '2'`
    expect(row).toEqual({ details: { count: 2 } })
  })

  it('is published by no instance any more, a second later at the latest', async () => {
    const sibling = await service.sibling()
    const admin = await personWithRole(service, 'admin')
    const leaked = await tokenOf(sibling.copyOf(admin))
    await verifyAt(sibling, leaked)
    await rotate(admin, { revoke: true })
    time.passed += 1001
    await expect.poll(() => idsAt(sibling)).not.toContain(keyIdOf(leaked))
    await expect(verifyAt(sibling, leaked)).rejects.toThrow('no applicable key')
  })

  it('signs nothing at another instance, which looks a minute later at the latest', async () => {
    const sibling = await service.sibling()
    const admin = await personWithRole(service, 'admin')
    const there = sibling.copyOf(admin)
    const leaked = await tokenOf(there)
    const [{ id }] = await rotate(admin, { revoke: true })
    expect(keyIdOf(await tokenOf(there))).toBe(keyIdOf(leaked))
    time.passed += 61_000
    expect(keyIdOf(await tokenOf(there))).toBe(id)
    await verifyAt(sibling, await tokenOf(there))
  })
})

describe('the keys', () => {
  it('are told as known a moment ago where the database takes its time, so that verifiers need not', async () => {
    const known = await idsAt(service)
    time.passed += 30_000
    await service.deps.sql.begin(async (tx) => {
      await tx`lock table signing_keys in access exclusive mode`
      expect(await idsAt(service)).toEqual(known)
    })
  })

  it('are made once, however many need the first at once', async () => {
    const siblings = await Promise.all([0, 1, 2].map(() => service.sibling()))
    const all = await Promise.all([service, ...siblings].flatMap((at) => [idsAt(at), idsAt(at)]))
    expect(new Set(all.flat()).size).toBe(1)
    expect(await storedKeys(service)).toHaveLength(1)
  })

  it('are made once, by a look too that began before the key did', async () => {
    const { sql } = service.deps
    const key = await createKey(service.deps)
    const asked: Promise<unknown>[] = []
    await sql.begin(async (tx) => {
      await tx`lock table signing_keys in access exclusive mode`
      asked.push(idsAt(service))
      await untilWaiting(service)
      await tx`
        insert into signing_keys (id, algorithm, public_key, private_key, token_life, signs_from)
        values (
          ${key.id}, ${key.algorithm}, ${JSON.stringify(key.publicKey)}::text::jsonb, ${key.privateKey}, ${key.tokenLife},
          clock_timestamp()
        )
      `
    })
    expect(await Promise.all(asked)).toEqual([[key.id]])
    expect(await storedKeys(service)).toHaveLength(1)
  })

  it('are followed by others when they are old, once, at whatever instance that is seen', async () => {
    const sibling = await service.sibling()
    const ann = await service.person()
    const old = await tokenOf(ann)
    await pass(90 * 86_400 - 300)
    expect(await idsAt(service)).toHaveLength(1)
    await pass(301)
    sibling.deps.tokenMemory.forgetRing()
    const published = await Promise.all([idsAt(service), idsAt(sibling)])
    expect(published[0]).toHaveLength(2)
    expect(published[1]).toEqual(published[0])
    await service.deps.sql`update sessions set expires_at = now() + interval '1 day'`
    expect(keyIdOf(await tokenOf(ann))).toBe(keyIdOf(old))
    await pass(lead() + 1)
    const next = await tokenOf(ann)
    expect(keyIdOf(next)).toBe(published[0]?.[0])
    await verifyAt(service, next)
  })

  it('never grow old where that is turned off', async () => {
    const other = await service.sibling({ JWT_ROTATION: '0' })
    const before = await idsAt(other)
    await ageKeys(service, 3650 * 86_400)
    other.deps.tokenMemory.forgetRing()
    expect(await idsAt(other)).toEqual(before)
  })

  it('change their algorithm as they follow each other; services that disagree make few', async () => {
    const ann = await service.person()
    const old = await tokenOf(ann)
    const other = await service.sibling({ JWT_ALGORITHM: 'ES256' })
    for (let round = 0; round < 4; round += 1)
      for (const at of [other, service]) {
        at.deps.tokenMemory.forgetRing()
        await keysAt(at)
      }
    expect((await keysAt(service)).keys.map(({ alg }) => alg)).toEqual(['ES256', 'EdDSA'])
    expect(keyIdOf(await tokenOf(ann))).toBe(keyIdOf(old))
    await pass(lead() + 1)
    const next = await tokenOf(ann)
    expect((await verifyAt(service, next)).protectedHeader.alg).toBe('ES256')
    await verifyAt(service, old, { currentDate: new Date(0) })
  })

  it('are never outlived by what they signed', async () => {
    const admin = await personWithRole(service, 'admin')
    await tokenOf(admin)
    // A service that lets tokens live longer than the one that rotates.
    const long = await service.sibling({ JWT_EXPIRES_IN: '1d' })
    const there = long.copyOf(admin)
    const token = await tokenOf(there)
    await rotate(admin)
    await pass(86_300)
    expect((await verifyAt(service, token)).payload.email).toBe(admin.email)
  })

  it('may be kept by anybody for as long as a new one waits', async () => {
    const { headers } = await service.visitor().get('/jwks')
    expect(headers.get('cache-control')).toBe('public, max-age=900')
    expect(lead()).toBeGreaterThan(900 + 60)
    expect((await service.visitor().get('/jwks?x=1')).headers.get('set-cookie')).toBeNull()
  })

  it('are published and sign on while the database is out of reach', async () => {
    const ids = await idsAt(service)
    await service.deps.sql`alter table signing_keys rename to elsewhere`
    time.passed += 61_000
    expect(await idsAt(service)).toEqual(ids)
    time.passed += 900_000
    expect((await service.visitor().get('/jwks')).status).toBe(500)
    await service.deps.sql`alter table elsewhere rename to signing_keys`
    expect(await idsAt(service)).toEqual(ids)
  })

  it('that were replaced while they were read are not taken for the newest', async () => {
    const { tokenMemory: memory } = service.deps
    const reading = readKeyRing(service.deps)
    memory.forgetRing()
    await reading
    expect(memory.ring).toBeNull()
  })
})
