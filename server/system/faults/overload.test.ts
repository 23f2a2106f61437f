import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../app.ts'
import { startLoad } from '../../testing/load.ts'
import { userOf } from '../../testing/mailed.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { createVisitor } from '../../testing/visitor.ts'

let service: TestService
afterEach(() => service.stop())

/** Nobody gives up waiting: only the bounds decide, not the speed of the machine. */
const queue = { running: 2, waiting: 64, timeout: 60_000 * slack }
/** Few places and hashes as dear as in production: two hundred requests come in long before so many hashes are made. */
const narrow = { queue: { ...queue, waiting: 8 }, isRealCost: true }
const newcomer = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann', password: testPassword })

describe('more sign-ins than hashes can be made', () => {
  it('are answered or told to come back, and cost nobody else their session', async () => {
    service = await createTestService({}, narrow)
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
    // Two run and eight wait; whoever comes when those are taken is sent away.
    expect(served.length).toBeGreaterThanOrEqual(10)
    expect(shed.length).toBeGreaterThan(0)
    expect(service.deps.passwords.computed - computed).toBe(served.length)
    for (const { body, headers, setCookies } of shed) {
      expect(body).toEqual({ code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable' })
      expect([headers.get('retry-after'), setCookies]).toEqual(['2', []])
    }
  })
})

describe('a sign-in and a sign-up for which there is no place to hash', () => {
  it('cost the database nothing, are told to come back, and count as no attempt', async () => {
    service = await createTestService({}, { queue })
    const { email } = await service.person()
    const { passwords } = service.deps
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const taken = Array.from({ length: queue.running + queue.waiting }, () => passwords.queue.run(() => gate))
    service.statements.forget()
    for (let time = 0; time < 15; time += 1) {
      const { status, headers } = await service.visitor().post('/sign-in/email', { email, password: 'a wrong one' })
      expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    }
    expect(await service.visitor().post('/sign-up/email', newcomer())).toMatchObject({ status: 503 })
    expect(service.statements.list).toEqual([])
    open()
    await Promise.all(taken)
    expect((await service.visitor().post('/sign-in/email', { email, password: testPassword })).status).toBe(200)
  })
})

describe('one network that signs in fifty times at once, again and again', () => {
  it('keeps nobody else out: each is answered, as themselves', async () => {
    service = await createTestService({}, { queue, isRealCost: true })
    const greedy = await service.person()
    const people = await Promise.all(Array.from({ length: 3 }, () => service.person()))
    const { id } = await userOf(service, greedy.email)
    let count = 0
    const flood = startLoad(async () => {
      count += 1
      // One subscriber has all addresses of a /64.
      const visitor = service.visitor(`2001:db8::${(count % 65_536).toString(16)}`)
      const answer = await visitor.post('/sign-in/email', { email: greedy.email, password: testPassword })
      // The queue is full all the same, and this process has time for it.
      if (answer.status === 503) await sleep(20)
      return answer
    }, 50)
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
    const { deps } = service
    let hashed = 0
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const hash: typeof deps.passwords.hash = async (...given) => {
      const made = await deps.passwords.hash(...given)
      hashed += 1
      await gate
      return made
    }
    const slow = createApp({ ...deps, passwords: { ...deps.passwords, hash } })
    const signUps = Array.from({ length: 20 }, () =>
      createVisitor(slow, deps.config).post('/sign-up/email', newcomer()),
    )
    await expect.poll(() => hashed).toBe(20)
    const busy = await watcher.deps.sql`
      select state from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'
    `
    expect([...busy]).toEqual([])
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    open()
    expect(new Set((await Promise.all(signUps)).map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('a request is given up when its time is over, without a promise that it can be repeated, and its work is done', async () => {
    service = await createTestService({}, { queue })
    const { deps } = service
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const hash: typeof deps.passwords.hash = async (...given) => {
      await gate
      return deps.passwords.hash(...given)
    }
    const slow = createApp({ ...deps, passwords: { ...deps.passwords, hash }, requestDeadline: 20 })
    const ann = newcomer()
    const { status, headers, body } = await createVisitor(slow, deps.config).post('/sign-up/email', ann)
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, null, 'SERVICE_UNAVAILABLE'])
    expect(service.logged).toContainEqual(expect.objectContaining({ err: { message: '"no result within 20 ms"' } }))
    open()
    const { email, password } = ann
    await expect
      .poll(() => service.visitor().post('/sign-in/email', { email, password }))
      .toMatchObject({ status: 200 })
  })
})

describe('under a flood that the database cannot answer', () => {
  it('/ok costs no statement, /ready says that no work is taken, and both are answered before anybody of the flood', async () => {
    service = await createTestService({ DATABASE_POOL: '2' })
    const { email, ...ann } = await service.person()
    const { deps } = await service.sibling()
    const answered: string[] = []
    const note = <T>(name: string, reply: Promise<T>) => reply.finally(() => answered.push(name))
    let flood: Promise<unknown> | undefined
    await deps.sql.begin(async (tx) => {
      await tx`lock table sessions, migrations in access exclusive mode`
      flood = Promise.all(Array.from({ length: 200 }, () => note('flood', ann.get('/list-sessions'))))
      await expect.poll(() => service.statements.list.length).toBeGreaterThan(0)
      service.statements.forget()
      for (let time = 0; time < 50; time += 1)
        expect(await note('ok', service.visitor().get('/ok'))).toMatchObject({ status: 200, body: { ok: true } })
      expect(service.statements.list).toEqual([])
      expect((await note('ready', service.visitor().get('/ready'))).text).toBe(
        '{"code":"SERVICE_UNAVAILABLE","message":"Service unavailable"}',
      )
      expect(answered).toEqual([...Array(50).fill('ok'), 'ready'])
    })
    await flood
    expect((await ann.get('/get-session')).body.user.email).toBe(email)
    expect((await service.visitor().get('/ready')).status).toBe(200)
  })
})
