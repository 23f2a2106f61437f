import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { countRows, countSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const service = useTestService()

const signIn = (visitor: Visitor, email: string, more: object = {}) =>
  visitor.post('/sign-in/email', { email, password: testPassword, ...more })

describe('sign-in', () => {
  it('answers redirect, token and the user, and no url without a target', async () => {
    const { email } = await service.person()
    const { status, body } = await signIn(service.visitor(), email.toUpperCase())
    expect(status).toBe(200)
    expect(body).toEqual({
      redirect: false,
      token: expect.stringMatching(/^[A-Za-z0-9]{43}$/),
      user: {
        id: expect.any(String),
        email,
        name: 'Ann',
        image: null,
        emailVerified: false,
        language: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        role: 'user',
        banned: null,
        banReason: null,
        banExpires: null,
      },
    })
  })

  it.each([
    ['/home?a=b', { redirect: true, url: '/home?a=b' }],
    ['http://localhost:4100/x', { redirect: true, url: 'http://localhost:4100/x' }],
    ['', { redirect: false }],
  ])('says where to go: %j', async (callbackURL, expected) => {
    const { email } = await service.person()
    const { body } = await signIn(service.visitor(), email, { callbackURL })
    expect(body).toEqual({ ...expected, token: expect.any(String), user: expect.any(Object) })
  })

  it('takes two statements, and as many when the password is wrong: the second tells of it', async () => {
    const { email } = await service.person()
    service.statements.forget()
    await signIn(service.visitor(), email)
    expect(service.statements.list).toHaveLength(2)
    service.statements.forget()
    await signIn(service.visitor(), email, { password: 'wrong' })
    expect(service.statements.list).toEqual([expect.anything(), expect.stringMatching('^insert into audit_events')])
  })

  it('is remembered for a week by default', async () => {
    const { email } = await service.person()
    const { setCookies } = await signIn(service.visitor(), email)
    expect(setCookies.map((line) => line.replace(/^([^=]+=)[^;]*/, '$1'))).toEqual([
      'postern.session_token=; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax',
      'postern.dont_remember=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ])
  })

  it('is kept until the browser closes, and for a day at most, when it shall not be remembered', async () => {
    const { email } = await service.person()
    const visitor = service.visitor()
    const { setCookies } = await signIn(visitor, email, { rememberMe: false })
    expect(setCookies.map((line) => line.replace(/^([^=]+=)[^;]*/, '$1'))).toEqual([
      'postern.session_token=; Path=/; HttpOnly; SameSite=Lax',
      'postern.dont_remember=; Path=/; HttpOnly; SameSite=Lax',
    ])
    expect(visitor.cookies.get('postern.dont_remember')).toMatch(/^true\.[A-Za-z0-9%]+%3D$/)
    const { expiresAt, createdAt } = (await visitor.get('/get-session')).body.session
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(86_400_000)
  })

  it('never adopts the token that came along, and ends its session', async () => {
    const attacker = await service.person()
    const { email } = await service.person()
    const victim = service.copyOf(attacker)
    const { body } = await signIn(victim, email)
    expect(victim.cookies.get('postern.session_token')).not.toBe(attacker.cookies.get('postern.session_token'))
    expect((await attacker.get('/get-session')).body).toBeNull()
    expect((await victim.get('/get-session')).body.session.token).toBe(body.token)
    expect(await countSessions(service, attacker.email)).toBe(0)
  })

  it('leaves nothing of who was signed in before in the same browser', async () => {
    const ann = await service.person()
    await signIn(ann, ann.email, { rememberMe: false })
    const bob = await service.person()
    await signIn(ann, bob.email)
    expect([...ann.cookies.keys()]).toEqual(['postern.session_token'])
    expect((await ann.get('/get-session')).body.user.email).toBe(bob.email)
  })

  it('keeps the newest sessions of a user, up to the limit', async () => {
    const small = await service.sibling({ SESSION_LIMIT: '3' })
    const { email } = await small.person()
    const visitors = Array.from({ length: 5 }, () => small.visitor())
    for (const visitor of visitors) await signIn(visitor, email)
    const alive = await Promise.all(visitors.map(async (visitor) => (await visitor.get('/get-session')).body !== null))
    expect(alive).toEqual([false, false, true, true, true])
    expect(await countSessions(service, email)).toBe(3)
  })

  it('stores where it came from, cut and in plain characters', async () => {
    const { email } = await service.person()
    const visitor = service.visitor('::ffff:192.0.2.7')
    const agent = `\u0080[31mred${'x'.repeat(10_000)}`
    await visitor.post('/sign-in/email', { email, password: testPassword }, { 'user-agent': agent })
    const { ipAddress, userAgent } = (await visitor.get('/get-session')).body.session
    expect(ipAddress).toBe('192.0.2.7')
    expect(userAgent).toBe(` [31mred${'x'.repeat(504)}`)
  })

  it('stores empty text when nothing is known of where it came from', async () => {
    const { email } = await service.person()
    const visitor = service.visitor('')
    await signIn(visitor, email)
    expect((await visitor.get('/get-session')).body.session).toMatchObject({ ipAddress: '', userAgent: '' })
  })

  it('knows a password however its characters were composed, and no other spelling', async () => {
    const email = `eve-${randomUUID()}@example.com`
    await service.visitor().post('/sign-up/email', { email, name: 'Eve', password: 'caf\u00e9 au lait ' })
    const attempt = async (password: string) => (await signIn(service.visitor(), email, { password })).status
    expect(await attempt('cafe\u0301 au lait ')).toBe(200)
    expect(await attempt('caf\u00e9 au lait')).toBe(401)
    expect(await attempt('Caf\u00e9 au lait ')).toBe(401)
  })

  it('takes nothing about the session from the body', async () => {
    const { email } = await service.person()
    const visitor = service.visitor()
    const wishes = { token: 'mine', id: 'mine', userId: 'mine', expiresAt: '2099-01-01T00:00:00.000Z' }
    await signIn(visitor, email, { ...wishes, activeOrganizationId: 'mine', impersonatedBy: 'mine', ipAddress: 'mine' })
    const { body, text } = await visitor.get('/get-session')
    expect(body.user.email).toBe(email)
    expect(text).not.toMatch(/mine|2099-01-01/)
  })

  it('that cannot be stored sets no cookie, and keeps the session that came along', async () => {
    const ann = await service.person()
    const before = new Map(ann.cookies)
    await service.deps.sql`alter table sessions add constraint full_disk check (id = '') not valid`
    const reply = await signIn(ann, ann.email)
    await service.deps.sql`alter table sessions drop constraint full_disk`
    expect([reply.status, reply.setCookies, reply.headers.has('set-auth-token')]).toEqual([500, [], false])
    expect(ann.cookies).toEqual(before)
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  })

  it.each([
    ['no password', { email: 'ann@example.com' }],
    ['no email', { password: testPassword }],
    ['text for rememberMe', { email: 'ann@example.com', password: testPassword, rememberMe: 'false' }],
    ['null for the target', { email: 'ann@example.com', password: testPassword, callbackURL: null }],
  ])('refuses %s', async (_name, input) => {
    expect(await service.visitor().post('/sign-in/email', input)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    })
  })
})

describe('a sign-in that fails', () => {
  const forget = ({ headers, ...reply }: Awaited<ReturnType<Visitor['get']>>) => ({
    ...reply,
    headers: [...headers].filter(([name]) => name !== 'x-request-id'),
  })

  const cases = async () => {
    const [known, oauth, banned, expired] = await Promise.all(Array.from({ length: 4 }, () => service.person()))
    const { sql } = service.deps
    await sql`delete from accounts where user_id = (select id from users where email = ${oauth!.email})`
    await sql`update users set banned = true, ban_reason = 'spam' where email = ${banned!.email}`
    await sql`update accounts set password = null where user_id = (select id from users where email = ${expired!.email})`
    return {
      'unknown user': 'nobody@example.com',
      'wrong password': known!.email,
      'no credential account': oauth!.email,
      'account without a password': expired!.email,
      'banned user': banned!.email,
    }
  }

  it('gives one answer after the same work, whatever the reason', async () => {
    const reasons = Object.entries(await cases())
    const twins = []
    for (const [, email] of reasons) {
      const { computed } = service.deps.passwords
      service.statements.forget()
      const reply = await signIn(service.visitor(), email, { password: 'not the password' })
      const hashes = service.deps.passwords.computed - computed
      twins.push({ reply: forget(reply), statements: [...service.statements.list], hashes })
    }
    const [first] = twins
    expect(first).toMatchObject({
      reply: { status: 401, setCookies: [], body: { code: 'INVALID_EMAIL_OR_PASSWORD' } },
      statements: [expect.anything(), expect.anything()],
      hashes: 1,
    })
    for (const twin of twins) expect(twin).toEqual(first)
  })

  it('tells of a ban only who knows the password, and starts nothing', async () => {
    const { email } = await service.person()
    await service.deps.sql`update users set banned = true where email = ${email}`
    const before = await countRows(service)
    const visitor = service.visitor()
    expect(await signIn(visitor, email)).toMatchObject({ status: 403, body: { code: 'BANNED_USER' }, setCookies: [] })
    expect(await countRows(service)).toEqual(before)
  })

  it('forgets a ban that is over', async () => {
    const { email } = await service.person()
    await service.deps.sql`update users set banned = true, ban_expires = now() - interval '1 s' where email = ${email}`
    expect((await signIn(service.visitor(), email)).status).toBe(200)
  })

  it('never lets anything sign in to an account without a password', async () => {
    const { email } = await service.person()
    await service.deps
      .sql`update accounts set password = null where user_id = (select id from users where email = ${email})`
    for (const password of ['', ' ', 'null', 'undefined', 'decoy', 'password', '$argon2id$v=19$m=19456,t=2,p=1$'])
      expect((await signIn(service.visitor(), email, { password })).status).toBe(401)
  })

  it('spends no hash on a password that nobody can have', async () => {
    const { email } = await service.person()
    const { computed } = service.deps.passwords
    const long = await signIn(service.visitor(), email, { password: '\u{1f600}'.repeat(1025) })
    expect(long).toMatchObject({ status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD' } })
    expect((await signIn(service.visitor(), email, { password: 'x'.repeat(1_000_000) })).status).toBe(413)
    expect(service.deps.passwords.computed).toBe(computed)
  })

  it.each([
    [
      'asks for 4 GiB',
      '$argon2id$v=19$m=4194304,t=2,p=1$MDEyMzQ1Njc4OTAxMjM0NQ$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE',
    ],
    [
      'asks for 1000 passes',
      '$argon2id$v=19$m=19456,t=1000,p=1$MDEyMzQ1Njc4OTAxMjM0NQ$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE',
    ],
    ['is cut', '$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OTAxMjM0NQ$MDEy'],
    [
      'asks for nothing',
      '$argon2id$v=19$m=0,t=0,p=0$MDEyMzQ1Njc4OTAxMjM0NQ$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE',
    ],
    ['is no hash', 'hunter2 hunter2'],
    ['is of bcrypt, cut', '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMU'],
  ])(
    'is a plain 401 after one hash, and an alert that names the user, when the stored hash %s',
    async (_name, stored) => {
      const { email } = await service.person()
      await service.deps
        .sql`update accounts set password = ${stored} where user_id = (select id from users where email = ${email})`
      const { computed } = service.deps.passwords
      service.logged.splice(0)
      expect((await signIn(service.visitor(), email, { password: 'hunter2 hunter2' })).status).toBe(401)
      expect(service.deps.passwords.computed - computed).toBe(1)
      const [user] = await service.deps.sql`select id from users where email = ${email}`
      const alerts = service.logged.filter(({ level }) => level === 50)
      expect(alerts).toMatchObject([{ userId: user?.id, msg: expect.stringMatching(/^a stored password hash /) }])
      expect(JSON.stringify(alerts)).not.toContain(stored)
    },
  )
})

describe('a hash made at another cost', () => {
  const storedOf = async (email: string) => {
    const { sql } = service.deps
    const [row] = await sql`select password from accounts where user_id = (select id from users where email = ${email})`
    return String(row?.password)
  }

  it('is replaced by one at the cost of today, in the same two statements', async () => {
    const dear = await service.sibling({ ARGON2_PASSES: '3' })
    const { email } = await service.person()
    expect(await storedOf(email)).toContain(',t=2,')
    dear.statements.forget()
    await signIn(dear.visitor(), email)
    expect(dear.statements.list).toHaveLength(2)
    expect(await storedOf(email)).toContain(',t=3,')
    expect((await signIn(dear.visitor(), email)).status).toBe(200)
  })

  it('is known by what its parameters say, not by how they are written: a newer argon2 writes m,p,t', async () => {
    const { email } = await service.person()
    const stored = (await storedOf(email)).replace(/(m=\d+),(t=\d+),(p=\d+)/, '$1,$3,$2')
    await service.deps
      .sql`update accounts set password = ${stored} where user_id = (select id from users where email = ${email})`
    expect((await signIn(service.visitor(), email)).status).toBe(200)
    expect(await storedOf(email)).toBe(stored)
  })

  it('stays when the password is wrong', async () => {
    const dear = await service.sibling({ ARGON2_PASSES: '3' })
    const { email } = await service.person()
    const before = await storedOf(email)
    await signIn(dear.visitor(), email, { password: 'wrong' })
    expect(await storedOf(email)).toBe(before)
  })
})
