import { describe, expect, it } from 'vitest'
import { sweep } from '../../process/sweeper.ts'
import { isAlive, keyAt, machine, organizationKey, ownKey, rotate, whoIs } from '../../testing/machines.ts'
import { linkTo, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { done, found } from '../../testing/organizations.ts'
import { createTestService, testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService()
const acme = useMade(() => found(service))

describe('a key of a person', () => {
  it('acts as that person, in no organization of its own, as long as there is one', async () => {
    const ann = await verifiedPerson(service)
    const made = await ownKey(ann)
    const { session, user } = await whoIs(service, made.token)
    expect([user.email, session.activeOrganizationId]).toEqual([ann.email, null])
    expect((await done(ann.get('/key/list'))).map(({ id }: { id: string }) => id)).toEqual([made.id])
    const { sql } = service.deps
    await sql`update users set banned = true where email = ${ann.email}`
    expect(await isAlive(service, made.token)).toBe(false)
    await sql`update users set ban_expires = now() where email = ${ann.email}`
    expect(await isAlive(service, made.token)).toBe(true)
    await done(ann.post('/delete-user'))
    expect(await isAlive(service, made.token)).toBe(false)
  })

  it('answers has-permission with what its scopes hold as well, and nothing beyond them', async () => {
    const admin = await acme.join('admin')
    const { token } = await ownKey(admin, { scopes: ['read', 'invitation:create', 'invitation:create'] })
    const ci = machine(service, token)
    const may = async (permissions: object) =>
      (await done(ci.post('/organization/has-permission', { organizationId: acme.id, permissions }))).success
    expect(await may({ invitation: ['create'] })).toBe(true)
    expect(await may({ invitation: ['create', 'cancel'] })).toBe(false)
    expect(await may({ invitation: ['create'], member: ['delete'] })).toBe(false)
    expect(await may({ organization: ['delete'] })).toBe(false)
    const invite = { email: `dave-${crypto.randomUUID()}@example.com`, role: 'member', organizationId: acme.id }
    await done(ci.post('/organization/invite-member', invite))
    const refused = await ci.post('/organization/create-team', { name: 'Red', organizationId: acme.id })
    expect(refused.body).toEqual({ code: 'KEY_SCOPE_MISSING', message: 'This key lacks the scope team:create' })
  })

  it('ends with a mailed reset of the password: somebody else may have made it', async () => {
    const ann = await verifiedPerson(service)
    const { token } = await ownKey(ann)
    expect(await isAlive(service, token)).toBe(true)
    await done(service.visitor().post('/forget-password', { email: ann.email }))
    const link = await linkTo(service, ann.email, 'reset-password')
    await done(service.visitor().post('/reset-password', { token: link.token, newPassword: 'another horse battery' }))
    expect(await isAlive(service, token)).toBe(false)
  })

  it('is nobody else’s to see, rotate or end', async () => {
    const [ann, eve] = [await verifiedPerson(service), await verifiedPerson(service)]
    const { id: keyId, token } = await ownKey(ann)
    for (const reply of [
      await eve.get(`/key/view?keyId=${keyId}`),
      await rotate(eve, keyId),
      await eve.post('/key/revoke', { keyId }),
    ])
      expect(reply.body.message).toBe('Key not found')
    expect(await isAlive(service, token)).toBe(true)
  })
})

describe('a key', () => {
  it('is taken from its networks alone, by the address that counts', async () => {
    const { id, token } = await organizationKey(acme, { ipRanges: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'] })
    for (const address of ['192.0.2.1', '::ffff:192.0.2.255', '2001:db8::1', '198.51.100.7'])
      expect([address, await isAlive(service, token, address)]).toEqual([address, true])
    for (const address of ['192.0.3.1', '198.51.100.8', '2001:db9::1', '10.0.0.1'])
      expect([address, await isAlive(service, token, address)]).toEqual([address, false])
    const refused = service.logged.filter(({ event, target }) => event === 'key-refused' && target === id)
    expect(refused).toHaveLength(4)
    const forwarded = machine(service, token, '10.0.0.1').get('/get-session', { 'x-forwarded-for': '192.0.2.1' })
    expect((await forwarded).body).toBeNull()
  })

  it('ends when its time is over, and then is as if it had never been', async () => {
    const { id, token } = await organizationKey(acme, { expiresIn: 60 })
    expect(await isAlive(service, token)).toBe(true)
    await service.deps.sql`update machine_keys set expires_at = now() where id = ${id}`
    const reply = await machine(service, token).get('/organization/list')
    expect([reply.status, reply.text]).toEqual([401, ''])
  })

  it('lives as long as the settings allow and no longer, also where nothing is asked for', async () => {
    const ann = await (await service.sibling({ KEY_MAX_AGE: '1d' })).person()
    const { expiresAt } = await keyAt(ann, (await ownKey(ann)).id)
    expect(new Date(expiresAt).getTime()).toBeLessThanOrEqual(Date.now() + 86_400_000)
    const replies = [86_400, 86_401].map((expiresIn) => ann.post('/key/create', { name: 'laptop', expiresIn }))
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 400])
  })

  it('is still listed for a month after its end, and then goes, with its member', async () => {
    const firm = await found(service)
    const [recent, old] = [await organizationKey(firm), await organizationKey(firm)]
    const own = await ownKey(firm.owner)
    await done(rotate(firm.owner, recent.id, { overlap: 60 }))
    const { sql } = service.deps
    const expire = (id: string, days: number) =>
      sql`update machine_keys set expires_at = now() - make_interval(days => ${days}) where id = ${id}`
    await Promise.all([expire(recent.id, 29), expire(old.id, 31), expire(own.id, 31)])
    await sql`update machine_key_secrets set ends_at = now() where key_id = ${recent.id} and ends_at is not null`
    await sweep(service.deps)
    const listed = await done(firm.owner.get(`/key/list?organizationId=${firm.id}`))
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([recent.id])
    expect(await done(firm.owner.get('/key/list'))).toEqual([])
    expect((await done(firm.owner.get('/organization/list-members'))).total).toBe(2)
    expect(await sql`select from machine_key_secrets where key_id = ${recent.id}`).toHaveLength(1)
    expect((await firm.owner.get('/get-session')).body.user.email).toBe(firm.owner.email)
  })

  it('says when and from where it was used last, by the minute', async () => {
    const { id, token } = await organizationKey(acme)
    const usedAt = async (address: string) => {
      await whoIs(service, token, address)
      await expect.poll(async () => (await keyAt(acme.owner, id)).lastUsedIp).not.toBeNull()
      return keyAt(acme.owner, id)
    }
    expect(await usedAt('192.0.2.1')).toMatchObject({ lastUsedIp: '192.0.2.1' })
    expect(await usedAt('192.0.2.2')).toMatchObject({ lastUsedIp: '192.0.2.1' })
    await service.deps.sql`update machine_keys set last_used_at = now() - interval '61 seconds' where id = ${id}`
    await whoIs(service, token, '192.0.2.3')
    await expect.poll(async () => (await keyAt(acme.owner, id)).lastUsedIp).toBe('192.0.2.3')
  })

  it('costs one statement, and its use another one a minute', async () => {
    const { token } = await organizationKey(acme)
    const alone = await service.sibling({ DATABASE_POOL: '1' })
    const ask = () => machine(alone, token).get('/get-session')
    await ask()
    await expect.poll(() => alone.statements.list.length).toBe(2)
    expect(alone.statements.list[1]).toContain('last_used_ip =')
    await ask()
    expect(alone.statements.list).toHaveLength(3)
  })

  it('does nothing in a query, in a cookie, in a body, or with another letter in it', async () => {
    const { token } = await organizationKey(acme)
    service.statements.forget()
    const visitor = service.visitor()
    for (const reply of [
      await visitor.get(`/organization/list?token=${token}&access_token=${token}&key=${token}`),
      await visitor.get('/organization/list', { cookie: `postern.session_token=${token}` }),
      await visitor.get('/organization/list', { authorization: `Basic ${token}` }),
      await visitor.post('/organization/check-slug', { slug: 'x', token }),
      await visitor.get('/organization/list', {
        authorization: `Bearer ${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      }),
    ])
      expect(reply.status).toBe(401)
    expect(service.statements.list).toEqual([])
    expect(JSON.stringify(service.logged)).not.toContain(token)
  })

  it('is counted by itself, and an invented one by its network', async () => {
    const limited = await createTestService(
      { RATE_LIMIT: 'on' },
      { limits: { keyCalls: { max: 5 }, calls: { max: 3 } } },
    )
    const firm = await found(limited)
    const [one, other] = [await organizationKey(firm), await organizationKey(firm)]
    const call = async (token: string) => (await machine(limited, token, '192.0.2.1').get('/organization/list')).status
    const statuses = []
    for (let count = 0; count < 7; count += 1) statuses.push(await call(one.token))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
    expect(await call(other.token)).toBe(200)
    await done(firm.owner.post('/key/revoke', { keyId: other.id }))
    const ended = []
    for (let count = 0; count < 2; count += 1) ended.push(await call(other.token))
    expect(ended).toEqual([401, 401])
    await limited.stop()
  })

  it('is counted as the same key with each new secret', async () => {
    const limited = await createTestService({ RATE_LIMIT: 'on' }, { limits: { keyCalls: { max: 4 } } })
    const made = await organizationKey(await found(limited), { rotatesItself: true })
    const statuses = []
    for (let { token } = made; statuses.at(-1) !== 429; ) {
      const reply = await rotate(machine(limited, token, '192.0.2.1'), made.id, { overlap: 0 })
      statuses.push(reply.status)
      token = reply.body.token ?? token
      expect(statuses.length).toBeLessThan(9)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    await limited.stop()
  })

  it('is refused what only people do, whichever way it is asked for', async () => {
    const { token } = await organizationKey(acme)
    const ci = machine(service, token)
    for (const [path, body] of [
      ['/key/create', { name: 'x' }],
      ['/key/create', { name: 'x', organizationId: acme.id, role: 'member' }],
      ['/key/revoke', { keyId: 'x' }],
      ['/update-user', { name: 'Eve' }],
      ['/change-password', { newPassword: testPassword, currentPassword: testPassword }],
      ['/organization/set-active', { organizationId: acme.id }],
      ['/organization/create', { name: 'x', slug: 'x' }],
      ['/organization/delete', { organizationId: acme.id }],
      ['/organization/leave', { organizationId: acme.id }],
      ['/device/approve', { userCode: 'BCDF-GHJK' }],
    ] as const)
      expect([path, (await ci.post(path, body)).body]).toEqual([
        path,
        { code: 'MACHINE_KEYS_MAY_NOT_MAKE_THIS_CALL', message: 'Machine keys may not make this call' },
      ])
  })

  it('is never made by somebody who acts as another', async () => {
    const ann = await service.person()
    const { id } = await userOf(service, ann.email)
    await service.deps.sql`update sessions set impersonated_by = 'somebody' where user_id = ${id}`
    expect((await ann.post('/key/create', { name: 'x' })).body.code).toBe('NOT_ALLOWED_WHILE_IMPERSONATING')
  })
})
