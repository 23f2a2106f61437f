import { describe, expect, it } from 'vitest'
import { claimMail } from '../../db/outbox.ts'
import { mailLease } from '../../mail/mail-transport.ts'
import { adminOf, holderOf, somebody } from '../../testing/admins.ts'
import { canSignIn, mailsTo } from '../../testing/mailed.ts'
import { done } from '../../testing/organizations.ts'
import { leaveLink } from '../../testing/outbox.ts'
import { testPassword } from '../../testing/service.ts'
import { holdMails, lockOut } from '../../testing/support-calls.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService({ RATE_LIMIT: 'on' })
const admin = useMade(() => adminOf(service))

const view = (userId: string, by = admin) => done(by.get(`/admin/view-user?userId=${userId}`))
const eventsOn = (userId: string, event: string) =>
  service.deps.sql`select actor_id, details from audit_events where user_id = ${userId} and event = ${event}`
const mail = async (id: string) =>
  (await done(admin.get('/admin/list-mails'))).find((one: { id: string }) => one.id === id)

describe('a user for support', () => {
  it('is seen with all that decides whether they can sign in', async () => {
    const ann = await somebody(service)
    await done(ann.post('/key/create', { name: 'deploy' }))
    await service.visitor().post('/forget-password', { email: ann.email })
    expect(await view(ann.id)).toMatchObject({
      user: { id: ann.id, email: ann.email },
      waysIn: [{ providerId: 'credential', addressProven: false }],
      lastSignInAt: expect.any(String),
      limits: [],
      sessions: [{ label: null, userAgent: expect.any(String) }],
      keys: [{ name: 'deploy', lastUsedAt: null }],
      mails: expect.arrayContaining([expect.objectContaining({ kind: 'reset-password', state: 'waiting' })]),
    })
  })

  it('is seen without lists that the reader may not list, and without secrets and addresses of devices', async () => {
    const custom = await service.sibling()
    Object.assign(custom.deps.config, { platformRoles: { user: {}, reader: { user: ['list'] } } })
    const ann = await somebody(service)
    const seen = await view(ann.id, await holderOf(custom, 'reader'))
    expect([seen.sessions, seen.mails]).toEqual([null, null])
    expect(JSON.stringify(await view(ann.id))).not.toMatch(/token|ipAddress|password"/)
  })
})

describe('an account that strangers locked', () => {
  it('is told of with the end of the lock, and unlocked, once', async () => {
    const ann = await somebody(service)
    await lockOut(service, ann.email)
    expect(await canSignIn(service, ann.email, testPassword)).toBe(false)
    const { limits } = await view(ann.id)
    expect(limits).toMatchObject([{ limit: 'accountTries', max: 10, until: expect.any(String) }])
    expect(await done(admin.post('/admin/unlock-user', { userId: ann.id }))).toMatchObject({
      user: { id: ann.id },
      limits: ['accountTries'],
    })
    expect(await canSignIn(service, ann.email, testPassword)).toBe(true)
    expect((await view(ann.id)).limits).toEqual([])
    expect((await done(admin.post('/admin/unlock-user', { userId: ann.id }))).limits).toEqual([])
    expect(await eventsOn(ann.id, 'user-unlocked')).toEqual([{ actorId: admin.id, details: { count: 2 } }])
  })

  it('of an administrator is unlocked by nobody who may do less', async () => {
    const custom = await service.sibling()
    Object.assign(custom.deps.config, {
      platformRoles: { user: {}, helper: { user: ['unlock'] }, admin: { user: ['ban'] } },
    })
    const helper = await holderOf(custom, 'helper')
    expect((await helper.post('/admin/unlock-user', { userId: admin.id })).status).toBe(403)
  })
})

describe('mails', () => {
  it('are listed with address and state, and without link or token', async () => {
    const id = await leaveLink(service)
    await service.deps.sql`update outbox set last_error = 'SMTP: 421', attempts = 1 where id = ${id}`
    const found = await mail(id)
    expect(found).toMatchObject({
      kind: 'reset-password',
      state: 'failing',
      attempts: 1,
      to: expect.stringMatching(/^ann-/),
    })
    expect(JSON.stringify(found)).not.toContain('token')
    const parked = await done(admin.get('/admin/list-mails?state=parked'))
    expect(parked.map((one: { id: string }) => one.id)).not.toContain(id)
  })

  it('that were given up are tried again, and those that may be on their way are left alone', async () => {
    const { sql } = service.deps
    const [parked, sent] = [await leaveLink(service), await leaveLink(service)]
    await sql`update outbox set parked_at = now(), attempts = 9, last_error = 'SMTP: 550' where id = ${parked}`
    await sql`update outbox set next_attempt_at = 'epoch' where id = ${sent}`
    expect((await claimMail(sql, mailLease))?.id).toBe(sent)
    expect(await done(admin.post('/admin/resend-mail', { mailId: parked }))).toMatchObject({
      state: 'waiting',
      attempts: 0,
    })
    expect(await done(admin.post('/admin/resend-mail', { mailId: sent }))).toMatchObject({ attempts: 1 })
    const events = await sql`select target from audit_events where event = 'mail-resent'`
    expect(events).toEqual([{ target: parked }])
  })

  it('that a copy holds are released together', async () => {
    const { sql } = service.deps
    const id = await leaveLink(service)
    await holdMails(service)
    const [{ count }] = await sql<[{ count: number }]>`select count(*)::integer from outbox where held_at is not null`
    expect((await mail(id)).state).toBe('held')
    expect(await done(admin.post('/admin/release-mails', {}))).toEqual({ released: count })
    expect((await mail(id)).state).toBe('waiting')
    expect(await done(admin.post('/admin/release-mails', {}))).toEqual({ released: 0 })
    expect(await sql`select from audit_events where event = 'mails-released'`).toHaveLength(1)
  })

  it('that no secret opens are listed without an address', async () => {
    const id = await leaveLink(service)
    await service.deps.sql`update outbox set payload = 'x' where id = ${id}`
    expect((await mail(id)).to).toBeNull()
    await service.deps.sql`delete from outbox where id = ${id}`
  })
})

describe('an address that an administrator changes', () => {
  const edit = (userId: string, data: object) => admin.post('/admin/update-user', { userId, data })

  it('is unverified, ends mailed links, and is told to the old one', async () => {
    const ann = await somebody(service)
    await service.visitor().post('/forget-password', { email: ann.email })
    const email = `new-${ann.email}`
    expect((await edit(ann.id, { email: email.toUpperCase() })).body).toMatchObject({ email, emailVerified: false })
    expect((await mailsTo(service, ann.email)).map(({ kind }) => kind)).toEqual(['email-changed'])
    expect(await canSignIn(service, email, testPassword)).toBe(true)
  })

  it('is proven where the administrator says so, and no longer where they take it back', async () => {
    const ann = await somebody(service)
    const proof = async () => (await view(ann.id)).waysIn[0].addressProven
    expect((await edit(ann.id, { emailVerified: true })).body.emailVerified).toBe(true)
    expect(await proof()).toBe(true)
    expect((await edit(ann.id, { emailVerified: false })).body.emailVerified).toBe(false)
    expect(await proof()).toBe(false)
  })
})
