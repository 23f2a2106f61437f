import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { SessionView } from '../../../shared/entities.ts'
import { gatherOwnFields } from '../../../shared/own-fields.ts'
import { createKeys } from '../../crypto/keys.ts'
import { transaction } from '../../db/transaction.ts'
import { adminOf } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { machine, ownKey } from '../../testing/machines.ts'
import { linkTo, userOf } from '../../testing/mailed.ts'
import type { Person } from '../../testing/organizations.ts'
import { ageSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { testSecret } from '../../testing/settings.ts'
import { sameBytes } from '../../testing/spellings.ts'
import { useTestService } from '../../testing/use-service.ts'
import { cookieHeader, type Visitor } from '../../testing/visitor.ts'
import { createReadCache, encodeCache, type WireSession } from './cookie-cache.ts'

/** The service's own clock; the database keeps its own. */
let ahead = 0
const later = (seconds: number) => {
  ahead += seconds * 1000
}

const service = useTestService({ COOKIE_CACHE: 'on' }, { now: () => new Date(Date.now() + ahead) })

const name = 'postern.session_data'
const line = (lines: readonly string[]) => lines.find((text) => text.startsWith(`${name}=`))

/** Somebody who carries a fresh cache. */
async function cached(on = service, rememberMe = true) {
  const ann = await on.person()
  if (!rememberMe) await ann.post('/sign-in/email', { email: ann.email, password: testPassword, rememberMe })
  await ann.get('/get-session')
  return ann
}

/** What get-session answers, and what it asked of the database. */
async function read(visitor: Visitor, { path = '/get-session', on = service } = {}) {
  on.statements.forget()
  const reply = await visitor.get(path)
  return { ...reply, email: reply.body?.user.email ?? null, statements: on.statements.list.length }
}

describe('the cookie cache', () => {
  it('is written by a read from the database, for a minute, and then spares the database', async () => {
    const ann = await service.person()
    expect(ann.cookies.has(name)).toBe(false)
    const first = await read(ann)
    expect([first.email, first.statements]).toEqual([ann.email, 1])
    expect(line(first.setCookies)).toMatch(/^postern\.session_data=[\w-]+\.[\w-]{43}; Max-Age=60; /)
    const second = await read(ann)
    expect([second.statements, second.setCookies]).toEqual([0, []])
    expect(second.body).toEqual(first.body)
  })

  it('does not hold the token', async () => {
    const ann = await cached()
    const [payload = ''] = (ann.cookies.get(name) ?? '').split('.')
    const { token } = (await ann.get('/get-session')).body.session
    expect(Buffer.from(payload, 'base64url').toString()).toContain(ann.email)
    expect(Buffer.from(payload, 'base64url').toString()).not.toContain(token)
  })

  it('is written for no key, whose machine keeps no cookies', async () => {
    const ann = await service.person()
    const { body, setCookies } = await machine(service, (await ownKey(ann)).token).get('/get-session')
    expect([body.user.email, setCookies]).toEqual([ann.email, []])
  })

  it('is read beside an empty cookie of its name, which another path may have', async () => {
    const ann = await cached()
    service.statements.forget()
    const { body } = await ann.get('/get-session', { cookie: `${name}=; ${cookieHeader(ann.cookies)}` })
    expect([body.user.email, service.statements.list]).toEqual([ann.email, []])
  })

  it('is passed by on request, and written again', async () => {
    const ann = await cached()
    const { statements, setCookies } = await read(ann, { path: '/get-session?disableCookieCache=true' })
    expect([statements, line(setCookies)]).toEqual([1, expect.any(String)])
    for (const text of ['TRUE', '1', ''])
      expect((await read(ann, { path: `/get-session?disableCookieCache=${text}` })).statements).toBe(0)
  })

  it('ends after its time', async () => {
    const ann = await cached()
    later(59)
    expect((await read(ann)).statements).toBe(0)
    later(2)
    expect((await read(ann)).statements).toBe(1)
  })

  it('ends when the clock is set back, which would make it live longer than an end of its session is remembered', async () => {
    later(3600)
    const ann = await cached()
    later(-3600)
    expect((await read(ann)).statements).toBe(1)
    expect((await read(ann)).statements).toBe(0)
  })

  it('ends with the session that it holds', async () => {
    const short = await service.sibling({ SESSION_EXPIRES_IN: '60', COOKIE_CACHE_MAX_AGE: '300' })
    const ann = await cached(short)
    later(61)
    expect((await read(ann, { on: short })).statements).toBe(1)
  })

  it('lives as long as the browser does when the session shall not be remembered', async () => {
    const ann = await service.person()
    await ann.post('/sign-in/email', { email: ann.email, password: testPassword, rememberMe: false })
    expect(line((await ann.get('/get-session')).setCookies)).toMatch(/^[^;]+; Path=\/; /)
    expect((await read(ann)).statements).toBe(0)
  })

  it('gives way to a changed profile at once', async () => {
    const ann = await cached()
    expect(line((await ann.post('/update-user', { name: 'Anna' })).setCookies)).toContain(`${name}=; Max-Age=0; `)
    const { body, statements } = await read(ann)
    expect([body.user.name, statements]).toEqual(['Anna', 1])
  })

  it('gives way when the session is extended, and each cookie is set once', async () => {
    const ann = await cached()
    await ageSessions(service, ann.email, 2 * 86_400)
    expect((await read(ann)).statements).toBe(0)
    later(61)
    const { setCookies } = await read(ann)
    expect(setCookies.map((text) => text.split('=')[0])).toEqual([
      'postern.session_token',
      'postern.dont_remember',
      'postern.session_data',
    ])
    expect(line(setCookies)).not.toContain('Max-Age=0')
  })

  it('is off by default: nothing is written, and what is sent is not read', async () => {
    const plain = await service.sibling({ COOKIE_CACHE: 'off' })
    const ann = await cached()
    const { statements, setCookies } = await read(ann, { on: plain })
    expect(setCookies).toEqual([])
    expect(statements).toBe(0)
    const copy = plain.visitor()
    for (const [key, value] of ann.cookies) copy.cookies.set(key, value)
    expect(await read(copy, { on: plain })).toMatchObject({ email: ann.email, statements: 1, setCookies: [] })
  })

  it('is skipped, with a word in the log, when the session is too large for a cookie', async () => {
    const ann = await service.person({ name: '\u{1f600}'.repeat(100) })
    await ann.post('/update-user', { image: `https://example.com/${'x'.repeat(2000)}` })
    service.logged.splice(0)
    const { email, setCookies } = await read(ann)
    expect([email, setCookies]).toEqual([ann.email, []])
    expect(service.logged.filter(({ level }) => level === 40)).toHaveLength(1)
  })
})

describe('a cache that cannot be trusted', () => {
  it("of another user's session does not speak for this one", async () => {
    const [ann, bob] = await Promise.all([cached(), cached()])
    ann.cookies.set(name, bob.cookies.get(name) ?? '')
    expect(await read(ann)).toMatchObject({ email: ann.email, statements: 1 })
  })

  it('of another session of the same user does not speak for this one', async () => {
    const ann = await cached()
    const other = service.visitor()
    await other.post('/sign-in/email', { email: ann.email, password: testPassword })
    other.cookies.set(name, ann.cookies.get(name) ?? '')
    expect((await read(other)).statements).toBe(1)
  })

  it('says nothing without a session cookie', async () => {
    const ann = await cached()
    ann.cookies.delete('postern.session_token')
    expect(await read(ann)).toMatchObject({ email: null, statements: 0, setCookies: [] })
  })

  it('is read past when it is forged, and the session lives on', async () => {
    const ann = await cached()
    const [payload = '', mac = ''] = (ann.cookies.get(name) ?? '').split('.')
    const richer = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('"user"', '"admin"')).toString(
      'base64url',
    )
    const { cookie, limit } = service.deps.keys
    const forged = [
      `${richer}.${mac}`,
      `${richer}.${cookie.sign(richer).toString('base64url')}`,
      `${richer}.${limit.sign(richer).toString('base64url')}`,
      `${payload}.`,
      `${payload}.${mac.slice(1)}`,
      `${payload}.${mac}.${mac}`,
      `${payload}.${mac}.`,
      ...sameBytes(mac, 'base64url')
        .filter((text) => !/\s/.test(text))
        .map((text) => `${payload}.${text}`),
      payload,
      `.${mac}`,
      'x',
      '%00',
    ]
    for (const text of forged) {
      ann.cookies.set(name, text)
      expect(await read(ann)).toMatchObject({ email: ann.email, statements: 1, body: { user: { role: 'user' } } })
    }
  })
})

describe('a session that has ended', () => {
  const password = 'another horse battery staple'
  type Way = [string, (ann: Person, other: Visitor, token: string) => Promise<unknown>]
  const byAdmin = (name: string, more = {}): Way => [
    name,
    async ({ email }) => (await adminOf(service)).post(name, { userId: (await userOf(service, email)).id, ...more }),
  ]
  const ways: Way[] = [
    ['revoke-session', (_ann, other, token) => other.post('/revoke-session', { token })],
    ['revoke-sessions', (_ann, other) => other.post('/revoke-sessions')],
    ['revoke-other-sessions', (_ann, other) => other.post('/revoke-other-sessions')],
    [
      'sign-out',
      (_ann, _other, token) => service.visitor().post('/sign-out', {}, { authorization: `Bearer ${token}` }),
    ],
    ['delete-user', (_ann, other) => other.post('/delete-user', { password: testPassword })],
    [
      'change-password',
      (_ann, other) =>
        other.post('/change-password', {
          currentPassword: testPassword,
          newPassword: password,
          revokeOtherSessions: true,
        }),
    ],
    [
      'reset-password',
      async ({ email }) => {
        await service.visitor().post('/forget-password', { email })
        const { token } = await linkTo(service, email, 'reset-password')
        return service.visitor().post('/reset-password', { token, newPassword: password })
      },
    ],
    [
      '/admin/revoke-user-session',
      async (_ann, _other, sessionToken) =>
        (await adminOf(service)).post('/admin/revoke-user-session', { sessionToken }),
    ],
    byAdmin('/admin/revoke-user-sessions'),
    byAdmin('/admin/ban-user'),
    byAdmin('/admin/remove-user'),
    byAdmin('/admin/set-user-password', { newPassword: password }),
  ]

  it.each(ways)('by %s is refused at once in this process, whatever the cache says', async (_name, end) => {
    const ann = await cached()
    const other = service.visitor()
    await other.post('/sign-in/email', { email: ann.email, password: testPassword })
    expect((await read(ann)).statements).toBe(0)
    await end(ann, other, (await ann.get('/get-session')).body.session.token)
    const { email, setCookies } = await read(ann)
    expect([email, setCookies.length]).toEqual([null, 3])
  })

  it.each(['/sign-in/email', '/sign-up/email'])('by a new %s with its cookie is refused at once too', async (path) => {
    const ann = await cached()
    const before = new Map(ann.cookies)
    expect((await read(ann)).email).toBe(ann.email)
    const email = path === '/sign-up/email' ? `new-${ann.email}` : ann.email
    expect((await ann.post(path, { email, name: 'Ann', password: testPassword })).status).toBe(200)
    const old = service.visitor()
    for (const [key, value] of before) old.cookies.set(key, value)
    expect((await read(old)).email).toBeNull()
  })

  it.each(['/sign-in/email', '/sign-up/email'])(
    'by %s of somebody else in its browser leaves no copy there',
    async (path) => {
      const ann = await cached()
      const bob = path === '/sign-up/email' ? { email: `bob-${ann.email}` } : await service.person()
      expect((await ann.post(path, { email: bob.email, name: 'Bob', password: testPassword })).status).toBe(200)
      expect([...ann.cookies.keys()]).toEqual(['postern.session_token'])
      expect((await read(ann)).email).toBe(bob.email)
    },
  )

  it('is not undone by an answer that was under way', async () => {
    const ann = await cached()
    const other = service.visitor()
    await other.post('/sign-in/email', { email: ann.email, password: testPassword })
    // The signing keys are read again by then, after the session.
    later(61)
    let release = () => undefined as void
    const held = transaction(service.deps.sql, async (tx) => {
      await tx`lock table signing_keys in access exclusive mode`
      await new Promise<void>((resolve) => {
        release = resolve
      })
    })
    const locks = () => service.deps.sql`
      select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.relation = 'signing_keys'::regclass and l.mode = 'AccessExclusiveLock'
    `
    await expect.poll(locks).toHaveLength(1)
    const asked = ann.get('/get-session')
    await untilWaiting(service)
    await other.post('/revoke-other-sessions')
    later(30)
    release()
    await held
    expect((await asked).body.user.email).toBe(ann.email)
    later(31)
    expect((await read(ann)).email).toBeNull()
  })

  it('in another process is known after the life of the cache at most, and at once to all other calls', async () => {
    const other = await service.sibling()
    const ann = await cached()
    const elsewhere = other.visitor()
    await elsewhere.post('/sign-in/email', { email: ann.email, password: testPassword })
    await elsewhere.post('/revoke-other-sessions')
    expect((await read(ann)).email).toBe(ann.email)
    expect((await ann.get('/list-sessions')).status).toBe(401)
    later(61)
    expect((await read(ann)).email).toBeNull()
  })
})

describe('the cookie', () => {
  const { cache } = createKeys([testSecret])
  const view = (image: string) => ({
    session: {
      id: 's',
      userId: 'u',
      token: 't',
      expiresAt: new Date(2e12),
      createdAt: new Date(0),
      updatedAt: new Date(0),
      ipAddress: '',
      userAgent: '',
      label: null,
      activeOrganizationId: null,
      activeTeamId: null,
      impersonatedBy: null,
      addressProven: true,
    },
    user: {
      id: 'u',
      email: 'ann@example.com',
      name: 'Ann',
      image,
      emailVerified: false,
      language: null,
      createdAt: new Date(0),
      updatedAt: new Date(0),
      role: ['user'],
      banned: null,
      banReason: null,
      banExpires: null,
      fields: {},
    },
  })

  it.each(['postern', 'x', 'p'.repeat(64)])('of prefix %s has at most 4093 characters, its name included', (prefix) => {
    const full = `__Secure-${prefix}.session_data=`.length
    const lengths = Array.from({ length: 1000 }, (_, size) => view('x'.repeat(2000 + size)))
      .map((made) => encodeCache(cache, made, { now: 2e12, life: 1, prefix, answered: [] }))
      .filter((text) => text !== null)
      .map((text) => full + text.length)
    expect(lengths.length).toBeLessThan(1000)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4093)
    expect(Math.max(...lengths)).toBeGreaterThan(4090)
  })

  it('gives back what was put in, dates too, until it ends', () => {
    const text = encodeCache(cache, view('i'), { now: 4000, life: 1, prefix: 'x', answered: [] }) ?? ''
    const read = createReadCache(cache, 1)
    expect(
      z.decode(
        SessionView,
        gatherOwnFields(SessionView)(JSON.parse(read(text, 't', 4999)!.answer.json)) as WireSession,
      ),
    ).toEqual(view('i'))
    expect([read(text, 'other', 4999), read(text, 't', 5000)]).toEqual([null, null])
  })

  it('that was made for longer than it may live by now is not taken', () => {
    const text = encodeCache(cache, view('i'), { now: 0, life: 300, prefix: 'x', answered: [] }) ?? ''
    expect(createReadCache(cache, 300)(text, 't', 299_999)).not.toBeNull()
    for (const now of [0, 299_999]) expect([now, createReadCache(cache, 299)(text, 't', now)]).toEqual([now, null])
  })

  it('of a release with other fields is not taken', () => {
    const [body = ''] = (encodeCache(cache, view('i'), { now: 4000, life: 1, prefix: 'x', answered: [] }) ?? '').split(
      '.',
    )
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString())
    const signed = (changed: object) => {
      const other = Buffer.from(JSON.stringify({ ...payload, ...changed })).toString('base64url')
      return `${other}.${cache.sign(other).toString('base64url')}`
    }
    expect(createReadCache(cache, 1)(signed({}), 't', 4999)).not.toBeNull()
    expect(createReadCache(cache, 1, ['score'])(signed({}), 't', 4999)).toBeNull()
    for (const shape of [undefined, 'another'])
      expect(createReadCache(cache, 1)(signed({ shape }), 't', 4999)).toBeNull()
  })
})
