import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createApp } from '../app.ts'
import { hashQueueFull } from '../crypto/hash-queue.ts'
import { createPasswords } from '../crypto/password.ts'
import { sweep } from '../process/sweeper.ts'
import { knownCalls } from '../testing/calls.ts'
import { countSessions } from '../testing/rows.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'
import { createVisitor, type Visitor } from '../testing/visitor.ts'

const body = { code: 'TOO_MANY_REQUESTS', message: 'Too many requests. Please try again later.' }
const refused = { status: 429, body, setCookies: [] }
/** Counts as a try, costs no hash: for tests that need many. */
const tooLong = 'x'.repeat(1025)

// The guard at the edge would refuse what needs many tries of one network.
const service = useTestService({ RATE_LIMIT: 'on' }, { limits: { calls: { max: 10_000 } } })

const attempt = (visitor: Visitor, email: string, password = tooLong) =>
  visitor.post('/sign-in/email', { email, password })
const someone = () => `ann-${randomUUID()}@example.com`
/** Seconds of the window in which calls with a password are counted here. */
const window = 50
/** Lets time pass for all counters. */
const later = (seconds: number) =>
  service.deps.sql`update rate_limits set expires_at = expires_at - make_interval(secs => ${seconds})`
/** What was counted by network and call is over after a window, what counts longer is not. */
const aMomentLater = () => service.deps.sql`delete from rate_limits where expires_at < now() + interval '1 minute'`

describe('one address', () => {
  it('may try to sign in three times in a window, whomever it tries', async () => {
    const visitor = service.visitor()
    const { computed } = service.deps.passwords
    for (let count = 0; count < 3; count += 1) expect((await attempt(visitor, someone(), 'wrong')).status).toBe(401)
    expect(await attempt(visitor, someone(), 'wrong')).toMatchObject(refused)
    expect(service.deps.passwords.computed - computed).toBe(3)
    expect((await attempt(service.visitor(), someone())).status).toBe(401)
    await later(window)
    expect((await attempt(visitor, someone())).status).toBe(401)
  })

  it('does not wait for a clock of the database that was set back', async () => {
    const visitor = service.visitor()
    for (let count = 0; count < 3; count += 1) await attempt(visitor, someone())
    await later(-3600)
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) statuses.push((await attempt(visitor, someone())).status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })

  it('gains nothing by a try whose transaction began before the one that opened the window', async () => {
    const visitor = service.visitor()
    for (let count = 0; count < 3; count += 1) await attempt(visitor, someone())
    await later(-30)
    expect((await attempt(visitor, someone())).status).toBe(429)
  })

  it('is told when to come back, by both headers and nothing else', async () => {
    const visitor = service.visitor()
    for (let count = 0; count < 3; count += 1) await attempt(visitor, someone())
    const { text, headers } = await attempt(visitor, someone())
    expect(text).toBe(JSON.stringify(body))
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('x-retry-after')).toMatch(/^([1-9]|[1-4]\d|50)$/)
    expect(headers.get('retry-after')).toBe(headers.get('x-retry-after'))
  })

  it('may sign up three times in a window, apart from its sign-ins', async () => {
    const visitor = service.visitor()
    const signUp = () => visitor.post('/sign-up/email', { email: someone(), name: 'Ann', password: testPassword })
    for (let count = 0; count < 3; count += 1) await attempt(visitor, someone())
    for (let count = 0; count < 3; count += 1) expect((await signUp()).status).toBe(200)
    expect(await signUp()).toMatchObject(refused)
  })

  it('is counted as its whole /64 in IPv6, however it is written', async () => {
    const same = ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::', '2001:0db8:0001:0002:0:0:0:3']
    for (const address of same) expect((await attempt(service.visitor(address), someone())).status).toBe(401)
    expect(await attempt(service.visitor('2001:db8:1:2:aaaa:bbbb:cccc:dddd'), someone())).toMatchObject(refused)
    expect((await attempt(service.visitor('2001:db8:1:3::1'), someone())).status).toBe(401)
  })

  it('is one shared address when it is unknown, never unlimited', async () => {
    for (let count = 0; count < 3; count += 1) await attempt(service.visitor(''), someone())
    expect(await attempt(service.visitor('nonsense'), someone())).toMatchObject(refused)
  })

  it('sprays no more accounts than that', async () => {
    const visitor = service.visitor('2001:db8:9::1')
    const replies = await Promise.all(Array.from({ length: 200 }, () => attempt(visitor, someone())))
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(3)
  })

  it('sprays a hundred accounts in an hour, however slowly, and is then refused before any hash', async () => {
    const network = () => service.visitor(`2001:db8:a::${Math.floor(Math.random() * 65_535).toString(16)}`)
    const statuses: number[] = []
    const { computed } = service.deps.passwords
    for (let index = 0; index < 200; index += 1) {
      const { status } = await attempt(network(), someone(), index < 198 ? tooLong : 'wrong')
      statuses.push(status)
      if (index % 3 === 2) await aMomentLater()
    }
    expect(statuses).toEqual([...Array(100).fill(401), ...Array(100).fill(429)])
    expect(service.deps.passwords.computed).toBe(computed)
    const { headers } = await attempt(network(), someone())
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000)
    expect((await attempt(service.visitor('2001:db8:b::1'), someone())).status).toBe(401)
    await later(3600)
    expect((await attempt(network(), someone())).status).toBe(401)
  })

  it('counts failures only: a success takes back its own try, and nothing of the others', async () => {
    const { email } = await service.person()
    const key = service.deps.keys.limit.sign('failures:198.51.100.40')
    const failures = async () =>
      (await service.deps.sql<{ count: number }[]>`select count from rate_limits where key = ${key}`)[0]?.count
    const network = () => service.visitor('198.51.100.40')
    for (let round = 0; round < 3; round += 1) {
      await attempt(network(), someone())
      await attempt(network(), email)
      expect((await attempt(network(), email, testPassword)).status).toBe(200)
      expect(await failures()).toBe(2 * round + 2)
      await aMomentLater()
    }
  })

  it('counts alike at every call that checks a password', async () => {
    const ann = await service.person()
    const { sql, keys } = service.deps
    const key = keys.limit.sign('failures:198.51.100.41')
    await attempt(service.visitor('198.51.100.41'), someone())
    await sql`update rate_limits set count = 100 where key = ${key}`
    const visitor = service.visitor('198.51.100.41')
    visitor.cookies.set(session, ann.cookies.get(session) ?? '')
    const change = { currentPassword: testPassword, newPassword: 'another horse battery staple' }
    expect((await visitor.post('/change-password', change)).status).toBe(429)
    await sql`update rate_limits set count = 98 where key = ${key}`
    expect((await visitor.post('/change-password', change)).status).toBe(200)
    const [row] = await sql<{ count: number }[]>`select count from rate_limits where key = ${key}`
    expect(row?.count).toBe(98)
  })

  it("uses up nobody's account once it is refused", async () => {
    const { email } = await service.person()
    const visitor = service.visitor()
    for (let count = 0; count < 15; count += 1) await attempt(visitor, email)
    expect((await attempt(service.visitor(), email, testPassword)).status).toBe(200)
  })
})

describe('one account', () => {
  const guess = async (email: string, times: number) => {
    for (let count = 0; count < times; count += 1) expect((await attempt(service.visitor(), email)).status).toBe(401)
  }

  it('may be tried ten times in ten minutes from anywhere, then the right password waits too', async () => {
    const { email } = await service.person()
    await guess(email, 10)
    const { computed } = service.deps.passwords
    const reply = await attempt(service.visitor(), email.toUpperCase(), testPassword)
    expect(reply).toMatchObject(refused)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(590)
    expect(service.deps.passwords.computed).toBe(computed)
    await later(600)
    expect((await attempt(service.visitor(), email, testPassword)).status).toBe(200)
  })

  it('starts anew after the right password', async () => {
    const { email } = await service.person()
    await guess(email, 9)
    expect((await attempt(service.visitor(), email, testPassword)).status).toBe(200)
    await guess(email, 10)
  })

  it('counts alike whether or not it exists', async () => {
    const { email } = await service.person()
    const unknown = someone()
    for (const name of [email, unknown]) await guess(name, 10)
    const [one, other] = await Promise.all([email, unknown].map((name) => attempt(service.visitor(), name)))
    expect([one?.status, one?.text]).toEqual([429, other?.text])
    // Seconds: one was counted a little later than the other.
    const [wait, otherWait] = [one, other].map((reply) => Number(reply?.headers.get('retry-after')))
    expect(Math.abs(wait! - otherWait!)).toBeLessThan(60)
  })

  it('is closed after a hundred failures in a row, however slow; who is signed in stays so', async () => {
    const ann = await service.person()
    for (let batch = 0; batch < 10; batch += 1) {
      await guess(ann.email, 10)
      await later(600)
    }
    const reply = await attempt(service.visitor(), ann.email, testPassword)
    expect(reply).toMatchObject(refused)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(86_400)
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  })
})

const session = 'postern.session_token'

it('counts no guess that was refused for want of time: the right password is none of ten wrong ones', async () => {
  const { email } = await service.person()
  const cost = { memory: 1024, passes: 1, lanes: 1 }
  const passwords = createPasswords(cost, { limits: { running: 0, waiting: 0, timeout: 1 } })
  const busy = createApp({ ...service.deps, passwords })
  for (let count = 0; count < 12; count += 1) {
    const visitor = createVisitor(busy, service.deps.config)
    expect((await attempt(visitor, email, testPassword)).status).toBe(503)
    await later(window)
  }
  expect((await attempt(service.visitor(), email, testPassword)).status).toBe(200)
})

it('counts ten wrong guesses, and records them, though each was refused once it was checked', async () => {
  const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
  const { email } = await service.person()
  const digest = () => Promise.reject(hashQueueFull('no turn for the second hash'))
  const busy = createApp({ ...strict.deps, passwords: { ...strict.deps.passwords, digest } })
  const replies: unknown[] = []
  for (let count = 0; count < 11; count += 1) {
    const { status, headers } = await attempt(createVisitor(busy, service.deps.config), email, 'wrong')
    replies.push(status === 503 ? [status, headers.get('retry-after')] : status)
    await aMomentLater()
  }
  expect(replies).toEqual([...Array(10).fill([503, null]), 429])
  const recorded = await service.deps.sql`
    select from audit_events e join users u on u.id = e.user_id where e.event = 'sign-in-failed' and u.email = ${email}
  `
  expect(recorded).toHaveLength(10)
})

/** A first password is set, and none checked. */
const setting = new Set(['signUpEmail', 'createUser'])

describe('whatever checks a password', () => {
  const checking = knownCalls.filter(
    ({ name, fields }) => 'currentPassword' in fields || ('password' in fields && !setting.has(name)),
  )

  it('is no more than this', () => {
    expect(checking.map(({ name }) => name)).toEqual(['signInEmail', 'deleteUser', 'changePassword'])
  })

  it.each(checking)('counts on the account: $name', async ({ path, input }) => {
    const ann = await service.person()
    const ask = (password: string) => {
      const visitor = service.visitor()
      // Of the session alone: a device that is known has counters of its own.
      visitor.cookies.set(session, ann.cookies.get(session) ?? '')
      return visitor.post(path, { ...input, token: undefined, email: ann.email, password, currentPassword: password })
    }
    const { computed } = service.deps.passwords
    for (let count = 0; count < 10; count += 1) expect([400, 401]).toContain((await ask(tooLong)).status)
    expect(await ask(testPassword)).toMatchObject(refused)
    expect((await attempt(service.visitor(), ann.email, testPassword)).status).toBe(429)
    expect(service.deps.passwords.computed).toBe(computed)
  })
})

describe('the counters', () => {
  it('take no statement more', async () => {
    const email = someone()
    const visitor = service.visitor()
    service.statements.forget()
    await visitor.post('/sign-up/email', { email, name: 'Ann', password: testPassword })
    expect(service.statements.list).toHaveLength(2)
    service.statements.forget()
    await attempt(visitor, email, testPassword)
    expect(service.statements.list).toHaveLength(2)
    service.statements.forget()
    await attempt(visitor, email)
    // The second tells of the refusal.
    expect(service.statements.list).toHaveLength(2)
    for (const [path, statements] of [
      ['/get-session', 1],
      ['/list-sessions', 2],
    ] as const) {
      service.statements.forget()
      await visitor.get(path)
      expect(service.statements.list).toHaveLength(statements)
    }
    service.statements.forget()
    await visitor.post('/revoke-other-sessions')
    // The second locks the user, so that no sign-in under way is left out.
    expect(service.statements.list).toHaveLength(3)
  })

  it('stand under keys that name nobody', async () => {
    const email = someone()
    await attempt(service.visitor('198.51.100.7'), email)
    const rows = await service.deps.sql<{ key: Buffer }[]>`select key from rate_limits`
    expect(new Set(rows.map(({ key }) => key.length))).toEqual(new Set([32]))
    const text = Buffer.concat(rows.map(({ key }) => key)).toString('latin1')
    for (const word of [email, 'example', '198.51']) expect(text).not.toContain(word)
    const { keys } = service.deps
    expect(rows.some(({ key }) => key.equals(keys.limit.sign(`account:${email}`)))).toBe(true)
  })

  it('are swept when they are over, with expired sessions, by two sweepers at once', async () => {
    const { sql } = service.deps
    const ann = await service.person()
    await sql`delete from rate_limits`
    await sql`
      insert into rate_limits (key, count, expires_at)
      select decode(md5(n::text), 'hex'), 1, now() + make_interval(secs => case when n <= 5000 then -n else n end)
      from generate_series(1, 5010) n
    `
    await sql`
      insert into sessions (id, user_id, token_hash, expires_at)
      select 'old-' || n, (select id from users where email = ${ann.email}), decode(md5(n::text), 'hex'), now() - interval '1 s'
      from generate_series(1, 2500) n
    `
    await Promise.all([sweep(service.deps), sweep(service.deps)])
    expect((await sql`select from rate_limits`).length).toBe(10)
    expect(await countSessions(service, ann.email)).toBe(1)
  })

  it('fail closed: without their table nobody gets in, and who is in stays in', async () => {
    const { sql } = service.deps
    const ann = await service.person()
    await sql`alter table rate_limits rename to away`
    service.logged.splice(0)
    try {
      expect(await attempt(service.visitor(), ann.email, testPassword)).toMatchObject({ status: 500, setCookies: [] })
      const account = { email: someone(), name: 'Ann', password: testPassword }
      expect(await service.visitor().post('/sign-up/email', account)).toMatchObject({ status: 500, setCookies: [] })
      expect(service.logged.filter(({ level }) => level === 50)).toHaveLength(2)
      expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
      expect((await ann.get('/list-sessions')).body).toHaveLength(1)
    } finally {
      await sql`alter table away rename to rate_limits`
    }
    expect((await attempt(service.visitor(), ann.email, testPassword)).status).toBe(200)
  })

  it('are not kept when limits are off', async () => {
    const open = await service.sibling({ RATE_LIMIT: 'off' })
    await service.deps.sql`delete from rate_limits`
    const visitor = open.visitor()
    for (let count = 0; count < 20; count += 1) expect((await attempt(visitor, 'ann@example.com')).status).toBe(401)
    expect(await service.deps.sql`select from rate_limits`).toHaveLength(0)
  })
})
