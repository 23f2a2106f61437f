import { describe, expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { userOf } from '../../testing/mailed.ts'
import { done, type Founded, found } from '../../testing/organizations.ts'
import { race, steady } from '../../testing/races.ts'
import { enough, fewRounds } from '../../testing/rounds.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

interface Event {
  readonly id: string
  readonly event: string
  readonly createdAt: string
  readonly lastAt: string
  readonly count: number
  readonly actorId: string
}
interface Page {
  readonly events: readonly Event[]
  readonly next: string | null
  readonly latest: string
}

const service = useTestService({ DATABASE_POOL: '10' })
const admin = useMade(() => adminOf(service))

const list = (query: Record<string, string>): Promise<Page> =>
  done(admin.get(`/admin/list-audit-events?${new URLSearchParams(query).toString()}`))
const updates = async ({ id }: Founded) =>
  (await list({ organizationId: id, event: 'organization-updated', limit: '100' })).events
const rename = ({ id }: Founded, who: Visitor) =>
  who.post('/organization/update', { organizationId: id, data: { name: 'A' } })
const sum = (events: readonly Event[]) => events.reduce((all, { count }) => all + count, 0)
/** However many minutes the test took. */
const minutesOf = (events: readonly Event[]) => new Set(events.map(({ lastAt }) => lastAt.slice(0, 16))).size

describe('equal acts of a minute', () => {
  it('are one row that counts each of them, however many come at once', async () => {
    const acme = await found(service)
    const times = 60
    await race(...Array.from({ length: times }, () => () => rename(acme, acme.owner)))
    const events = await updates(acme)
    expect([sum(events), events.length]).toEqual([times, minutesOf(events)])
    const [last] = events
    expect(last!.lastAt >= last!.createdAt).toBe(true)
    await done(rename(acme, acme.owner))
    const later = await updates(acme)
    expect([sum(later), later.length]).toEqual([times + 1, minutesOf(later)])
  })

  it('add one row, however often they are done', async () => {
    const acme = await found(service)
    const rows = () => service.deps.sql`select from audit_events where organization_id = ${acme.id}`
    const before = (await rows()).count
    for (let time = 0; time < 40; time += 1) await done(rename(acme, acme.owner))
    expect((await rows()).count - before).toBe(minutesOf(await updates(acme)))
  })

  it('are of the same person, from the same address, about the same, and say the same', async () => {
    const acme = await found(service)
    const bob = await acme.join('admin')
    const post = (who: Visitor, data: object) =>
      done(who.post('/organization/update', { organizationId: acme.id, data }))
    await post(acme.owner, { name: 'A' })
    await post(bob, { name: 'A' })
    await post(acme.owner, { logo: null })
    const elsewhere = service.copyOf(acme.owner)
    await post(elsewhere, { name: 'A' })
    const events = await updates(acme)
    expect(events.map(({ count }) => count)).toEqual([1, 1, 1, 1])
  })

  it('of somebody who guesses a password are counted, too', async () => {
    const ann = await service.person()
    const { id } = await userOf(service, ann.email)
    const stranger = service.visitor()
    const guess = () => stranger.post('/sign-in/email', { email: ann.email, password: 'a wrong passphrase' })
    await race(...Array.from({ length: 12 }, () => guess))
    const { events } = await list({ userId: id, event: 'sign-in-failed' })
    expect([sum(events), events.length]).toEqual([12, minutesOf(events)])
  })

  it('are listed since the last of them', async () => {
    const acme = await found(service)
    for (let time = 0; time < 3; time += 1) await done(rename(acme, acme.owner))
    const [last] = await updates(acme)
    const since = (query: string) => list({ organizationId: acme.id, event: 'organization-updated', since: query })
    expect((await since(last!.lastAt)).events).toEqual([last])
    expect((await since(new Date(Date.parse(last!.lastAt) + 1).toISOString())).events).toEqual([])
  })
})

describe('who follows the trail', () => {
  it('gets the row again when it counts more, by the same id, and misses no act', async () => {
    const acme = await found(service)
    const { latest } = await list({ organizationId: acme.id, limit: '1' })
    const known = new Map<string, number>()
    let [after, isOver] = [latest, false]
    const read = async () => {
      const page = await list({ organizationId: acme.id, event: 'organization-updated', after, limit: '2' })
      for (const { id, count } of page.events) {
        expect(count).toBeGreaterThan(known.get(id) ?? 0)
        known.set(id, count)
      }
      after = page.latest
      return page.next !== null
    }
    const following = (async () => {
      while (!isOver) await read()
      while (await read()) continue
    })()
    const times = 100
    await race(...Array.from({ length: times }, () => () => rename(acme, acme.owner)))
    isOver = true
    await following
    expect([...known.values()].reduce((all, count) => all + count, 0)).toBe(times)
    expect((await list({ organizationId: acme.id, after })).events).toEqual([])
  })
})

it('different calls that tell equal acts at once wait for each other and end', enough, async () => {
  for (let round = 0; round < fewRounds; round += 1) {
    const ann = await service.person()
    const [one, other] = [steady(ann, service), steady(ann, service)]
    const calls = [
      () => one.post('/revoke-other-sessions'),
      () =>
        one.post('/change-password', {
          currentPassword: testPassword,
          newPassword: testPassword,
          revokeOtherSessions: true,
        }),
      () => other.post('/revoke-sessions'),
      () => other.post('/sign-out'),
      () => one.post('/sign-in/email', { email: ann.email, password: testPassword }),
    ]
    const replies = await race(...calls, ...calls.toReversed(), ...calls)
    expect(replies).toHaveLength(15)
  }
})

describe('a row of the trail', () => {
  const change = (text: string, where = "event = 'organization-created'") =>
    service.deps.sql.unsafe(`update audit_events set ${text} where ${where}`)
  const fair = 'count = count + 1, last_at = greatest(now(), created_at), xid = pg_current_xact_id()'

  it.each([
    ['by two', `count = count + 2, last_at = greatest(now(), created_at), xid = pg_current_xact_id()`],
    ['down', `count = count - 1, last_at = greatest(now(), created_at), xid = pg_current_xact_id()`],
    ['without its time', `count = count + 1, xid = pg_current_xact_id()`],
    ['at a later time', `count = count + 1, last_at = now() + interval '2 minutes', xid = pg_current_xact_id()`],
    ['as of another transaction', `count = count + 1, last_at = greatest(now(), created_at), xid = '9'`],
    ['and changes nothing else', `${fair}, details = '{}', actor_id = 'x'`],
    ['and cannot be made to join another', `${fair}, equality = 'x'`],
  ])('never counts %s', async (_name, text) => {
    await found(service)
    await expect(change(text)).rejects.toThrow('append-only')
  })

  it('counts no more when its minute is over, or when it joins no other', async () => {
    const { sql } = service.deps
    await sql`
      insert into audit_events (id, event, request_id, created_at, equality)
      values ('over', 'team-created', 'r', now() - interval '2 minutes', 'x'), ('alone', 'team-created', 'r', now(), null)
    `
    const past = "count = count + 1, last_at = created_at + interval '1 second', xid = pg_current_xact_id()"
    await expect(change(past, "id = 'over'")).rejects.toThrow('append-only')
    await expect(change(fair, "id = 'alone'")).rejects.toThrow('append-only')
  })
})
