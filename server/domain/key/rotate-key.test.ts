import { describe, expect, it } from 'vitest'
import { untilWaiting } from '../../testing/locks.ts'
import { holder, isAlive, keyAt, machine, organizationKey, ownKey, rotate } from '../../testing/machines.ts'
import { done, found, type Insider } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService()
const acme = useMade(() => found(service))

const remove = ({ memberId: memberIdOrEmail }: Insider) =>
  acme.owner.post('/organization/remove-member', { memberIdOrEmail, organizationId: acme.id })

describe('a rotation', () => {
  it('leaves the old secret a day, or as long as is said, and never longer than it had', async () => {
    const made = await organizationKey(acme)
    const second = await done(rotate(acme.owner, made.id))
    expect(second).toMatchObject({
      id: made.id,
      userId: made.userId,
      hint: second.token.slice(-4),
      expiresAt: expect.any(String),
    })
    const overlap = new Date(second.overlapEndsAt).getTime() - Date.now()
    expect(Math.round(overlap / 3_600_000)).toBe(24)
    expect([await isAlive(service, made.token), await isAlive(service, second.token)]).toEqual([true, true])
    const third = await done(rotate(acme.owner, made.id, { overlap: 600 }))
    expect(await Promise.all([made.token, second.token, third.token].map((token) => isAlive(service, token)))).toEqual([
      true,
      true,
      true,
    ])
    await service.deps
      .sql`update machine_key_secrets set ends_at = ends_at - interval '601 seconds' where key_id = ${made.id}`
    expect(await Promise.all([made.token, second.token, third.token].map((token) => isAlive(service, token)))).toEqual([
      false,
      false,
      true,
    ])
    expect((await keyAt(acme.owner, made.id)).overlapEndsAt).toBeNull()
    const fourth = await done(rotate(acme.owner, made.id, { overlap: 0 }))
    expect([await isAlive(service, third.token), await isAlive(service, fourth.token)]).toEqual([false, true])
    expect((await keyAt(acme.owner, made.id)).overlapEndsAt).toBeNull()
  })

  it('gives no secret a longer overlap than an earlier rotation left it', async () => {
    const made = await organizationKey(acme)
    const second = await done(rotate(acme.owner, made.id, { overlap: 600 }))
    await done(rotate(acme.owner, made.id))
    await service.deps
      .sql`update machine_key_secrets set ends_at = ends_at - interval '601 seconds' where key_id = ${made.id}`
    expect([await isAlive(service, made.token), await isAlive(service, second.token)]).toEqual([false, true])
  })

  it('gives a longer life', async () => {
    const made = await organizationKey(acme, { expiresIn: 3600 })
    const longer = await done(rotate(acme.owner, made.id, { expiresIn: 7200 }))
    expect(new Date(longer.expiresAt).getTime()).toBeGreaterThan(Date.now() + 3_700_000)
  })

  it('is for no key: neither of itself nor of another', async () => {
    const [own, one, other] = [await ownKey(acme.owner), await organizationKey(acme), await organizationKey(acme)]
    for (const asking of [own, one])
      for (const { id } of [own, one, other])
        expect((await rotate(machine(service, asking.token), id)).body.message).toBe(
          'Machine keys may not make this call',
        )
  })

  describe('by the key itself', () => {
    const itself = { rotatesItself: true }

    it.each([86_400, 600])(
      'leaves two secrets at most, with an overlap of a day and then of %d seconds',
      async (overlap) => {
        const { id, token } = await organizationKey(acme, itself)
        const second = (await done(rotate(machine(service, token), id, { overlap: 86_400 }))).token
        const third = (await done(rotate(machine(service, second), id, { overlap }))).token
        const alive = [token, second, third].map((one) => isAlive(service, one))
        expect(await Promise.all(alive)).toEqual([false, true, true])
      },
    )

    it('is for one that was made so, whatever its roles and scopes, and writes an event', async () => {
      const keys = [
        await ownKey(acme.owner, itself),
        await organizationKey(acme, { ...itself, role: 'member', scopes: ['invitation:create'] }),
      ]
      for (const made of keys) {
        const second = await done(rotate(machine(service, made.token), made.id, { overlap: 600 }))
        expect(second).toMatchObject({ id: made.id, rotatesItself: true, userId: made.userId })
        expect(await isAlive(service, second.token)).toBe(true)
        const third = await done(rotate(machine(service, second.token), made.id, { overlap: 0 }))
        expect(third.expiresAt).toBe(second.expiresAt)
        expect([await isAlive(service, second.token), await isAlive(service, third.token)]).toEqual([false, true])
        const events = await service.deps.sql`
          select from audit_events
          where event = 'key-rotated' and target = ${made.id} and user_id = ${made.userId}
        `
        expect(events).toHaveLength(2)
      }
    })

    it('is never of another, whoever that belongs to', async () => {
      const [one, own] = [await organizationKey(acme, itself), await ownKey(acme.owner, itself)]
      const others = [await organizationKey(acme, itself), await ownKey(acme.owner, itself), { id: 'no-such-key' }]
      for (const asking of [one, own])
        for (const { id } of others)
          expect(await rotate(machine(service, asking.token), id)).toMatchObject({
            status: 403,
            body: { message: 'You are not allowed to rotate this key' },
          })
    })

    it('gives it nothing else: no life, no other call of people', async () => {
      const { id, token } = await organizationKey(acme, itself)
      const key = machine(service, token)
      expect((await rotate(key, id, { expiresIn: 7200 })).status).toBe(403)
      for (const [path, body] of [
        ['/key/create', { name: 'more', organizationId: acme.id, role: 'member', rotatesItself: true }],
        ['/key/adopt', { keyId: id }],
        ['/key/revoke', { keyId: id }],
      ] as const)
        expect((await key.post(path, body)).body.message).toBe('Machine keys may not make this call')
    })

    it('is refused to a replaced secret, in its overlap and after', async () => {
      const { id, token } = await organizationKey(acme, itself)
      const second = await done(rotate(machine(service, token), id, { overlap: 600 }))
      expect(await rotate(machine(service, token), id)).toMatchObject({
        status: 403,
        body: { code: 'KEY_SECRET_REPLACED' },
      })
      await service.deps
        .sql`update machine_key_secrets set ends_at = ends_at - interval '601 seconds' where key_id = ${id}`
      expect((await rotate(machine(service, token), id)).status).toBe(401)
      expect((await rotate(machine(service, second.token), id)).status).toBe(200)
    })

    it('needs somebody who is responsible for it', async () => {
      const ben = await acme.join('admin')
      const { id, token } = await done(
        ben.post('/key/create', { name: 'his', organizationId: acme.id, role: 'member', ...itself }),
      )
      await done(remove(ben))
      expect((await rotate(machine(service, token), id)).body.code).toBe('SPONSOR_GONE')
    })
  })

  it('by a member who is being removed is done before they are, or not at all', async () => {
    const { id } = await organizationKey(acme)
    const leaving = await acme.join('admin')
    let isRemoved = false
    const { rotation, removal } = await service.deps.sql.begin(async (tx) => {
      // Holds the rotation up after it read who asks.
      await tx`lock table machine_key_secrets in exclusive mode`
      const rotating = rotate(leaving, id)
      await untilWaiting(service)
      const removing = remove(leaving).finally(() => (isRemoved = true))
      await untilWaiting(service, 2)
      expect(isRemoved).toBe(false)
      return { rotation: () => rotating, removal: () => removing }
    })
    expect([(await rotation()).status, (await removal()).status]).toEqual([200, 200])
    expect((await rotate(leaving, id)).body.code).toBe('KEY_NOT_FOUND')
  })

  it('is for whoever may make and end it', async () => {
    const { id } = await organizationKey(acme)
    for (const actions of [{ member: ['create'] }, { member: ['delete'] }])
      expect((await rotate(await holder(service, acme, actions), id)).body.message).toBe(
        'You are not allowed to rotate this key',
      )
  })
})
