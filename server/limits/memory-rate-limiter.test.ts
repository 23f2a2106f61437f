import { afterEach, describe, expect, it, vi } from 'vitest'
import { cutIds, keptMb } from '../testing/kept-memory.ts'
import { createTestService } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'
import type { Visitor } from '../testing/visitor.ts'
import { createConfirmedTokens } from './confirmed-tokens.ts'
import { createMemoryRateLimiter, type MemoryRateLimiter } from './memory-rate-limiter.ts'

let time = Date.now()

afterEach(() => {
  vi.useRealTimers()
})

describe('the in-memory rate limiter', () => {
  const made = () => createMemoryRateLimiter(() => time, { max: 100, window: 10 })
  const count = (guard: MemoryRateLimiter, key: string, times: number) =>
    Array.from({ length: times }, () => guard.count(key))

  it('lets so many pass in ten seconds, then says how long to wait', () => {
    const guard = made()
    expect(new Set(count(guard, 'a', 100))).toEqual(new Set([null]))
    expect(guard.count('a')).toBe(10)
    time += 9001
    expect(guard.count('a')).toBe(1)
    time += 999
    expect(guard.count('a')).toBeNull()
  })

  it('counts each key by itself', () => {
    const guard = made()
    count(guard, 'a', 101)
    expect(guard.count('a')).not.toBeNull()
    expect(guard.count('b')).toBeNull()
  })

  it('takes back what it counted, and never more', () => {
    const guard = made()
    count(guard, 'a', 100)
    guard.refund('a')
    expect([guard.count('a'), guard.count('a')]).toEqual([null, 10])
    for (let index = 0; index < 200; index += 1) guard.refund('a')
    guard.refund('nobody')
    expect(new Set(count(guard, 'a', 100))).toEqual(new Set([null]))
    expect(guard.count('a')).toBe(10)
  })

  it('forgets the oldest keys when there are too many, so that its memory is bounded', () => {
    const guard = made()
    count(guard, 'victim', 101)
    for (let index = 0; index < 49_998; index += 1) guard.count(`key ${index}`)
    expect(guard.count('victim')).toBe(10)
    for (let index = 0; index < 3; index += 1) guard.count(`more ${index}`)
    expect(guard.count('victim')).toBeNull()
  })

  it('holds for all when longer windows were restored from before the limit was changed', () => {
    const guard = made()
    guard.restore([['long', { count: 100, endsAt: time + 3_600_000 }]])
    for (let round = 0; round < 3; round += 1) {
      expect(count(guard, 'a', 101).map((wait) => wait === null)).toEqual([...Array(100).fill(true), false])
      expect(guard.secondsUntilRoom('a')).toBe(10)
      time += 10_000
    }
    expect(guard.count('long')).toBe(3570)
  })

  it('keeps its keys and not the texts that they were cut out of', () => {
    const guard = made()
    const kept = keptMb(() => {
      for (const id of cutIds()) guard.count(id)
    })
    expect(kept).toBeLessThan(4)
    expect(guard.windows()).toHaveLength(2000)
  })
})

describe('the sessions that were proven', () => {
  it('are remembered for one to two minutes, and no longer than they live', () => {
    let now = 0
    const proven = createConfirmedTokens(() => new Date(now))
    proven.add('one')
    now += 59_999
    proven.add('two')
    now += 60_000
    proven.add('three')
    expect(['one', 'two', 'three'].map((token) => proven.has(token))).toEqual([true, true, true])
    proven.delete('two')
    now += 60_000
    proven.add('four')
    expect(['one', 'two', 'three', 'four'].map((token) => proven.has(token))).toEqual([false, false, true, true])
  })

  it('are no more than so many', () => {
    const proven = createConfirmedTokens(() => new Date(0))
    for (let index = 0; index < 100_001; index += 1) proven.add(`token ${index}`)
    expect([proven.has('token 0'), proven.has('token 50000'), proven.has('token 100000')]).toEqual([false, true, true])
  })
})

const tooMany = '{"code":"TOO_MANY_REQUESTS","message":"Too many requests. Please try again later."}'

describe('at the edge', () => {
  // The default window of these. The test's clock moves only on request.
  const usual = { window: '10s' }
  const limits = { calls: usual, visits: usual, sessionCalls: usual, passwordCalls: { window: '50s' } }
  const service = useTestService({ RATE_LIMIT: 'on' }, { now: () => new Date(time), limits })

  const refused = { status: 429, text: tooMany, setCookies: [] }

  const session = (text: string) => `postern.session_token=${text}`
  const cookieOf = ({ cookies }: Visitor) => session(cookies.get('postern.session_token') ?? '')
  const invented = (index: number) => String(index).padStart(43, 'x')

  it('refuses the 101st request of an address to one call, without asking the database', async () => {
    const visitor = service.visitor()
    for (let index = 0; index < 100; index += 1) expect((await visitor.get('/list-sessions')).status).toBe(401)
    service.statements.forget()
    const reply = await visitor.get('/list-sessions')
    expect(reply).toMatchObject(refused)
    expect([reply.headers.get('retry-after'), reply.headers.get('x-retry-after')]).toEqual(['10', '10'])
    expect(service.statements.list).toEqual([])
    expect((await visitor.get('/ok')).status).toBe(200)
    expect((await service.visitor().get('/list-sessions')).status).toBe(401)
    time += 10_000
    expect((await visitor.get('/list-sessions')).status).toBe(401)
  })

  it('lets a backend ask for each of its visitors who is nobody: get-session without a token has a number of its own', async () => {
    const backend = service.visitor()
    service.statements.forget()
    for (let index = 0; index < 5000; index += 1)
      if ((await backend.get('/get-session', { cookie: 'theme=dark' })).status !== 200) throw new Error(`${index}`)
    expect(await backend.get('/get-session')).toMatchObject(refused)
    expect(service.statements.list).toEqual([])
    expect((await backend.get('/list-sessions')).status).toBe(401)
  })

  it('counts a /64 as one address', async () => {
    for (let index = 0; index < 100; index += 1) await service.visitor(`2001:db8::${index + 1}`).get('/jwks')
    expect(await service.visitor('2001:db8::ffff').get('/jwks')).toMatchObject(refused)
  })

  it('counts all that is no call under one key', async () => {
    const visitor = service.visitor()
    const odd = ['/a', '//ok', '/ok/', '/OK', '/%6fk']
    for (let index = 0; index < 100; index += 1)
      expect((await visitor.send(`${odd[index % 5]}${index}`, { method: index % 2 ? 'PUT' : 'GET' })).status).toBe(404)
    expect(await visitor.get('/another')).toMatchObject(refused)
    expect((await visitor.get('/ok')).status).toBe(200)
  })

  it('counts a live session by itself, wherever it comes from, and asks once who it is', async () => {
    const cookie = cookieOf(await service.person())
    expect((await service.visitor('192.0.2.1').get('/get-session', { cookie })).body).not.toBeNull()
    service.statements.forget()
    for (let index = 0; index < 2000; index += 1) await service.visitor('192.0.2.1').get('/jwks', { cookie })
    expect(await service.visitor('192.0.2.2').get('/list-sessions', { cookie })).toMatchObject(refused)
    expect((await service.visitor('192.0.2.1').get('/jwks')).status).toBe(200)
    expect(service.statements.list).toEqual([])
  })

  it('lets a server speak for many people at once: whose session lives is none of its network', async () => {
    const { email } = await service.person()
    const { sql } = service.deps
    const tokens = Array.from({ length: 150 }, (_, index) => invented(index).replaceAll('x', 'y'))
    await sql`
      insert into sessions (id, user_id, token_hash, expires_at)
      select 'many-' || n, u.id, sha256(convert_to(token, 'UTF8')), now() + interval '1 day'
      from users u, unnest(${tokens}::text[]) with ordinality as t (token, n)
      where u.email = ${email}
    `
    const backend = service.visitor('192.0.2.20')
    for (let round = 0; round < 2; round += 1)
      for (const token of tokens) {
        const { body } = await backend.get('/get-session', { authorization: `Bearer ${token}` })
        expect(body.user.email).toBe(email)
      }
  })

  it('counts by itself a session of which this process has seen a cached copy only', async () => {
    const [one, other] = [await service.sibling({ COOKIE_CACHE: 'on' }), await service.sibling({ COOKIE_CACHE: 'on' })]
    const ann = await one.person()
    await ann.get('/get-session')
    const there = other.copyOf(ann)
    other.statements.forget()
    for (let index = 0; index < 110; index += 1) expect((await there.get('/get-session')).status).toBe(200)
    expect(other.statements.list).toEqual([])
  })

  it.each<[string, () => Promise<(index: number) => Record<string, string>>]>([
    ['inventing tokens', async () => (index) => ({ authorization: `Bearer ${invented(index)}` })],
    [
      'the signed cookie of a session that has ended',
      async () => {
        const person = await service.person()
        const cookie = cookieOf(person)
        await person.post('/sign-out')
        return () => ({ cookie })
      },
    ],
    [
      'the signed bearer value of one',
      async () => {
        const person = await service.person()
        const authorization = `Bearer ${person.cookies.get('postern.session_token')}`
        await person.post('/sign-out')
        return () => ({ authorization })
      },
    ],
  ])('is not escaped by %s: 100 looks into the database in ten seconds, whatever the calls', async (name, prepare) => {
    const headersOf = await prepare()
    const visitor = service.visitor(`2001:db8:${name.length}::1`)
    const paths = ['/list-sessions', '/get-session', '/organization/list', '/organization/list-user-invitations']
    service.statements.forget()
    for (let index = 0; index < 100; index += 1) {
      const { status } = await visitor.get(paths[index % 4]!, headersOf(index))
      expect([200, 401]).toContain(status)
    }
    const looked = service.statements.list.length
    for (const path of paths) expect(await visitor.get(path, headersOf(101))).toMatchObject(refused)
    expect([looked, service.statements.list.length]).toEqual([100, 100])
    time += 10_000
    expect((await visitor.get('/list-sessions', headersOf(102))).status).toBe(401)
  })

  it('is not escaped by forged signatures', async () => {
    const forger = service.visitor('192.0.2.4')
    for (let index = 0; index < 100; index += 1)
      await forger.get('/jwks', { cookie: session(`${invented(index)}.${'A'.repeat(43)}%3D`) })
    expect(await forger.get('/jwks')).toMatchObject(refused)
  })

  it('refuses nobody whose session was proven because neighbours invent tokens', async () => {
    const cookie = cookieOf(await service.person())
    const inside = service.visitor('192.0.2.30')
    expect((await inside.get('/list-sessions', { cookie })).status).toBe(200)
    for (let index = 0; index < 101; index += 1)
      await service.visitor('192.0.2.30').get('/list-sessions', { authorization: `Bearer ${invented(index)}` })
    expect(
      (await service.visitor('192.0.2.30').get('/jwks', { authorization: `Bearer ${invented(101)}` })).status,
    ).toBe(429)
    expect((await inside.get('/list-sessions', { cookie })).status).toBe(200)
  })

  it('refuses nobody whose session is new here because a neighbour sends a cookie of an ended one again and again', async () => {
    const gone = await service.person()
    const ended = cookieOf(gone)
    await gone.post('/sign-out')
    const ann = await service.person()
    const cookie = cookieOf(ann)
    const backend = service.visitor('192.0.2.40')
    for (let index = 0; index < 100; index += 1)
      expect((await backend.get('/get-session', { cookie: ended })).status).toBe(200)
    expect(await backend.get('/get-session', { cookie: ended })).toMatchObject(refused)
    expect((await backend.get('/get-session', { cookie })).body.user.email).toBe(ann.email)
  })

  it('refuses a network that sends many invented tokens, each often, at any call but get-session', async () => {
    const visitor = service.visitor('192.0.2.50')
    const ask = (index: number) =>
      visitor.get('/list-sessions', { authorization: `Bearer ${invented(1000 + (index % 40))}` })
    const statuses: number[] = []
    for (let index = 0; index < 400; index += 1) statuses.push((await ask(index)).status)
    // Each token once for what is unproven, then all of them together as those of ended sessions.
    expect(statuses.filter((status) => status === 401).length).toBe(140)
    expect(statuses.slice(140).every((status) => status === 429)).toBe(true)
  })

  it('lets a backend ask at get-session for many visitors whose sessions have ended', async () => {
    const backend = service.visitor('192.0.2.51')
    for (let index = 0; index < 400; index += 1) {
      const authorization = `Bearer ${invented(2000 + (index % 40))}`
      expect((await backend.get('/get-session', { authorization })).status).toBe(200)
    }
  })

  it('never refuses a probe, whose answer decides whether the service gets requests', async () => {
    const balancer = service.visitor('192.0.2.60')
    for (let index = 0; index < 101; index += 1)
      for (const path of ['/ok', '/ready']) expect((await balancer.get(path)).status).toBe(200)
  })

  it('waits no longer when the time of day is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 3_600_000)
    const ahead = await createTestService({ RATE_LIMIT: 'on' }, { limits: { calls: { max: 2, window: '1h' } } })
    const visitor = ahead.visitor('192.0.2.61')
    const ask = () => visitor.get('/reset-password/none?callbackURL=/')
    for (const status of [302, 302, 429]) expect((await ask()).status).toBe(status)
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(Number((await ask()).headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    await ahead.stop()
  })

  it('does not turn an outage into a refusal', async () => {
    const down = await createTestService({ RATE_LIMIT: 'on' }, { now: () => new Date(time) })
    await down.deps.sql.end({ timeout: 0 })
    const backend = down.visitor()
    for (let index = 0; index < 110; index += 1)
      expect((await backend.get('/get-session', { authorization: `Bearer ${invented(index)}` })).status).toBe(503)
    await down.stop()
  })
})
