import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweep } from '../../process/sweeper.ts'
import { holder, keyAt, machine, organizationKey, ownKey } from '../../testing/machines.ts'
import { linkTo, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { admit, done, type Founded, found, serverHeaders } from '../../testing/organizations.ts'
import { dumpTables } from '../../testing/rows.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import type { Visitor } from '../../testing/visitor.ts'

let service: TestService
let acme: Founded
beforeAll(async () => {
  service = await createTestService()
  acme = await found(service)
})
afterAll(() => service.stop())

const whoIs = async (token: string, address?: string) =>
  (await machine(service, token, address).get('/get-session')).body
const isAlive = async (token: string, address?: string) => (await whoIs(token, address)) !== null
const rotate = (person: Visitor, keyId: string, fields: object = {}) => person.post('/key/rotate', { keyId, ...fields })

describe('a key of an organization', () => {
  it('acts as a member of its own, with its roles, in that organization', async () => {
    const made = await organizationKey(acme)
    expect(made).toMatchObject({ name: 'deploy', organizationId: acme.id, role: 'admin', scopes: null, ipRanges: [] })
    expect(made.token).toMatch(/^pst_[A-Za-z0-9]{49}$/)
    const { session, user } = await whoIs(made.token)
    expect(session).toMatchObject({ id: made.id, token: made.id, userId: made.userId, activeOrganizationId: acme.id })
    expect(user).toMatchObject({ id: made.userId, name: 'deploy', email: `${made.userId}@machine.invalid` })
    const ci = machine(service, made.token)
    expect((await ci.get('/organization/get-active-member')).body).toMatchObject({ role: 'admin', userId: made.userId })
    const asked = { permissions: { member: ['create'], organization: ['update'] } }
    expect((await ci.post('/organization/has-permission', asked)).body.success).toBe(true)
    const invited = await ci.post('/organization/invite-member', { email: 'dave@example.com', role: 'member' })
    expect([invited.status, invited.setCookies]).toEqual([200, []])
    const removed = await ci.post('/organization/remove-member', { memberIdOrEmail: (await acme.join('member')).email })
    expect([removed.status, removed.setCookies]).toEqual([200, []])
  })

  it('is shown once, told apart by its end, and stands nowhere', async () => {
    const made = await organizationKey(acme)
    const [listed] = await done(acme.owner.get(`/key/list?organizationId=${acme.id}`))
    expect(listed).toMatchObject({ id: made.id, hint: made.token.slice(-4), lastUsedAt: null, overlapEndsAt: null })
    expect(listed.token).toBeUndefined()
    await whoIs(made.token)
    const kept = `${await dumpTables(service)}${JSON.stringify(service.logged)}`
    expect(kept.includes(made.token.slice(4))).toBe(false)
  })

  it('is seen among the members, marked, and given other roles or removed there', async () => {
    const firm = await found(service)
    const made = await organizationKey(firm, { name: 'robot' })
    const { members, total } = await done(firm.owner.get('/organization/list-members'))
    expect([total, members.length]).toEqual([2, 2])
    const robot = members.find(({ userId }: { userId: string }) => userId === made.userId)
    expect(robot).toMatchObject({ role: 'admin', user: { name: 'robot', isMachine: true } })
    expect(members.find(({ userId }: { userId: string }) => userId !== made.userId).user).not.toHaveProperty(
      'isMachine',
    )
    const full = await done(firm.owner.get('/organization/get-full-organization'))
    const marks = full.members.map(({ user }: { user: { isMachine?: boolean } }) => user.isMachine)
    expect(marks).toEqual([undefined, true])
    const change = (role: string) => firm.owner.post('/organization/update-member-role', { memberId: robot.id, role })
    expect((await change('owner')).body.message).toBe('You are not allowed to update this member')
    await done(change('member'))
    const ci = machine(service, made.token)
    const invite = { email: 'dave@example.com', role: 'member' }
    expect((await ci.post('/organization/invite-member', invite)).status).toBe(403)
    expect((await keyAt(firm.owner, made.id)).role).toBe('member')
    await done(firm.owner.post('/organization/remove-member', { memberIdOrEmail: robot.id }))
    expect(await isAlive(made.token)).toBe(false)
    expect((await firm.owner.get(`/key/view?keyId=${made.id}`)).body.message).toBe('Key not found')
    expect((await dumpTables(service, 'audit_events')).includes(made.userId)).toBe(false)
  })

  it('takes no place of a person, and is nobody whom an owner would leave alone', async () => {
    const small = await service.sibling({ MEMBERSHIP_LIMIT: '2', DATABASE_POOL: '2' })
    const firm = await found(small)
    await organizationKey(firm)
    expect((await done(firm.owner.get('/organization/list')))[0].soleMember).toBe(true)
    const bob = await firm.join('member')
    await expect(firm.join('member')).rejects.toThrow('Organization membership limit reached')
    await done(bob.post('/organization/leave', { organizationId: firm.id }))
    const dave = await verifiedPerson(small)
    const invitationId = await firm.invite(dave.email)
    await done(dave.post('/organization/accept-invitation', { invitationId }))
    await done(dave.post('/organization/leave', { organizationId: firm.id }))
    await done(firm.owner.post('/delete-user'))
    expect((await dumpTables(service, 'audit_events')).includes(firm.id)).toBe(false)
  })

  it('sends invitations as an organization does, and not as somebody unknown', async () => {
    const strict = await createTestService(
      { RATE_LIMIT: 'on', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' },
      { limits: { invitationsByUnverified: { max: 1 } } },
    )
    const firm = await found(strict)
    const ci = machine(strict, (await organizationKey(firm)).token)
    for (let count = 0; count < 3; count += 1)
      await done(ci.post('/organization/invite-member', { email: `dave-${count}@example.com`, role: 'member' }))
    expect(strict.logged.filter(({ msg }) => msg === 'mail withheld')).toEqual([])
    await strict.stop()
  })

  it('has nothing that a person signs in with, at any door', async () => {
    const { userId } = await organizationKey(acme)
    const email = `${userId}@machine.invalid`
    const visitor = service.visitor()
    for (const [path, body] of [
      ['/sign-in/email', { email, password: testPassword }],
      ['/sign-up/email', { email, password: testPassword, name: 'Eve' }],
      ['/sign-up/email', { email: 'eve@MACHINE.invalid', password: testPassword, name: 'Eve' }],
      ['/forget-password', { email }],
      ['/send-verification-email', { email }],
    ] as const)
      expect((await visitor.post(path, body)).body.message).toBe('Invalid email')
    expect((await acme.owner.post('/change-email', { newEmail: email })).body.message).toBe('Invalid email')
    const invited = await acme.owner.post('/organization/invite-member', { email, role: 'member' })
    expect(invited.body.message).toBe('Invalid email')
    const set = await visitor.post('/set-password', { userId, newPassword: testPassword }, serverHeaders)
    expect(set.status).toBe(400)
    const created = { name: 'Own', slug: `own-${userId}`, userId }
    expect((await visitor.post('/organization/create', created, serverHeaders)).body.message).toBe('User not found')
    await expect(admit(service, email, { organizationId: (await found(service)).id, role: 'owner' })).rejects.toThrow(
      'User not found',
    )
    const { sql } = service.deps
    const account = sql`insert into accounts (id, user_id, provider_id, account_id) values ('a', ${userId}, 'github', 'x')`
    await expect(account).rejects.toThrow('accounts_person_check')
    await expect(sql`update users set organization_id = null where id = ${userId}`).rejects.toThrow(
      'users_machine_check',
    )
  })

  it('is never an owner’s, and never more than its maker may', async () => {
    const admin = await acme.join('admin')
    const make = (person: Visitor, role: string) =>
      person.post('/key/create', { name: 'x', organizationId: acme.id, role })
    expect((await make(admin, 'admin')).status).toBe(200)
    for (const [person, role] of [
      [admin, 'owner'],
      [acme.owner, 'owner'],
      [acme.owner, 'member,owner'],
    ] as const)
      expect((await make(person, role)).body.message).toBe('You are not allowed to give a key this role')
    expect((await make(await acme.join('member'), 'member')).body.message).toBe(
      'You are not allowed to create keys in this organization',
    )
  })
})

describe('a key of a person', () => {
  it('acts as that person, in no organization of its own, as long as there is one', async () => {
    const ann = await verifiedPerson(service)
    const made = await ownKey(ann)
    const { session, user } = await whoIs(made.token)
    expect([user.email, session.activeOrganizationId]).toEqual([ann.email, null])
    expect((await done(ann.get('/key/list'))).map(({ id }: { id: string }) => id)).toEqual([made.id])
    const { sql } = service.deps
    await sql`update users set banned = true where email = ${ann.email}`
    expect(await isAlive(made.token)).toBe(false)
    await sql`update users set banned = null where email = ${ann.email}`
    expect(await isAlive(made.token)).toBe(true)
    await done(ann.post('/delete-user'))
    expect(await isAlive(made.token)).toBe(false)
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
    await done(service.visitor().post('/forget-password', { email: ann.email }))
    const link = await linkTo(service, ann.email, 'reset-password')
    await done(service.visitor().post('/reset-password', { token: link.token, newPassword: 'another horse battery' }))
    expect(await isAlive(token)).toBe(false)
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
    expect(await isAlive(token)).toBe(true)
  })
})

describe('a key', () => {
  it('is taken from its networks alone, by the address that counts', async () => {
    const { id, token } = await organizationKey(acme, { ipRanges: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'] })
    for (const address of ['192.0.2.1', '::ffff:192.0.2.255', '2001:db8::1', '198.51.100.7'])
      expect([address, await isAlive(token, address)]).toEqual([address, true])
    for (const address of ['192.0.3.1', '198.51.100.8', '2001:db9::1', '10.0.0.1'])
      expect([address, await isAlive(token, address)]).toEqual([address, false])
    const refused = service.logged.filter(({ event, target }) => event === 'key-refused' && target === id)
    expect(refused).toHaveLength(4)
    const forwarded = machine(service, token, '10.0.0.1').get('/get-session', { 'x-forwarded-for': '192.0.2.1' })
    expect((await forwarded).body).toBeNull()
  })

  it('ends when its time is over, and then is as if it had never been', async () => {
    const { id, token } = await organizationKey(acme, { expiresIn: 60 })
    expect(await isAlive(token)).toBe(true)
    await service.deps.sql`update machine_keys set expires_at = now() where id = ${id}`
    const reply = await machine(service, token).get('/organization/list')
    expect([reply.status, reply.text]).toEqual([401, ''])
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
      await whoIs(token, address)
      await expect.poll(async () => (await keyAt(acme.owner, id)).lastUsedIp).not.toBeNull()
      return keyAt(acme.owner, id)
    }
    expect(await usedAt('192.0.2.1')).toMatchObject({ lastUsedIp: '192.0.2.1' })
    expect(await usedAt('192.0.2.2')).toMatchObject({ lastUsedIp: '192.0.2.1' })
    await service.deps.sql`update machine_keys set last_used_at = now() - interval '61 seconds' where id = ${id}`
    await whoIs(token, '192.0.2.3')
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
    expect((await ann.post('/key/create', { name: 'x' })).body.message).toBe('Not allowed while impersonating')
  })
})

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
    expect([await isAlive(made.token), await isAlive(second.token)]).toEqual([true, true])
    const third = await done(rotate(acme.owner, made.id, { overlap: 600 }))
    expect(await Promise.all([made.token, second.token, third.token].map((token) => isAlive(token)))).toEqual([
      true,
      true,
      true,
    ])
    await service.deps
      .sql`update machine_key_secrets set ends_at = ends_at - interval '601 seconds' where key_id = ${made.id}`
    expect(await Promise.all([made.token, second.token, third.token].map((token) => isAlive(token)))).toEqual([
      false,
      false,
      true,
    ])
    const fourth = await done(rotate(acme.owner, made.id, { overlap: 0 }))
    expect([await isAlive(third.token), await isAlive(fourth.token)]).toEqual([false, true])
    expect((await keyAt(acme.owner, made.id)).overlapEndsAt).toBeNull()
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

  it('is for whoever may make and end it', async () => {
    const { id } = await organizationKey(acme)
    for (const actions of [{ member: ['create'] }, { member: ['delete'] }])
      expect((await rotate(await holder(service, acme, actions), id)).body.message).toBe(
        'You are not allowed to rotate this key',
      )
  })
})
