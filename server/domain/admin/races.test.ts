import { describe, expect, it } from 'vitest'
import { lockAdministration } from '../../db/admins.ts'
import type { Sql } from '../../db/connect.ts'
import { adminOf, type Somebody, somebody } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { isSignedIn } from '../../testing/mailed.ts'
import { done } from '../../testing/organizations.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { countSessions } from '../../testing/rows.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import { cookieHeader, type Reply, type Visitor } from '../../testing/visitor.ts'
import { receiverUrl } from '../../testing/webhook-calls.ts'

const service = useTestService({}, { queue: { running: 2, waiting: 1000, timeout: 60_000 * slack } })
const other = useMade(() => service.sibling())

/** The same person at another process. */
const there = (person: Visitor): Visitor => other.copyOf(person)

const admins = async () => {
  const rows = await service.deps.sql`select id from users where roles @> '{admin}' and banned is not true`
  return rows.map(({ id }) => id as string)
}

describe('two administrators who', () => {
  const acts = {
    'ban each other': (by: Visitor, userId: string) => by.post('/admin/ban-user', { userId }),
    'demote each other': (by: Visitor, userId: string) => by.post('/admin/set-role', { userId, role: 'user' }),
    'remove each other': (by: Visitor, userId: string) => by.post('/admin/remove-user', { userId }),
  }
  const ways = Object.values(acts)

  it.each([...Object.keys(acts), 'do one of these each'])(
    `%s leave exactly one, ${rounds} times`,
    enough,
    async (name) => {
      for (let round = 0; round < rounds; round += 1) {
        await service.deps.sql`update users set roles = '{user}' where roles <> '{user}'`
        const [ann, bob] = [await adminOf(service), await adminOf(service)]
        const act = (index: number) => acts[name as keyof typeof acts] ?? ways[(round + index) % ways.length]!
        const replies = await Promise.all([act(0)(ann, bob.id), act(1)(there(bob), ann.id)])
        const statuses = replies.map(({ status }) => status)
        expect(statuses.filter((status) => status === 200)).toHaveLength(1)
        expect([401, 403]).toContain(statuses.find((status) => status !== 200))
        expect(await admins()).toEqual([statuses[0] === 200 ? ann.id : bob.id])
      }
    },
  )

  it(`delete their accounts leave exactly one, ${rounds} times`, enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      await service.deps.sql`update users set roles = '{user}' where roles <> '{user}'`
      const [ann, bob] = [await adminOf(service), await adminOf(service)]
      const replies = await Promise.all([ann.post('/delete-user'), there(bob).post('/delete-user')])
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]))
      expect(await admins()).toHaveLength(1)
    }
  })
})

describe('a ban', () => {
  const call = (who: Visitor, index: number) =>
    index % 2 === 0 ? who.get('/list-sessions') : who.post('/update-user', { name: `Ann ${index}` })

  it('during 200 parallel requests: none that comes after it is let in', async () => {
    const [admin, ann] = [await adminOf(service), await somebody(service)]
    let isOver = false
    const late: number[] = []
    const statuses = new Set<number>()
    const ask = async (index: number) => {
      const isLate = isOver
      const { status } = await call(index % 3 === 0 ? there(ann) : ann, index)
      statuses.add(status)
      if (isLate) late.push(status)
    }
    const before = Array.from({ length: 100 }, (_, index) => ask(index))
    const ban = there(admin)
      .post('/admin/ban-user', { userId: ann.id })
      .then((reply) => {
        isOver = true
        return reply
      })
    const during = Array.from({ length: 100 }, (_, index) => ask(index))
    expect((await ban).status).toBe(200)
    const after = Array.from({ length: 100 }, (_, index) => ask(index))
    await Promise.all([...before, ...during, ...after])
    expect([...statuses].every((status) => status === 200 || status === 401)).toBe(true)
    expect([late.length >= 100, new Set(late)]).toEqual([true, new Set([401])])
  })

  it(`while the user signs in leaves no session that an unban would bring back, ${rounds} times`, enough, async () => {
    const [admin, ann] = [await adminOf(service), await somebody(service)]
    const signIn = (at: TestService) =>
      at.visitor().post('/sign-in/email', { email: ann.email, password: testPassword })
    for (let round = 0; round < rounds; round += 1) {
      const replies = await Promise.all([
        signIn(service),
        signIn(other),
        admin.post('/admin/ban-user', { userId: ann.id }),
        signIn(service),
      ])
      expect(replies[2]?.status).toBe(200)
      expect([round, await countSessions(service, ann.email)]).toEqual([round, 0])
      await admin.post('/admin/unban-user', { userId: ann.id })
    }
  })
})

it(
  `a new password by an administrator while the old one signs in ends that session, ${rounds} times`,
  enough,
  async () => {
    const [admin, ann] = [await adminOf(service), await somebody(service)]
    const passwords = [testPassword, 'another horse battery staple']
    for (let round = 0; round < rounds; round += 1) {
      const [old = '', next = ''] = round % 2 === 0 ? passwords : passwords.toReversed()
      const visitor = other.visitor()
      const [set] = await Promise.all([
        admin.post('/admin/set-user-password', { userId: ann.id, newPassword: next }),
        visitor.post('/sign-in/email', { email: ann.email, password: old }),
      ])
      expect([set.status, await isSignedIn(visitor)]).toEqual([200, false])
    }
  },
)

it(
  `an impersonation that begins while the right is taken away does not outlive it, ${rounds} times`,
  enough,
  async () => {
    const [root, user] = [await adminOf(service), await somebody(service)]
    for (let round = 0; round < rounds; round += 1) {
      const admin = await adminOf(service)
      const headers = { cookie: cookieHeader(admin.cookies) }
      const acting: Somebody['post'] = (path, body) => service.visitor().post(path, body, headers)
      const [begun, demoted] = await Promise.all([
        acting('/admin/impersonate-user', { userId: user.id }),
        there(root).post('/admin/set-role', { userId: admin.id, role: 'user' }),
      ])
      expect([demoted.status, [200, 403].includes(begun.status)]).toEqual([200, true])
      const [left] = await service.deps.sql`select count(*)::integer from sessions where impersonated_by = ${admin.id}`
      expect(left?.count).toBe(0)
    }
  },
)

/** Sends an act of an administrator, which waits until something has happened. */
async function whileItWaits(act: () => Promise<Reply>, happens: (tx: Sql) => PromiseLike<unknown>): Promise<Reply> {
  let asked: Promise<Reply> | undefined
  await service.deps.sql.begin(async (begun) => {
    const tx = begun as unknown as Sql
    await lockAdministration(tx)
    asked = act()
    await untilWaiting(service)
    await happens(tx)
  })
  return (await asked) as Reply
}

it.each<[string, number, (tx: Sql, id: string) => PromiseLike<unknown>]>([
  ['is banned', 401, (tx, id) => tx`update users set banned = true where id = ${id}`],
  ['is signed out', 401, (tx, id) => tx`delete from sessions where user_id = ${id}`],
  [
    'has a session that runs out',
    401,
    (tx, id) => tx`update sessions set expires_at = now() - interval '1 minute' where user_id = ${id}`,
  ],
  ['loses the right', 403, (tx, id) => tx`update users set roles = '{user}' where id = ${id}`],
])('an administrator who %s while their act waits has done nothing', async (_way, status, happens) => {
  const [admin, ann] = [await adminOf(service), await somebody(service)]
  const late = await whileItWaits(
    () => admin.post('/admin/revoke-user-sessions', { userId: ann.id }),
    (tx) => happens(tx, admin.id),
  )
  expect([late.status, await isSignedIn(ann)]).toEqual([status, true])
})

it('an administrator named by an address has done nothing when their session loses its proof meanwhile', async () => {
  const [boss, ann] = [await somebody(service), await somebody(service)]
  await service.deps.sql`update sessions set proven_email = ${boss.email} where user_id = ${boss.id}`
  const named = (await service.sibling({ ADMIN_EMAILS: boss.email })).copyOf(boss)
  const late = await whileItWaits(
    () => named.post('/admin/revoke-user-sessions', { userId: ann.id }),
    (tx) => tx`update sessions set proven_email = null where user_id = ${boss.id}`,
  )
  expect([late.status, await isSignedIn(ann)]).toEqual([403, true])
  expect((await named.post('/admin/revoke-user-sessions', { userId: ann.id })).status).toBe(403)
})

it.each<[string, (admin: Visitor, webhookId: string) => Promise<Reply>]>([
  ['created', (admin) => admin.post('/webhook/create', { url: receiverUrl })],
  ['updated', (admin, webhookId) => admin.post('/webhook/update', { webhookId, url: `${receiverUrl}?other` })],
  ['rotated', (admin, webhookId) => admin.post('/webhook/rotate', { webhookId })],
  ['deleted', (admin, webhookId) => admin.post('/webhook/delete', { webhookId })],
])('a webhook of the service is not %s by an administrator who loses the right meanwhile', async (_what, act) => {
  const { sql } = service.deps
  const admin = await adminOf(service)
  const { id } = await done(admin.post('/webhook/create', { url: receiverUrl }))
  const rows = () => sql`select * from webhooks order by id`
  const before = await rows()
  const late = await whileItWaits(
    () => act(admin, id),
    (tx) => tx`update users set roles = '{user}' where id = ${admin.id}`,
  )
  expect([late.body.message, await rows()]).toEqual([
    expect.stringMatching(/not (?:allowed to create webhooks|found)/),
    before,
  ])
})

it('two who create one address: one of them does', async () => {
  const [ann, bob] = [await adminOf(service), await adminOf(service)]
  const body = { email: `new-${crypto.randomUUID()}@example.com`, password: testPassword, name: 'New' }
  const replies = await Promise.all([ann, there(bob)].map((by) => by.post('/admin/create-user', body)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]))
})
