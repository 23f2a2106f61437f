import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../app.ts'
import { connect, type Sql } from '../../db/connect.ts'
import { knownCalls } from '../../testing/calls.ts'
import { patience } from '../../testing/database.ts'
import { type Fault, openProxy, type Proxy } from '../../testing/proxy.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'

/** Known, and never asked here. */
const google = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' }

let service: TestService
beforeAll(async () => {
  service = await createTestService({ DATABASE_POOL: '2', ...google }, { deadlines: { queue: 1000, query: 5000 } })
})
afterAll(() => service.stop())

interface Behind {
  readonly proxy: Proxy
  /** Signed in at a service whose database is behind the proxy. */
  readonly ann: Visitor & { readonly email: string }
  readonly sql: Sql
  close(): Promise<void>
}

/** A service of its own behind a proxy of its own, so that the faults can run side by side. */
async function behindProxy(): Promise<Behind> {
  const proxy = await openProxy(service.database)
  const sql = connect(proxy.database, { connections: 4, prepare: true })
  const app = createApp({ ...service.deps, sql })
  const { email, cookies } = await service.person()
  const ann = { ...createVisitor(app, service.deps.config), email }
  for (const [name, value] of cookies) ann.cookies.set(name, value)
  return {
    proxy,
    ann,
    sql,
    close: async () => {
      await sql.end({ timeout: 0 })
      await proxy.close()
    },
  }
}

const faults: Fault[] = ['refuse', 'end-at-startup', 'silent', 'reset', 'half-close']
const limit = 60_000

/** What ten requests are told, and whether the service keeps calm: a driver that spins connects thousands of times. */
async function askTen({ ann, proxy }: Behind) {
  const jar = JSON.stringify([...ann.cookies])
  const [accepted, before] = [proxy.accepted, process.cpuUsage()]
  const asked: Promise<Reply>[] = []
  for (let n = 0; n < 10; n += 1) {
    asked.push(ann.get('/get-session'))
    // Those of one turn would be one statement, and leave the other connections alone.
    await sleep(1)
  }
  const replies = await Promise.all(asked)
  const { user, system } = process.cpuUsage(before)
  const answers = replies.map(({ status, text, setCookies }) => `${status} ${text} ${setCookies.join()}`)
  return {
    answers: [...new Set(answers)],
    isSignedIn: JSON.stringify([...ann.cookies]) === jar,
    isCalm: proxy.accepted - accepted < 500 && user + system < 4e6,
  }
}

const outage = {
  answers: ['503 {"code":"SERVICE_UNAVAILABLE","message":"Service unavailable"} '],
  isSignedIn: true,
  isCalm: true,
}

/** Whose the answers to twenty requests are, after the way was mended and one got through. */
async function mend({ ann, proxy }: Behind): Promise<string[]> {
  proxy.fault = 'none'
  const isBack = async () => (await ann.get('/get-session')).status === 200
  await vi.waitUntil(isBack, { timeout: limit, interval: 20 })
  return ownersOf(await Promise.all(Array.from({ length: 20 }, () => ann.get('/get-session'))))
}

const ownersOf = (replies: readonly Reply[]): string[] =>
  replies.map(({ status, body }) => `${status} ${body?.user?.email}`)
const twentyOf = (email: string): string[] => Array(20).fill(`200 ${email}`)

describe.concurrent('a database that is reached by a way which', () => {
  it.each(faults)(
    'does %s to every new connection: 503 within the deadline, no sign-out, and back again',
    { timeout: limit },
    async (fault) => {
      const behind = await behindProxy()
      behind.proxy.fault = fault
      expect(await askTen(behind)).toEqual(outage)
      expect(await mend(behind)).toEqual(twentyOf(behind.ann.email))
      await behind.close()
    },
  )

  it.each(faults)(
    'does %s to connections in use: 503 within the deadline, no sign-out, and back again',
    { timeout: limit },
    async (fault) => {
      const behind = await behindProxy()
      // All connections of the pool are in use.
      await Promise.all(Array.from({ length: 8 }, () => behind.sql`select pg_sleep(0.05)`))
      behind.proxy.fault = fault
      behind.proxy.strike()
      expect(await askTen(behind)).toEqual(outage)
      expect(await mend(behind)).toEqual(twentyOf(behind.ann.email))
      await behind.close()
    },
  )

  it('takes three seconds more: slow answers, and new connections are given up', { timeout: limit }, async () => {
    const behind = await behindProxy()
    behind.proxy.fault = 'slow'
    expect(await askTen(behind)).toEqual(outage)
    expect(await mend(behind)).toEqual(twentyOf(behind.ann.email))
    behind.proxy.fault = 'slow'
    behind.proxy.strike()
    const { status, body } = await behind.ann.get('/get-session')
    expect([`200 ${behind.ann.email}`, '503 undefined']).toContain(`${status} ${body.user?.email}`)
    await behind.close()
  })
})

/** What that backend does, by a way that has no faults. */
async function runningAt(pid = 0): Promise<string> {
  const [backend] = await service.deps.sql<{ query: string }[]>`
    select query from pg_stat_activity where pid = ${pid} and state = 'active'
  `
  return backend?.query ?? ''
}

it('gives up on a query that a silent way swallowed, and no more comes of it, whatever the way does next', async () => {
  const proxy = await openProxy(service.database)
  const sql = connect(proxy.database, { connections: 1, prepare: true, deadlines: { queue: 2000, query: 2000 } })
  const strays: unknown[] = []
  const onStray = (reason: unknown) => strays.push(reason)
  process.on('unhandledRejection', onStray)
  const isServed = () =>
    sql`select 1`.then(
      () => true,
      () => false,
    )
  for (const fault of ['reset', 'refuse', 'end-at-startup'] as const) {
    proxy.fault = 'none'
    await vi.waitUntil(isServed, { timeout: limit, interval: 20 })
    // The pool has one connection: this is what the slow query is sent on.
    const [served] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    const slow = sql`select pg_sleep(5)`.execute().catch((error: unknown) => error)
    await expect.poll(() => runningAt(served?.pid)).toContain('pg_sleep(5)')
    proxy.fault = 'silent'
    proxy.strike()
    proxy.fault = fault
    expect(await slow).toMatchObject({ failure: 'SERVICE_UNAVAILABLE', retryAfter: undefined })
    await sleep(100)
  }
  process.off('unhandledRejection', onStray)
  expect(strays).toEqual([])
  await sql.end({ timeout: 0 })
  await proxy.close()
})

describe('while the database is away', () => {
  it('the way back from a provider leads to a page that says so, and may be gone once more', async () => {
    const behind = await behindProxy()
    const { body } = await behind.ann.post('/sign-in/social', { provider: 'google' })
    const back = `/callback/google?code=c&state=${new URL(body.url).searchParams.get('state')}`
    const jar = [...behind.ann.cookies]
    behind.proxy.fault = 'refuse'
    behind.proxy.strike()
    const reply = await behind.ann.get(back)
    expect(reply.headers.get('location')).toContain('/error?error=internal_server_error')
    expect([reply.status, [...behind.ann.cookies]]).toEqual([302, jar])
    await behind.close()
  })

  it.each(knownCalls.filter(({ call }) => call.path !== '/error' && call.path !== '/callback/{id}'))(
    '$name answers 503 and touches no cookie, or needs no database',
    async ({ call, target, headers: sent, input }) => {
      const behind = await behindProxy()
      behind.proxy.fault = 'refuse'
      const jar = [...behind.ann.cookies]
      const { status, setCookies, headers } =
        call.method === 'GET' ? await behind.ann.get(target) : await behind.ann.post(target, input, sent)
      const isKnown = call.path === '/ok' || call.path === '/jwks'
      const isIndependent = isKnown || (call.path === '/sign-out' && status === 503)
      expect(status).toBe(isKnown ? 200 : 503)
      expect([isIndependent || headers.get('retry-after'), [...behind.ann.cookies]]).toEqual([
        isIndependent || '1',
        jar,
      ])
      expect(setCookies).toEqual([])
      await behind.close()
    },
  )
})

describe('a pool whose connections all wait for a lock', () => {
  it('answers 503 to everybody in time, and everybody again when the lock is gone', async () => {
    const ann = await service.person()
    const locker = connect(service.database, { connections: 1, prepare: false, deadlines: patience })
    const replies = await locker.begin(async (tx) => {
      await tx`lock table sessions in access exclusive mode`
      // Held until all are answered: nobody waits for the lock itself.
      return Promise.all(Array.from({ length: 200 }, () => ann.get('/get-session')))
    })
    await locker.end()
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
    expect(new Set(replies.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['1']))
    expect(replies.flatMap(({ setCookies }) => setCookies)).toEqual([])
    const after = await Promise.all(Array.from({ length: 20 }, () => ann.get('/get-session')))
    expect(ownersOf(after)).toEqual(twentyOf(ann.email))
  })
})
