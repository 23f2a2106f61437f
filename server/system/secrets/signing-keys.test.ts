import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { done } from '../../testing/organizations.ts'
import { dumpTables } from '../../testing/rows.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { ageKeys, keysAt, personWithRole, storedKeys, tokenOf, verifyAt } from '../../testing/tokens.ts'
import type { Visitor } from '../../testing/visitor.ts'

const older = 'k3Jx9vQ2mWz7Lr5TbN8yHd4FsG6pCa1E'
const newer = 'Zq8Xw2Vn5Kt1Rb7Jm4Hc9Gf3Ds6La0Pe'

let service: TestService
beforeEach(async () => {
  service = await createTestService({ SECRET: undefined, SECRETS: older })
})
afterEach(() => service.stop())

const keyIdOf = (token: string) => decodeProtectedHeader(token).kid
const unopened = ({ logged }: TestService) => logged.filter(({ level, keyId }) => level === 50 && keyId !== undefined)
const privateTextOf = async ({ deps: { keys } }: TestService) => {
  const [row] = await storedKeys(service)
  return keys.jwt.open(Buffer.from(row!.privateKey), row!.id)
}

describe('a change of the secret', () => {
  it('goes unseen: the same key signs, sealed anew, and the old secret can be dropped', async () => {
    const ann = await service.person()
    const before = await tokenOf(ann)
    const during = await service.sibling({ SECRETS: `${newer},${older}` })
    expect((await keysAt(during)).keys).toEqual((await keysAt(service)).keys)
    const after = await service.sibling({ SECRETS: newer })
    const bob = await after.person()
    expect(keyIdOf(await tokenOf(bob))).toBe(keyIdOf(before))
    await verifyAt(after, before)
    expect([...unopened(during), ...unopened(after)]).toEqual([])
    // Who still has only the old secret goes on with the key that it knows.
    service.deps.tokenMemory.ring = null
    expect(keyIdOf(await tokenOf(ann))).toBe(keyIdOf(before))
  })

  it('without the old one stops nothing: another key signs at once, the log says so, old tokens live on', async () => {
    const before = await tokenOf(await service.person())
    const after = await service.sibling({ SECRETS: newer })
    const next = await tokenOf(await after.person())
    expect(keyIdOf(next)).not.toBe(keyIdOf(before))
    await Promise.all([before, next].map((token) => verifyAt(after, token)))
    after.deps.tokenMemory.forgetRing()
    await keysAt(after)
    expect(unopened(after)).toMatchObject([{ keyId: keyIdOf(before), msg: expect.stringContaining('add it after') }])
    await ageKeys(service, 900 + 121)
    after.deps.tokenMemory.forgetRing()
    expect((await keysAt(after)).keys.map(({ kid }) => kid)).toEqual([keyIdOf(next)])
  })

  it('at some instances only makes no key with every look', async () => {
    const after = await service.sibling({ SECRETS: newer })
    for (let look = 0; look < 10; look += 1)
      for (const at of [service, after]) {
        at.deps.tokenMemory.forgetRing()
        const token = await tokenOf(await at.person())
        for (const other of [service, after]) {
          other.deps.tokenMemory.forgetRing()
          await verifyAt(other, token)
        }
      }
    expect((await storedKeys(service)).length).toBe(2)
  })
})

describe('the private part of a key', () => {
  const parts = (text: string): string[] => {
    const { d } = JSON.parse(text) as { d: string }
    const bytes = Buffer.from(d, 'base64url')
    return [d, bytes.toString('hex'), bytes.toString('base64'), text]
  }

  it('is in no answer, in no log and in no column', async () => {
    const admin = await personWithRole(service, 'admin')
    const ring = service.deps.tokenMemory
    const first = await keysAt(service).then(() => privateTextOf(service))
    const answers = [
      await admin.get('/jwks'),
      await admin.get('/token'),
      await admin.get('/get-session'),
      await admin.post('/admin/rotate-keys'),
      await admin.post('/admin/rotate-keys', { revoke: true }),
    ]
    await keysAt(service)
    const secrets = [first, await privateTextOf(service)].flatMap(parts)
    const told = [...answers.map(({ text, headers }) => text + JSON.stringify([...headers])), await dumpTables(service)]
    for (const text of [...told, JSON.stringify(service.logged)])
      for (const secret of secrets) expect(text).not.toContain(secret)
    expect(ring.opened.size).toBe(1)
  })

  it('opens in its own row alone', async () => {
    const admin = await personWithRole(service, 'admin')
    await keysAt(service)
    await done(admin.post('/admin/rotate-keys'))
    const { sql } = service.deps
    const ids = (await storedKeys(service)).map(({ id }) => id)
    await sql`
      update signing_keys k set private_key = o.private_key from (select * from signing_keys) o where o.id <> k.id
    `
    const other = await service.sibling()
    const token = await tokenOf(await other.person())
    expect(ids).not.toContain(keyIdOf(token))
    expect(unopened(other).map(({ keyId }) => keyId)).toEqual(ids)
    await verifyAt(other, token)
  })

  it('that was changed is refused, and replaced', async () => {
    await keysAt(service)
    await service.deps
      .sql`update signing_keys set private_key = set_byte(private_key, 20, (get_byte(private_key, 20) + 1) % 256)`
    const other = await service.sibling()
    await verifyAt(other, await tokenOf(await other.person()))
    expect(unopened(other)).toHaveLength(1)
  })
})

/** Tokens of one purpose are worth nothing for another: ours for other services open nothing here. */
it('a token for other services signs nobody in here', async () => {
  const ann = await service.person()
  const token = await tokenOf(ann)
  const stranger: Visitor = service.visitor()
  for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `postern.session_token=${token}` }]) {
    expect((await stranger.get('/list-sessions', headers)).status).toBe(401)
    expect((await stranger.get('/get-session', headers)).body).toBeNull()
  }
  expect((await stranger.get(`/verify-email?token=${token}`)).status).toBe(401)
})
