import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { digestOf, randomText } from '../../crypto/token.ts'
import { watchImportedSessions } from '../../process/watch.ts'
import {
  askPeer,
  movePeer,
  type Peer,
  peerOrigin,
  peerSecret,
  peerVersions,
  startPeer,
} from '../../testing/better-auth-peer.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

// better-auth hashes each password in JavaScript, which takes a good part of a second.
vi.setConfig({ testTimeout: 120_000 * slack })

const settings = { BASE_URL: peerOrigin, IMPORTED_SECRET: peerSecret, SESSION_UPDATE_AGE: '6d' }
const name = 'better-auth.session_token'
const service = useTestService(settings)

const signed = (value: string, secret = peerSecret): string =>
  encodeURIComponent(`${value}.${createHmac('sha256', secret).update(value).digest('base64')}`)
const withCookie = (value: string) => ({ cookie: `${name}=${value}` })
const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
const linesFor = (setCookies: readonly string[], cookie: string) =>
  setCookies.filter((line) => line.startsWith(`${cookie}=`))

/** Somebody with a session as an import leaves it. */
async function movedIn({ imported = true } = {}) {
  const token = randomText(32)
  const { sql } = service.deps
  const { email } = await service.person()
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${email}`
  await sql`
    insert into sessions (id, user_id, token_hash, imported, expires_at)
    values (${token}, ${user!.id}, ${digestOf(token)}, ${imported}, now() + interval '7 days')
  `
  return { email, token, cookie: withCookie(signed(token)), visitor: service.visitor() }
}

const whoami = async (visitor: Visitor, headers: Record<string, string> = {}): Promise<string | undefined> =>
  (await visitor.get('/get-session', headers)).body?.user?.email

describe.each(peerVersions)('who is signed in at better-auth %s', (version) => {
  let peer: Peer
  let moved: TestService
  beforeAll(async () => {
    peer = await startPeer(version)
    moved = await createTestService(settings)
  })
  afterAll(async () => {
    await moved?.stop()
    await peer?.stop()
  })

  it('stays so, gets a cookie of ours with the first answer, and needs the old one no more', async () => {
    const body = { email: 'ann@example.com', password: testPassword, name: 'Ann' }
    const { cookie, headers } = await askPeer(peer.handler, '/sign-up/email', body)
    const token = headers.get('set-auth-token') ?? ''
    const raw = decodeURIComponent(token).split('.')[0]!
    expect((await movePeer(moved, peer.from)).left).toEqual([])
    const without = await moved.sibling({ IMPORTED_SECRET: undefined })
    expect(await whoami(without.visitor(), { cookie })).toBeUndefined()

    const browser = moved.visitor()
    const { body: found, setCookies } = await browser.get('/list-sessions', { cookie })
    expect(found).toMatchObject([{ token: raw }])
    expect(linesFor(setCookies, 'postern.session_token')).toEqual([expect.stringMatching(/Max-Age=\d{6};/)])
    expect(linesFor(setCookies, name)).toEqual([`${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`])
    expect(await whoami(browser)).toBe('ann@example.com')
    const jar = without.visitor()
    for (const [key, value] of browser.cookies) jar.cookies.set(key, value)
    expect(await whoami(jar)).toBe('ann@example.com')

    for (const value of [raw, token, decodeURIComponent(token)]) {
      const { body: seen, headers: told } = await moved.visitor().get('/get-session', bearer(value))
      expect(seen.user.email).toBe('ann@example.com')
      expect(await whoami(without.visitor(), bearer(told.get('set-auth-token') ?? ''))).toBe('ann@example.com')
    }
  })

  it('only until the browser closes, if that was the wish', async () => {
    const given = { email: 'bo@example.com', password: testPassword }
    await askPeer(peer.handler, '/sign-up/email', { ...given, name: 'Bo' })
    const { cookie } = await askPeer(peer.handler, '/sign-in/email', { ...given, rememberMe: false })
    expect((await movePeer(moved, peer.from)).left).toEqual([])
    const browser = moved.visitor()
    const { body, setCookies } = await browser.get('/get-session', { cookie })
    expect(linesFor(setCookies, 'postern.session_token')[0]).not.toContain('Max-Age')
    expect(linesFor(setCookies, 'better-auth.dont_remember')[0]).toContain('Max-Age=0')
    const kept = linesFor(setCookies, 'postern.dont_remember')
    expect(kept).toEqual([expect.not.stringContaining('Max-Age')])
    const { id, expiresAt } = body.session
    expect(Date.parse(expiresAt)).toBeLessThan(Date.now() + 90_000_000)
    const [row] = await moved.deps.sql`select remembered, expires_at from sessions where id = ${id}`
    expect(row).toEqual({ remembered: false, expiresAt: new Date(expiresAt) })
    expect(await whoami(browser)).toBe('bo@example.com')
  })
})

describe('a cookie of better-auth', () => {
  it('is exchanged by one look-up and one write, and by the look-up alone from then on', async () => {
    const { cookie, visitor } = await movedIn()
    service.statements.forget()
    const answers = await Promise.all([visitor.get('/get-session', cookie), service.visitor().get('/ok', cookie)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(service.statements.list).toHaveLength(2)
    service.statements.forget()
    expect(await whoami(service.visitor(), cookie)).toBeDefined()
    expect(await whoami(visitor)).toBeDefined()
    expect(service.statements.list).toHaveLength(2)
  })

  it('leaves requests that were sent together signed in', async () => {
    const { cookie, email } = await movedIn()
    const browsers = Array.from({ length: 8 }, () => service.visitor())
    expect(await Promise.all(browsers.map((each) => whoami(each, cookie)))).toEqual(browsers.map(() => email))
    expect(await Promise.all(browsers.map((each) => whoami(each)))).toEqual(browsers.map(() => email))
  })

  it.each([
    ['for a session that began here', async () => (await movedIn({ imported: false })).cookie],
    ['for such a session as a bearer', async () => bearer(signed((await movedIn({ imported: false })).token))],
    ['for such a session, not signed', async () => bearer((await movedIn({ imported: false })).token)],
    [
      'that was signed for our own token',
      async () => {
        const { body } = await service.visitor().post('/sign-in/email', {
          email: (await service.person()).email,
          password: testPassword,
        })
        return withCookie(signed(body.token))
      },
    ],
    ['for nobody', async () => withCookie(signed(randomText(32)))],
  ])('is refused %s', async (_, given) => {
    const headers = await given()
    for (const path of ['/get-session', '/multi-session/list-device-sessions'])
      expect(Object.values((await service.visitor().get(path, headers)).body ?? {})).toEqual([])
    expect((await service.visitor().get('/list-sessions', headers)).status).toBe(401)
  })

  it('with a wrong signature, or in another form, costs no look-up', async () => {
    const { token } = await movedIn()
    const right = signed(token)
    service.statements.forget()
    for (const value of [signed(token, 'another'), token, `${token}.`, right.slice(0, -4), `x${right}`, '%', '.'])
      for (const headers of [withCookie(value), ...(value === token ? [] : [bearer(value)])])
        expect(await whoami(service.visitor(), headers)).toBeUndefined()
    expect(await whoami(service.visitor(), { cookie: `${name}=${right}; ${name}=${signed('x')}` })).toBeUndefined()
    expect(service.statements.list).toEqual([])
  })

  it('comes after what we signed, so that a bearer value for another service signs nobody out', async () => {
    const ann = await service.person()
    const { cookie, token } = await movedIn()
    const own = [...ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    expect(await whoami(ann, bearer('0123456789abcdef0123456789abcdef'))).toBe(ann.email)
    expect(await whoami(ann, { ...bearer(token), cookie: `${cookie.cookie}; ${own}` })).toBe(ann.email)
  })

  it('obeys the rules for the origin of a page', async () => {
    const { cookie } = await movedIn()
    const foreign = await service.visitor().post('/sign-out', {}, { ...cookie, origin: 'https://evil.test' })
    expect([foreign.status, foreign.setCookies]).toEqual([403, []])
    expect((await service.visitor().get('/get-session', cookie)).status).toBe(200)
  })

  it('ends with its session: by sign-out, revocation, another password, a ban', async () => {
    const ends: ((visitor: Visitor, email: string) => Promise<unknown>)[] = [
      (visitor) => visitor.post('/sign-out'),
      (visitor) => visitor.post('/revoke-sessions'),
      (visitor) =>
        visitor.post('/change-password', {
          currentPassword: testPassword,
          newPassword: `another ${testPassword}`,
          revokeOtherSessions: true,
        }),
      (_, email) => service.deps.sql`update users set banned = true where email = ${email}`,
    ]
    for (const end of ends) {
      const { cookie, visitor, email } = await movedIn()
      expect(await whoami(visitor, cookie)).toBe(email)
      await end(visitor, email)
      expect(await whoami(service.visitor(), cookie)).toBeUndefined()
    }
  })

  it('is removed by a sign-out with it', async () => {
    const { cookie, visitor } = await movedIn()
    const { status, setCookies } = await visitor.post('/sign-out', {}, cookie)
    expect([status, linesFor(setCookies, name).length]).toEqual([200, 1])
    expect(await whoami(visitor, cookie)).toBeUndefined()
  })

  it('is removed for each domain and by each name, when it is exchanged and by a sign-out', async () => {
    const settingsOf = { ...settings, BASE_URL: 'https://id.shop.example.com' }
    const { token } = await movedIn()
    const cookie = `__Secure-${name}=${signed(token)}; ${name}=${signed(token)}`
    const end = 'Path=/; HttpOnly; Secure; SameSite=Lax'
    const parents = ['id.shop.example.com', 'shop.example.com', 'example.com'].map((each) => `Domain=${each}; ${end}`)
    const removed = (ends: readonly string[]) =>
      [`__Secure-${name}`, name].flatMap((each) => ends.map((one) => `${each}=; Max-Age=0; ${one}`))
    const found = (lines: readonly string[]) => [
      ...new Set(lines.filter((line) => /^(?:__Secure-)?better-auth/.test(line))),
    ]
    const host = await service.sibling(settingsOf)
    const wide = await service.sibling({ ...settingsOf, COOKIE_DOMAIN: 'example.com' })
    for (const one of [host, wide])
      for (const lines of [
        (await one.visitor().get('/get-session', { cookie })).setCookies,
        (await one.visitor().post('/sign-out', {}, { cookie })).setCookies,
      ])
        expect(found(lines).toSorted()).toEqual(removed([end, ...parents]).toSorted())
  })

  it('that a browser kept beside a later session of ours does not survive the sign-out, and wins over nothing', async () => {
    const { cookie, visitor, email } = await movedIn()
    const ann = await service.person()
    const both = () => ({
      cookie: `${cookie.cookie}; ${[...ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ')}`,
    })
    expect([await whoami(visitor, cookie), await whoami(ann, both())]).toEqual([email, ann.email])
    expect((await ann.post('/sign-out', {}, both())).status).toBe(200)
    expect(await whoami(service.visitor(), cookie)).toBeUndefined()
    expect(await whoami(visitor)).toBeUndefined()
  })

  it('that somebody planted takes no place of ours, not even of one that ended', async () => {
    const planted = (await movedIn()).cookie.cookie
    const ann = await service.person()
    const own = [...ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const orders = [`${planted}; ${own}`, `${own}; ${planted}`]
    for (const cookie of orders) expect(await whoami(service.visitor(), { cookie })).toBe(ann.email)
    await ann.post('/revoke-sessions')
    for (const cookie of orders) expect(await whoami(service.visitor(), { cookie })).toBeUndefined()
  })

  it('may have the name of ours', async () => {
    const same = await service.sibling({ ...settings, COOKIE_PREFIX: 'better-auth' })
    const { cookie, email } = await movedIn()
    const browser = same.visitor()
    const { setCookies } = await browser.get('/get-session', cookie)
    expect(linesFor(setCookies, name)).toEqual([expect.stringContaining('Max-Age=6')])
    expect([await whoami(browser), await whoami(same.visitor(), cookie)]).toEqual([email, email])
  })

  it('has the prefix of safe cookies behind https, or the name that is told', async () => {
    const { token, email } = await movedIn()
    const cookies = [`__Secure-${name}`, name, 'our-app.session_token'].map((each) => `${each}=${signed(token)}`)
    const safe = await service.sibling({ ...settings, BASE_URL: 'https://id.example.com' })
    const told = await service.sibling({ ...settings, IMPORTED_COOKIE: 'our-app.session_token' })
    const seen = async (one: TestService) => {
      const answers: (string | undefined)[] = []
      for (const cookie of cookies) answers.push(await whoami(one.visitor(), { cookie }))
      return answers.map((each) => each === email)
    }
    expect([await seen(safe), await seen(told)]).toEqual([
      [true, false, false],
      [false, false, true],
    ])
  })

  it('counts as ours does when nobody has its token', async () => {
    const limits = { calls: { max: 3 } }
    const limited = await createTestService({ ...settings, RATE_LIMIT: 'on' }, { limits })
    const visitor = limited.visitor()
    const statuses = async (of: () => Record<string, string>, each: Visitor) => {
      const answers: number[] = []
      for (let n = 0; n < 5; n += 1) answers.push((await each.get('/list-sessions', of())).status)
      return answers
    }
    const refused = [401, 401, 401, 429, 429]
    expect(await statuses(() => withCookie(signed(randomText(32))), visitor)).toEqual(refused)
    expect(await statuses(() => bearer(randomText(43)), limited.visitor())).toEqual(refused)
    expect(await statuses(() => withCookie(signed(randomText(32), 'wrong')), limited.visitor())).toEqual(refused)
    await limited.stop()
  })
})

it('a session that was ended here does not come again, whatever the trail still tells', async () => {
  const peer = await startPeer('newest')
  const other = await createTestService(settings)
  const signUp = async (email: string) =>
    (await askPeer(peer.handler, '/sign-up/email', { email, password: testPassword, name: email })).cookie
  const cookies = [await signUp('ann@example.com'), await signUp('bo@example.com')]
  await movePeer(other, peer.from)
  const browser = other.visitor()
  expect(await whoami(browser, { cookie: cookies[0]! })).toBe('ann@example.com')
  await browser.post('/sign-out')
  await other.deps.sql`delete from sessions`
  for (const isUpdating of [false, true]) {
    const { left, summary } = await movePeer(other, peer.from, { isUpdating })
    const sessions = left.filter(({ type }) => type === 'session').map(({ reason }) => reason)
    expect(sessions.toSorted()).toEqual(['CHANGED_HERE', 'SESSION_ENDED'])
    expect(summary.after.session).toBe(0)
  }
  for (const cookie of cookies) expect(await whoami(other.visitor(), { cookie })).toBeUndefined()
  await other.stop()
  await peer.stop()
})

it('the log says once that such sessions live, and that the setting does nothing any more', async () => {
  const other = await createTestService({ ...settings, IMPORTED_SECRET: 'short' })
  const { sql } = other.deps
  const { email } = await other.person()
  await sql`update sessions set imported = true where user_id = (select id from users where email = ${email})`
  const said = () => other.logged.map(({ msg }) => String(msg)).filter((msg) => /moved in/.test(msg))
  const stop = watchImportedSessions(other.deps, 5)
  await expect.poll(said).toHaveLength(2)
  expect(said()).toEqual([
    expect.stringMatching(/^IMPORTED_SECRET is short/),
    expect.stringMatching(/^sessions that moved in are live/),
  ])
  await sql`delete from sessions`
  await expect.poll(said).toHaveLength(3)
  expect(said()[2]).toMatch(/^no session that moved in is live: IMPORTED_SECRET does nothing/)
  await stop()
  await watchImportedSessions((await other.sibling({ IMPORTED_SECRET: undefined })).deps)()
  expect(said()).toHaveLength(3)
  await other.stop()
})
