import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../app.ts'
import { connect, type PoolOptions, type Sql } from '../../db/connect.ts'
import { knownCalls } from '../../testing/calls.ts'
import { patience } from '../../testing/database.ts'
import { type Fault, openProxy, type Proxy } from '../../testing/proxy.ts'
import { inTurn } from '../../testing/rounds.ts'
import { slack } from '../../testing/slack.ts'
import { useTestService } from '../../testing/use-service.ts'
import { createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'

// What waits for a silent database does so for its seconds.
vi.setConfig({ testTimeout: 120_000 * slack })

/** Known, and never asked here. */
const google = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' }

const service = useTestService({ DATABASE_POOL: '2', LOG_LEVEL: 'debug', ...google })

interface Behind {
  readonly proxy: Proxy
  /** Signed in at a service whose database is behind the proxy. */
  readonly ann: Visitor & { readonly email: string }
  readonly sql: Sql
  close(): Promise<void>
}

/** A service of its own behind a proxy of its own, so that the faults can run side by side. */
async function behindProxy(deadlines?: PoolOptions['deadlines']): Promise<Behind> {
  const proxy = await openProxy(service.database)
  const sql = connect(proxy.database, { connections: 4, prepare: true, ...(deadlines && { deadlines }) })
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

/** What the one log line of a request says of why it was refused. */
const causesOf = (headers: Headers) =>
  service.logged
    .filter(({ requestId, msg }) => requestId === headers.get('x-request-id') && msg !== 'security event')
    .map(({ err }) => `${Object(err).code} ${Object(err).message}`)

const whyAway = /ECONNREFUSED|CONNECTION_CLOSED|database does not answer/

const outage = {
  answers: ['503 {"code":"SERVICE_UNAVAILABLE","message":"Service unavailable"} '],
  isSignedIn: true,
  isCalm: true,
}

/** Whose the answers to twenty requests are, after the way was mended: who is still told 503 asks again. */
async function mend({ ann, proxy }: Behind): Promise<string[]> {
  proxy.fault = 'none'
  for (const end = Date.now() + 200_000; ; ) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => ann.get('/get-session')))
    if (replies.every(({ status }) => status !== 503)) return ownersOf(replies)
    const wrong = ownersOf(replies).filter((owner, n) => replies[n]!.status !== 503 && owner !== `200 ${ann.email}`)
    if (wrong.length > 0 || Date.now() > end) return ownersOf(replies)
    await sleep(20)
  }
}

/** Makes use of all connections of the pool, unless one of them takes longer than may be. */
const usesAll = ({ sql }: Behind) =>
  Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.05)`)).then(
    () => true,
    () => false,
  )

const ownersOf = (replies: readonly Reply[]): string[] =>
  replies.map(({ status, body }) => `${status} ${body?.user?.email}`)
const twentyOf = (email: string): string[] => Array(20).fill(`200 ${email}`)

// At the same time: each asserts by its own `expect`, which knows whose it is.
describe.concurrent('a database that is reached by a way which', () => {
  it.for(faults)(
    'does %s to every new connection: 503 within the deadline, no sign-out, and back again',
    async (fault, { expect }) => {
      const behind = await behindProxy()
      behind.proxy.fault = fault
      expect(await askTen(behind)).toEqual(outage)
      expect(await mend(behind)).toEqual(twentyOf(behind.ann.email))
      await behind.close()
    },
  )

  it.for(faults)(
    'does %s to connections in use: 503 within the deadline, no sign-out, and back again',
    async (fault, { expect }) => {
      const behind = await behindProxy()
      // All connections of the pool are in use.
      await expect.poll(() => usesAll(behind)).toBe(true)
      behind.proxy.fault = fault
      behind.proxy.strike()
      expect(await askTen(behind)).toEqual(outage)
      expect(await mend(behind)).toEqual(twentyOf(behind.ann.email))
      await behind.close()
    },
  )

  it('takes three seconds more: slow answers, and new connections are given up', async ({ expect }) => {
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
  // Without the server's own limits, one of which could come first.
  const sql = connect(proxy.database, { connections: 1, prepare: false, deadlines: { queue: 30_000, query: 2000 } })
  const strays: unknown[] = []
  const onStray = (reason: unknown) => strays.push(reason)
  process.on('unhandledRejection', onStray)
  /** The pool has one connection: this is what the next query is sent on. */
  const served = () =>
    sql<{ pid: number }[]>`select pg_backend_pid() as pid`.then(
      ([row]) => row?.pid,
      () => undefined,
    )
  for (const fault of ['reset', 'refuse', 'end-at-startup'] as const) {
    proxy.fault = 'none'
    const pid = await vi.waitUntil(served, { timeout: 100_000 * slack, interval: 20 })
    const slow = sql`select pg_sleep(300)`.execute().catch((error: unknown) => error)
    await expect.poll(() => runningAt(pid)).toContain('pg_sleep(300)')
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
    const behind = await behindProxy(patience)
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

  it.each(inTurn(knownCalls.filter(({ call }) => call.path !== '/error' && call.path !== '/callback/{id}')))(
    '$name answers 503 and touches no cookie, or needs no database',
    async ({ call, target, headers: sent, input }) => {
      const behind = await behindProxy(patience)
      behind.proxy.fault = 'refuse'
      const jar = [...behind.ann.cookies]
      const { status, setCookies, headers } =
        call.method === 'GET' ? await behind.ann.get(target) : await behind.ann.post(target, input, sent)
      const isKnown = ['/ok', '/jwks', '/provider/list', '/field/list'].includes(call.path)
      const isIndependent = isKnown || (call.path === '/sign-out' && status === 503)
      expect(status).toBe(isKnown ? 200 : 503)
      expect([isIndependent || headers.get('retry-after'), [...behind.ann.cookies]]).toEqual([
        isIndependent || '1',
        jar,
      ])
      expect(setCookies).toEqual([])
      expect(causesOf(headers)).toEqual([expect.stringMatching(isKnown ? /undefined/ : whyAway)])
      await behind.close()
    },
  )
})

describe('a pool whose connections all wait for a lock', () => {
  it('answers 503 to everybody in time, and everybody again when the lock is gone', async () => {
    const person = await service.person()
    // The server gives up waiting after six seconds, long before we give it up.
    const sql = connect(service.database, { connections: 2, prepare: true, deadlines: { queue: 1000, query: 15_000 } })
    const ann = createVisitor(createApp({ ...service.deps, sql }), service.deps.config)
    for (const [name, value] of person.cookies) ann.cookies.set(name, value)
    // They are open before anything is locked.
    await expect.poll(async () => (await ann.get('/get-session')).status).toBe(200)
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
    const after = async () => ownersOf(await Promise.all(Array.from({ length: 20 }, () => ann.get('/get-session'))))
    await expect.poll(after).toEqual(twentyOf(person.email))
    await sql.end({ timeout: 0 })
  })
})
