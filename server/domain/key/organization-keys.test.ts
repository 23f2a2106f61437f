import { describe, expect, it } from 'vitest'
import { isAlive, keyAt, machine, organizationKey, whoIs } from '../../testing/machines.ts'
import { verifiedPerson } from '../../testing/mailed.ts'
import { admit, done, found, serverHeaders } from '../../testing/organizations.ts'
import { dumpTables } from '../../testing/rows.ts'
import { createTestService, testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const service = useTestService()
const acme = useMade(() => found(service))

describe('a key of an organization', () => {
  it('acts as a member of its own, with its roles, in that organization', async () => {
    const made = await organizationKey(acme)
    expect(made).toMatchObject({ name: 'deploy', organizationId: acme.id, role: 'admin', scopes: null, ipRanges: [] })
    expect(made.token).toMatch(/^pst_[A-Za-z0-9]{49}$/)
    const { session, user } = await whoIs(service, made.token)
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
    await whoIs(service, made.token)
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
    expect(await isAlive(service, made.token)).toBe(false)
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
    const [row] = await strict.deps.sql`select count(*)::int as count from outbox where kind = 'invitation'`
    expect(row).toEqual({ count: 3 })
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
