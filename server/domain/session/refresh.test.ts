import { describe, expect, it } from 'vitest'
import { enough, rounds } from '../../testing/rounds.ts'
import { ageSessions, countSessions } from '../../testing/rows.ts'
import { serviceOn, type TestService, testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const day = 86_400

const service = useTestService()

/** Somebody whose session is so many seconds old. */
async function aged(seconds: number, on = service) {
  const ann = await on.person()
  const { token } = (await ann.get('/get-session')).body.session
  await ageSessions(service, ann.email, seconds)
  return { ...ann, token: token as string }
}

const remaining = ({ expiresAt }: { expiresAt: string }) => Math.round((Date.parse(expiresAt) - Date.now()) / 1000)
/** An age in seconds of a cookie for a whole week, or a few minutes less where the machine stood still meanwhile. */
const week = /; Max-Age=(604800|604[5-7]\d\d); /
const sessionCookie = (lines: readonly string[]) => lines.find((line) => line.startsWith('postern.session_token='))

describe('a session that is in use', () => {
  it('stays as it is within the update age', async () => {
    const ann = await aged(day - 300)
    service.statements.forget()
    const { body, setCookies } = await ann.get('/get-session')
    expect([setCookies, service.statements.list.length]).toEqual([[], 1])
    expect(remaining(body.session)).toBeLessThan(6 * day + 301)
  })

  it('is extended after the update age: the same token, a new end, and the cookie says so', async () => {
    const ann = await aged(day + 1)
    const { body, setCookies, headers } = await ann.get('/get-session')
    expect(body.session.token).toBe(ann.token)
    expect(remaining(body.session)).toBeGreaterThan(7 * day - 300)
    expect(sessionCookie(setCookies)).toMatch(week)
    expect(headers.get('set-auth-token')).toBe(ann.cookies.get('postern.session_token'))
    expect((await ann.get('/get-session')).setCookies).toEqual([])
  })

  it.each([
    ['get', '/list-sessions', undefined],
    ['post', '/update-user', { name: 'Anna' }],
    ['post', '/revoke-other-sessions', undefined],
    ['post', '/revoke-session', { token: 'unknown' }],
  ] as const)('is extended by any call, and %s %s sends the cookie, refusal or not', async (method, path, body) => {
    const ann = await aged(2 * day)
    const { setCookies } = method === 'get' ? await ann.get(path) : await ann.post(path, body)
    expect(sessionCookie(setCookies)).toMatch(week)
    expect(remaining((await ann.get('/get-session')).body.session)).toBeGreaterThan(7 * day - 300)
  })

  it('is not handed out again by the call that deletes its user', async () => {
    const ann = await aged(2 * day)
    const { status, setCookies, headers } = await ann.post('/delete-user', { password: testPassword })
    expect([status, headers.get('set-auth-token')]).toEqual([200, null])
    expect(sessionCookie(setCookies)).toMatch(/^postern\.session_token=; Max-Age=0; /)
  })

  it('is extended for a bearer, who is told by set-auth-token', async () => {
    const { token } = await aged(2 * day)
    const { headers } = await service.visitor().get('/list-sessions', { authorization: `Bearer ${token}` })
    expect(headers.get('set-auth-token')).toMatch(new RegExp(`^${token}\\.`))
  })

  it('never becomes fresh by being extended or otherwise used', async () => {
    const ann = await aged(2 * day)
    const times = async () =>
      (
        await service.deps.sql`
        select s.authenticated_at, s.created_at from sessions s join users u on u.id = s.user_id where u.email = ${ann.email}
      `
      )[0]
    const before = { ...(await times()) }
    await ann.get('/get-session')
    await ann.post('/update-user', { name: 'Anna' })
    await ann.post('/organization/create', { name: 'Acme', slug: crypto.randomUUID() })
    expect((await ann.post('/organization/set-active', { organizationId: null })).status).toBe(200)
    expect({ ...(await times()) }).toEqual(before)
  })

  it('stays as it is when the caller says so, on request or by a do-not-remember cookie', async () => {
    const ann = await aged(2 * day)
    expect((await ann.get('/get-session?disableRefresh=true')).setCookies).toEqual([])
    const forgetful = await service.person()
    await forgetful.post('/sign-in/email', { email: forgetful.email, password: testPassword, rememberMe: false })
    ann.cookies.set('postern.dont_remember', forgetful.cookies.get('postern.dont_remember') ?? '')
    expect((await ann.get('/get-session')).setCookies).toEqual([])
    ann.cookies.set('postern.dont_remember', 'true.forged')
    expect((await ann.get('/get-session')).setCookies).not.toEqual([])
  })

  it.each(['TRUE', 'True', '1', 'yes', ' true', '', 'false'])('is extended when disableRefresh is %j', async (text) => {
    const ann = await aged(2 * day)
    expect((await ann.get(`/get-session?disableRefresh=${encodeURIComponent(text)}`)).setCookies).not.toEqual([])
  })

  it('is never extended when it shall not be remembered, also without its marker cookie', async () => {
    const ann = await service.person()
    await ann.post('/sign-in/email', { email: ann.email, password: testPassword, rememberMe: false })
    await ageSessions(service, ann.email, day - 300)
    ann.cookies.delete('postern.dont_remember')
    expect(await ann.get('/get-session')).toMatchObject({ body: { user: { email: ann.email } }, setCookies: [] })
    await ageSessions(service, ann.email, 301)
    expect((await ann.get('/get-session')).body).toBeNull()
  })
})

/** The database takes no writes meanwhile, from connections that are opened now. */
async function readOnly(work: () => Promise<void>): Promise<void> {
  const { sql } = service.deps
  const name = sql((await sql<{ name: string }[]>`select current_database() as name`)[0]!.name)
  await sql`alter database ${name} set default_transaction_read_only = on`
  try {
    await work()
  } finally {
    await sql`alter database ${name} reset default_transaction_read_only`
  }
}

it('while the database takes no writes a session goes on as it is, and an ended one is none; both are asked once', async () => {
  const [ann, gone] = [await aged(2 * day), await aged(8 * day)]
  let time = Date.now()
  let late!: TestService
  const see = async (who: typeof ann) => {
    const { status, body, setCookies } = await late.copyOf(who).get('/get-session')
    return [status, body?.session?.token, sessionCookie(setCookies)]
  }
  await readOnly(async () => {
    late = await serviceOn(service.database, {}, { now: () => new Date(time) })
    expect([await see(ann), await see(gone), await see(ann)]).toEqual([
      [200, ann.token, undefined],
      [200, undefined, expect.stringContaining('Max-Age=0')],
      [200, ann.token, undefined],
    ])
    expect(
      late.logged.filter(({ msg }) => msg === 'the database takes no writes: sessions are extended later'),
    ).toEqual([expect.objectContaining({ err: expect.objectContaining({ code: '25006' }) })])
  })
  expect(await see(ann)).toEqual([200, ann.token, undefined])
  // Of the pool, each connection that is still read-only is closed by a try.
  const seeLater = () => {
    time += 5_000
    return see(ann)
  }
  await expect.poll(seeLater).toEqual([200, ann.token, expect.stringMatching(week)])
  await late.stop()
})

describe('settings', () => {
  it('SESSION_REFRESH=off extends nothing', async () => {
    const still = await service.sibling({ SESSION_REFRESH: 'off' })
    const ann = await aged(2 * day, still)
    expect(await ann.get('/get-session')).toMatchObject({ body: { user: { email: ann.email } }, setCookies: [] })
    expect(await ann.get('/list-sessions')).toMatchObject({ status: 200, setCookies: [] })
  })

  it('SESSION_UPDATE_AGE=0 extends at every call', async () => {
    const eager = await service.sibling({ SESSION_UPDATE_AGE: '0' })
    const ann = await eager.person()
    // Whole seconds, rounded down.
    expect(sessionCookie((await ann.get('/get-session')).setCookies)).toMatch(/Max-Age=604(?:800|7\d\d);/)
  })

  it('SESSION_MAX_AGE ends a session however often it is used', async () => {
    const ann = await aged(0)
    const seen: unknown[] = []
    for (let week = 0; week < 15; week += 1) {
      await ageSessions(service, ann.email, 6 * day)
      seen.push((await ann.get('/get-session')).body?.user.email)
    }
    expect(seen.slice(0, 12)).toEqual(Array(12).fill(ann.email))
    // 90 days have passed: nothing extends any more.
    expect((await ann.get('/get-session')).body).toBeNull()
    expect(await countSessions(service, ann.email)).toBe(0)
  })

  it('SESSION_MAX_AGE cuts the last extension, and the cookie with it', async () => {
    const ann = await aged(0)
    await service.deps.sql`
      update sessions set created_at = now() - interval '88 d', expires_at = now() + interval '1 d'
      where user_id = (select id from users where email = ${ann.email})
    `
    const { body, setCookies } = await ann.get('/get-session')
    expect(Math.abs(remaining(body.session) - 2 * day)).toBeLessThan(300)
    expect(sessionCookie(setCookies)).toMatch(/; Max-Age=(172800|172[5-7]\d\d); /)
    expect((await ann.get('/get-session')).setCookies).toEqual([])
  })

  it('SESSION_MAX_AGE below SESSION_EXPIRES_IN holds from the start', async () => {
    const short = await service.sibling({ SESSION_MAX_AGE: '600' })
    const ann = await short.person()
    expect(remaining((await ann.get('/get-session')).body.session)).toBeLessThanOrEqual(600)
  })

  it('SESSION_EXPIRES_IN is how long a session lives', async () => {
    const short = await service.sibling({ SESSION_EXPIRES_IN: '1h' })
    const { setCookies } = await short
      .visitor()
      .post('/sign-up/email', { email: 'hour@example.com', name: 'H', password: testPassword })
    expect(sessionCookie(setCookies)).toContain('; Max-Age=3600; ')
  })
})

describe('a session that is revoked just when it is to be extended', () => {
  /** Makes a call that finds the session, and waits for its row while it is being deleted. */
  async function during(path: string) {
    const ann = await aged(2 * day)
    const other = await service.sibling()
    service.statements.forget()
    const call = await other.deps.sql.begin(async (tx) => {
      await tx`delete from sessions where user_id = (select id from users where email = ${ann.email})`
      const made = ann.get(path)
      await expect.poll(() => service.statements.list.length, { interval: 1 }).toBe(2)
      return { made }
    })
    return call.made
  }

  it('is no session for get-session, and the cookies go', async () => {
    const { text, setCookies } = await during('/get-session')
    expect([text, setCookies.length]).toEqual(['null', 3])
  })

  it('is 401 for any other call', async () => {
    expect(await during('/list-sessions')).toMatchObject({ status: 401, setCookies: [] })
  })
})

describe(`in a race, ${rounds} times`, enough, () => {
  it('a session that is revoked while it is extended stays revoked', async () => {
    const other = await service.sibling()
    const { sql } = service.deps
    const ann = await service.person()
    const victim = service.visitor()
    const { token } = (await victim.post('/sign-in/email', { email: ann.email, password: testPassword })).body
    const { id } = (await victim.get('/get-session')).body.session
    const [row] = await sql`select * from sessions where id = ${id}`
    const before = [...victim.cookies]
    for (let round = 0; round < rounds; round += 1) {
      await sql`delete from sessions where id = ${id}`
      await sql.driver`insert into sessions ${sql.driver({ ...row, expiresAt: new Date(Date.now() + 1000 * day) })}`
      for (const [name, value] of before) victim.cookies.set(name, value)
      const twin = other.visitor()
      for (const [name, value] of before) twin.cookies.set(name, value)
      const [revoked, ...read] = await Promise.all([
        ann.post('/revoke-session', { token }),
        victim.get('/get-session'),
        twin.get('/get-session'),
        twin.get('/list-sessions'),
      ])
      expect(revoked.status).toBe(200)
      for (const { status } of read) expect([200, 401]).toContain(status)
      expect((await other.visitor().get('/get-session', { authorization: `Bearer ${token}` })).body).toBeNull()
    }
    expect(await countSessions(service, ann.email)).toBe(1)
  })

  it('parallel calls that extend one session all succeed and agree', async () => {
    const other = await service.sibling()
    const { token, email } = await aged(0)
    for (let round = 0; round < rounds; round += 1) {
      await ageSessions(service, email, 2 * day)
      await service.deps.sql`update sessions set created_at = now()`
      const visitors = [service, other, service, other].map((one) => one.visitor())
      const replies = await Promise.all(
        visitors.map((visitor) => visitor.get('/get-session', { authorization: `Bearer ${token}` })),
      )
      for (const { body } of replies)
        expect([body.session.token, remaining(body.session) > 7 * day - 300]).toEqual([token, true])
    }
    expect(await countSessions(service, email)).toBe(1)
  })
})
