import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { createTestService, type TestService, testPassword } from './service.ts'

let service: TestService
afterEach(() => service.stop())

/** As in production, but nobody gives up waiting: only the bounds decide, not the speed of the machine. */
const queue = { running: 2, waiting: 64, patience: 60_000 }
const newcomer = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann', password: testPassword })

describe('more sign-ins than hashes can be made', () => {
  it('are answered or told to come back, and cost nobody else their session', async () => {
    service = await createTestService({}, { queue })
    const { email, ...ann } = await service.person()
    const { computed } = service.deps.passwords
    const flood = Promise.all(
      Array.from({ length: 500 }, () => service.visitor().post('/sign-in/email', { email, password: testPassword })),
    )
    const bystander = await ann.get('/get-session')
    expect(bystander.body.user.email).toBe(email)
    const replies = await flood
    const served = replies.filter(({ status }) => status === 200)
    const shed = replies.filter(({ status }) => status === 503)
    expect(served.length + shed.length).toBe(500)
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
