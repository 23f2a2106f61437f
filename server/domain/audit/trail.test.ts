import { beforeAll, describe, expect, it } from 'vitest'
import { deleteOldAuditEvents, insertAuditEvent } from '../../db/audit-events.ts'
import { adminOf } from '../../testing/admins.ts'
import { testEvent } from '../../testing/client.ts'
import { userOf, verifiedPerson } from '../../testing/mailed.ts'
import { done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

interface Event extends Record<string, unknown> {
  readonly id: string
  readonly event: string
}
interface Listed {
  readonly events: readonly Event[]
  readonly next: string | null
  readonly latest: string
}

const service = useTestService()
const admin = useMade(() => adminOf(service))

const list = (visitor: Visitor, call: string, query: Record<string, string> = {}): Promise<Listed> =>
  done(visitor.get(`/${call}?${new URLSearchParams(query).toString()}`))
const all = (query: Record<string, string>) => list(admin, 'admin/list-audit-events', query)
const names = ({ events }: Listed) => events.map(({ event }) => event)

/** Every page, in turn. */
async function walk(visitor: Visitor, call: string, query: Record<string, string>): Promise<readonly Event[]> {
  const events: Event[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Listed = await list(visitor, call, { ...query, ...(cursor === '' ? {} : { cursor }) })
    events.push(...page.events)
    cursor = page.next
  }
  return events
}

describe('the trail', () => {
  it.each([
    ['changed', "update audit_events set event = 'sign-out-done'"],
    ['deleted', 'delete from audit_events'],
    ['emptied', 'truncate audit_events'],
  ])('is never %s', async (_name, statement) => {
    await service.person()
    await expect(service.deps.sql.unsafe(statement)).rejects.toThrow('audit_events is append-only')
  })

  it('is kept for as long as the settings say and a month more: only the sweep may delete, and only what is older', async () => {
    const { sql } = service.deps
    await sql`
      insert into audit_events (id, event, request_id, created_at)
      select 'old-' || n, 'team-created', 'r', now() - make_interval(days => n * 100) from generate_series(1, 9) n
    `
    const kept = async () =>
      (await sql`select id from audit_events where id like 'old-%' order by id`).map(({ id }) => id)
    const sweep = (batch: number, days: number) => deleteOldAuditEvents(sql, batch, days * 86_400)
    expect([(await sweep(100, 0)).count, (await kept()).length]).toEqual([0, 9])
    expect([(await sweep(2, 400)).count, await kept()]).toEqual([
      2,
      Array.from({ length: 7 }, (_, n) => `old-${n + 1}`),
    ])
    const both = await Promise.all([sweep(100, 400), sweep(100, 400)])
    expect([both[0].count + both[1].count, await kept()]).toEqual([3, ['old-1', 'old-2', 'old-3', 'old-4']])
    await expect(sql`delete from audit_events where id = 'old-3'`).rejects.toThrow('append-only')
  })

  it('tells who, as whom, what, to whom, from where, by which request, and when', async () => {
    const acme = await found(service)
    const bob = await acme.join('member')
    const asked = { organizationId: acme.id, memberId: bob.memberId, role: 'admin' }
    const reply = await acme.owner.post('/organization/update-member-role', asked, { 'user-agent': 'postern/1.0' })
    const [event] = (await all({ organizationId: acme.id, event: 'role-changed' })).events
    expect(event).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      event: 'role-changed',
      createdAt: expect.stringMatching(/^\d{4}-/),
      actorId: acme.owner.userId,
      actorEmail: acme.owner.email,
      actorName: 'Ann',
      impersonatorId: null,
      impersonatorEmail: null,
      keyId: null,
      keyName: null,
      isServer: false,
      userId: bob.userId,
      userEmail: bob.email,
      userName: 'Ann',
      organizationId: acme.id,
      target: null,
      targetName: null,
      details: { from: 'member', to: 'admin' },
      ipAddress: expect.stringMatching(/^10\./),
      userAgent: 'postern/1.0',
      requestId: reply.headers.get('x-request-id'),
      count: 1,
      lastAt: event?.createdAt,
    })
  })

  it('tells who really acted, and that a trusted server did', async () => {
    const acme = await found(service)
    const { owner } = acme
    await done(owner.post('/organization/update', { organizationId: acme.id, data: { name: 'Other', metadata: {} } }))
    await acme.join('member')
    const { events } = await all({ organizationId: acme.id, limit: '2' })
    expect(events).toMatchObject([
      { event: 'member-added', actorId: null, isServer: true },
      {
        event: 'organization-updated',
        actorId: owner.userId,
        impersonatorId: null,
        details: { fields: 'metadata,name' },
      },
    ])
    await service.deps.sql`update sessions set impersonated_by = ${admin.id} where user_id = ${owner.userId}`
    await done(owner.post('/sign-out'))
    const byAdmin = { userId: owner.userId, actorId: admin.id, event: 'sign-out-done' }
    expect((await all(byAdmin)).events).toMatchObject([
      { actorId: owner.userId, impersonatorId: admin.id, impersonatorEmail: expect.stringContaining('@') },
    ])
  })

  it('outlives who and what it tells of', async () => {
    const acme = await found(service)
    const { id } = await userOf(service, acme.owner.email)
    await done(acme.owner.post('/delete-user', { password: testPassword }))
    const { events } = await all({ userId: id })
    const own = ['account-deleted', 'organization-deleted', 'organization-created', 'sign-up-done']
    expect(names({ events } as Listed)).toEqual(own)
    expect(events[0]).toMatchObject({ details: { organizations: [acme.id] }, userEmail: null })
  })

  it('tells of a sign-in for which there is nobody, and of whom one concerned', async () => {
    const ann = await service.person()
    const { id } = await userOf(service, ann.email)
    const from = service.visitor()
    for (const email of [`nobody-${crypto.randomUUID()}@example.com`, ann.email])
      await from.post('/sign-in/email', { email, password: 'a wrong passphrase' })
    const failed = (await all({ event: 'sign-in-failed', limit: '2' })).events
    expect(failed.map(({ actorId, userId, details }) => [actorId, userId, details])).toEqual([
      [null, id, { reason: 'WRONG_EMAIL_OR_PASSWORD' }],
      [null, null, { reason: 'WRONG_EMAIL_OR_PASSWORD' }],
    ])
  })
})

describe('a list', () => {
  it('has the newest first, page after page, whatever is written meanwhile', async () => {
    const userId = crypto.randomUUID()
    const act = () =>
      insertAuditEvent(
        service.deps.sql,
        testEvent('team-created', { userId, organizationId: 'o', target: crypto.randomUUID() }),
      )
    for (let time = 0; time < 12; time += 1) await act()
    const whole = await walk(admin, 'admin/list-audit-events', { userId })
    const first = await all({ userId, limit: '5' })
    await act()
    const second = await all({ userId, limit: '5', cursor: first.next! })
    const third = await all({ userId, limit: '5', cursor: second.next! })
    expect([...first.events, ...second.events, ...third.events]).toEqual(whole)
    expect([whole.length, third.next]).toEqual([12, null])
    const times = whole.map(({ createdAt }) => String(createdAt))
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it('has rows of one moment in a fixed order, each once', async () => {
    const { sql } = service.deps
    await sql`
      insert into audit_events (id, event, user_id, request_id, created_at)
      select 'same-' || lpad(n::text, 3, '0'), 'team-created', 'same', 'r', '2026-01-01' from generate_series(1, 25) n
    `
    const events = await walk(admin, 'admin/list-audit-events', { userId: 'same', limit: '4' })
    expect(events.map(({ id }) => id)).toEqual(
      Array.from({ length: 25 }, (_, n) => `same-${String(25 - n).padStart(3, '0')}`),
    )
  })

  it('is narrowed by events and their groups, people, organization and time', async () => {
    const acme = await found(service)
    const bob = await acme.join('member')
    await done(bob.post('/organization/leave', { organizationId: acme.id }))
    await done(acme.owner.post('/organization/create-team', { organizationId: acme.id, name: 'Red' }))
    const inAcme = (query: Record<string, string>) => all({ organizationId: acme.id, ...query })
    expect(names(await inAcme({}))).toEqual(['team-created', 'member-left', 'member-added', 'organization-created'])
    expect(names(await inAcme({ event: 'member' }))).toEqual(['member-left', 'member-added'])
    expect(names(await inAcme({ event: 'team-created,organization' }))).toEqual([
      'team-created',
      'organization-created',
    ])
    expect(names(await inAcme({ userId: bob.userId }))).toEqual(['member-left', 'member-added'])
    expect(names(await inAcme({ actorId: bob.userId }))).toEqual(['member-left'])
    const [team] = (await inAcme({ event: 'team' })).events
    const at = String(team?.createdAt)
    expect(names(await inAcme({ since: at }))).toEqual(['team-created'])
    expect(names(await inAcme({ until: at }))).toEqual(['member-left', 'member-added', 'organization-created'])
    const byEvent = await walk(admin, 'admin/list-audit-events', { event: 'team-created,member-left', limit: '1' })
    expect(byEvent.slice(0, 2).map(({ event }) => event)).toEqual(['team-created', 'member-left'])
  })

  it.each<readonly [string, string]>([
    ['event', 'no-such-event'],
    ['event', ''],
    ['since', 'yesterday'],
    ['cursor', 'x'],
    ['cursor', Buffer.from('[1]').toString('base64url')],
    ['cursor', Buffer.from('[9e99,"a"]').toString('base64url')],
    ['cursor', Buffer.from('[1,"\\u0000"]').toString('base64url')],
    ['after', 'x'],
    ...['9:1:', '0:1:', '1:9:9', '1:9:3,2', '1:2', '1:2:3:4', '1:99999999999999999999:', '-1:2:', '1:2:x'].map(
      (seen) => ['after', Buffer.from(JSON.stringify([seen, null])).toString('base64url')] as const,
    ),
  ])('refuses %s=%s as wrong input', async (name, value) => {
    const query = new URLSearchParams({ [name]: value }).toString()
    expect((await admin.get(`/admin/list-audit-events?${query}`)).status).toBe(400)
  })

  it.each(['cursor=x', 'after=x'])(
    'tells whoever may not read the list of an organization only that, whatever is wrong with ?%s',
    async (query) => {
      const [acme, other] = [await found(service), await found(service)]
      const path = `/organization/list-activity?organizationId=${acme.id}&${query}`
      const member = await acme.join('member')
      const replies = [await other.owner.get(path), await member.get(path)]
      const codes = [
        'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION',
        'YOU_ARE_NOT_ALLOWED_TO_SEE_THE_ACTIVITY_OF_THIS_ORGANIZATION',
      ]
      expect(replies.map(({ status, body }) => [status, body.code])).toEqual(codes.map((code) => [403, code]))
    },
  )

  it('has a hundred events at the most', async () => {
    const { sql } = service.deps
    await sql`
      insert into audit_events (id, event, user_id, request_id)
      select 'many-' || n, 'team-created', 'many', 'r' from generate_series(1, 130) n
    `
    for (const limit of ['100', '101', '1e9', '-1', '999999999', '0'])
      expect((await all({ userId: 'many', limit })).events).toHaveLength(100)
  })
})

describe('who sees what', () => {
  let acme: Founded
  let other: Founded
  let bob: Insider
  beforeAll(async () => {
    ;[acme, other] = [await found(service), await found(service)]
    bob = await acme.join('member')
    await done(other.owner.post('/organization/create-team', { organizationId: other.id, name: 'Red' }))
    await done(bob.post('/update-user', { name: 'Bob' }))
    await service.visitor().post('/sign-in/email', { email: bob.email, password: 'a wrong passphrase' })
  })

  it('a person: what they did, and what was done to them, and nothing else', async () => {
    const mine = await walk(bob, 'list-activity', { limit: '2' })
    expect(mine.map(({ event }) => event)).toEqual([
      'sign-in-failed',
      'profile-updated',
      'member-added',
      'sign-up-done',
    ])
    for (const { actorId, userId } of mine) expect([actorId, userId]).toContain(bob.userId)
    // Filters of the others do not widen it.
    for (const more of [{ userId: acme.owner.userId }, { organizationId: other.id }, { actorId: acme.owner.userId }])
      expect((await list(bob, 'list-activity', more)).events).toEqual(mine)
  })

  it('an organization: its owners and admins, and only what was done there', async () => {
    const boss = await acme.join('admin')
    for (const person of [acme.owner, boss]) {
      const { events } = await list(person, 'organization/list-activity', { organizationId: acme.id })
      expect(events.length).toBeGreaterThan(2)
      for (const event of events) expect(event.organizationId).toBe(acme.id)
    }
    const theirs = await list(other.owner, 'organization/list-activity')
    expect(names(theirs)).toEqual(['team-created', 'organization-created'])
    for (const [person, id] of [
      [bob, acme.id],
      [other.owner, acme.id],
      [boss, other.id],
    ] as const)
      expect((await person.get(`/organization/list-activity?organizationId=${id}`)).status).toBe(403)
  })

  it('a cursor of somebody else leads to nothing more', async () => {
    const page = await all({ limit: '1' })
    const [copy] = JSON.parse(Buffer.from(page.latest, 'base64url').toString()) as [string]
    const mark = Buffer.from(JSON.stringify([copy, '1:3:', null])).toString('base64url')
    const people = [
      [bob, 'list-activity', (event: Event) => event.userId === bob.userId || event.actorId === bob.userId],
      [acme.owner, 'organization/list-activity', (event: Event) => event.organizationId === acme.id],
    ] as const
    for (const [person, call, isOwn] of people)
      for (const query of [{ cursor: page.next! }, { after: mark }, { after: page.latest }])
        for (const event of (await list(person, call, query)).events) expect(isOwn(event)).toBe(true)
    expect((await list(bob, 'list-activity', { after: mark })).events.length).toBeGreaterThan(2)
  })

  it('where somebody sits is told to themselves, and where a stranger does who tried to be them', async () => {
    await done(
      acme.owner.post('/organization/update-member-role', {
        memberId: bob.memberId,
        role: ['admin', 'member'],
        organizationId: acme.id,
      }),
    )
    const mine = (await list(bob, 'list-activity')).events
    const located = Object.fromEntries(mine.map(({ event, ipAddress }) => [event, ipAddress !== null]))
    expect(located).toEqual({
      'role-changed': false,
      'sign-in-failed': true,
      'profile-updated': true,
      'member-added': false,
      'sign-up-done': true,
    })
    const { events } = await list(bob, 'organization/list-activity', { organizationId: acme.id })
    expect(events.every(({ ipAddress, userAgent }) => ipAddress === null && userAgent === null)).toBe(true)
    const own = await list(acme.owner, 'organization/list-activity', { actorId: acme.owner.userId })
    expect(own.events.every(({ ipAddress }) => ipAddress !== null)).toBe(true)
  })

  it('addresses of people: while both are members', async () => {
    const dave = await acme.join('member')
    const emailsOf = async () =>
      (await list(acme.owner, 'organization/list-activity', { userId: dave.userId })).events.map(
        ({ userEmail }) => userEmail,
      )
    expect(await emailsOf()).toEqual([dave.email])
    await done(dave.post('/organization/leave', { organizationId: acme.id }))
    expect(await emailsOf()).toEqual([null, null])
    const told = (await list(dave, 'list-activity')).events
    expect(told.map(({ userEmail }) => userEmail)).toEqual(told.map(() => dave.email))
  })

  it('the whole of it: nobody but an administrator', async () => {
    for (const person of [bob, acme.owner, await verifiedPerson(service)])
      expect((await person.get('/admin/list-audit-events')).status).toBe(403)
  })
})
