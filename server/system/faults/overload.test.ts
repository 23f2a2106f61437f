import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { startLoad } from '../../testing/load.ts'
import { userOf } from '../../testing/mailed.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'

let service: TestService
afterEach(() => service.stop())

/** As in production, but nobody gives up waiting: only the bounds decide, not the speed of the machine. */
const queue = { running: 2, waiting: 64, timeout: 60_000 }
const newcomer = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann', password: testPassword })

describe('more sign-ins than hashes can be made', () => {
  it('are answered or told to come back, and cost nobody else their session', async () => {
    service = await createTestService({}, { queue })
    const { email, ...ann } = await service.person()
    const { computed } = service.deps.passwords
    const flood = Promise.all(
      Array.from({ length: 200 }, () => service.visitor().post('/sign-in/email', { email, password: testPassword })),
    )
    const bystander = await ann.get('/get-session')
    expect(bystander.body.user.email).toBe(email)
    const replies = await flood
    const served = replies.filter(({ status }) => status === 200)
    const shed = replies.filter(({ status }) => status === 503)
    expect(served.length + shed.length).toBe(200)
    // Two run and 64 wait; whoever comes when those are taken is sent away.
    expect(served.length).toBeGreaterThanOrEqual(66)
    expect(shed.length).toBeGreaterThan(0)
    expect(service.deps.passwords.computed - computed).toBe(served.length)
    for (const { body, headers, setCookies } of shed) {
      expect(body).toEqual({ code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable' })
      expect([headers.get('retry-after'), setCookies]).toEqual(['2', []])
    }
  })
})

describe('one network that signs in two hundred times at once, again and again', () => {
  it('keeps nobody else out: each is answered, as themselves', async () => {
    service = await createTestService({}, { queue })
    const greedy = await service.person()
    const people = await Promise.all(Array.from({ length: 5 }, () => service.person()))
    const { id } = await userOf(service, greedy.email)
    let count = 0
    const flood = startLoad(() => {
      count += 1
      // One subscriber has all addresses of a /64.
      const visitor = service.visitor(`2001:db8::${(count % 65_536).toString(16)}`)
      return visitor.post('/sign-in/email', { email: greedy.email, password: testPassword })
    }, 200)
    onTestFinished(() => flood.stop())
    await expect.poll(() => flood.outcomes.some(({ status }) => status === 503), { interval: 1 }).toBe(true)
    for (const { email } of people) {
      const { status, body } = await service.visitor().post('/sign-in/email', { email, password: testPassword })
      expect([status, body.user.id]).toEqual([200, (await userOf(service, email)).id])
    }
    // The machine's own programs have no share to keep to.
    const local = service.visitor('127.0.0.1')
    expect((await local.post('/sign-in/email', { email: people[0]!.email, password: testPassword })).status).toBe(200)
    await flood.stop()
    const served = flood.outcomes.filter(({ status }) => status === 200) as unknown as { body: { user: object } }[]
    expect(new Set(flood.outcomes.map(({ status }) => status))).toEqual(new Set([200, 503]))
    for (const { body } of served) expect(body.user).toMatchObject({ id, email: greedy.email })
  })
})

describe('while passwords are hashed', () => {
  it('no connection and no lock is held: others are served before the hashes end', async () => {
    service = await createTestService({ DATABASE_POOL: '2' }, { queue })
    const ann = await service.person()
    const watcher = await service.sibling()
    const { computed } = service.deps.passwords
    let done = 0
    const signUps = Array.from({ length: 20 }, async () => {
      const { status } = await service.visitor().post('/sign-up/email', newcomer())
      done += 1
      return status
    })
    await expect.poll(() => service.deps.passwords.computed - computed, { interval: 1 }).toBeGreaterThanOrEqual(2)
    const busy = await watcher.deps.sql`
      select state from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'
    `
    expect([...busy]).toEqual([])
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    expect(done).toBeLessThan(18)
    expect(new Set(await Promise.all(signUps))).toEqual(new Set([200]))
  })
})
