import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { countRows, countSessions } from '../../testing/rows.ts'
import { createTestService, testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

const someone = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann', password: testPassword })

describe('sign-up', () => {
  it('answers a token and the user, stores the address in lower case', async () => {
    const email = `Ann-${randomUUID()}@Example.COM`
    const { status, body } = await service.visitor().post('/sign-up/email', { ...someone(), email })
    expect(status).toBe(200)
    expect(body).toEqual({
      token: expect.stringMatching(/^[A-Za-z0-9]{43}$/),
      user: {
        id: expect.any(String),
        email: email.toLowerCase(),
        name: 'Ann',
        image: null,
        emailVerified: false,
        language: null,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: body.user.createdAt,
        role: 'user',
        banned: null,
        banReason: null,
        banExpires: null,
      },
    })
  })

  it('signs in: cookies, the same token in set-auth-token, and a session that get-session knows', async () => {
    const visitor = service.visitor()
    const { body, headers, setCookies } = await visitor.post('/sign-up/email', someone())
    const [session = '', ...others] = setCookies
    expect(session).toMatch(/^postern\.session_token=[A-Za-z0-9]{43}\.[^;]+%3D; Max-Age=604800; /)
    expect(session).toContain(`=${headers.get('set-auth-token')};`)
    expect(headers.get('set-auth-token')).toMatch(new RegExp(`^${body.token}\\.`))
    expect(others).toEqual(['postern.dont_remember=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
    expect((await visitor.get('/get-session')).body).toMatchObject({ session: { token: body.token }, user: body.user })
  })

  it('takes two statements', async () => {
    service.statements.forget()
    await service.visitor().post('/sign-up/email', someone())
    expect(service.statements.list).toHaveLength(2)
  })

  it('starts no session when that is turned off', async () => {
    const manual = await service.sibling({ AUTO_SIGN_IN: 'off' })
    const account = someone()
    const { body, setCookies, headers } = await manual.visitor().post('/sign-up/email', account)
    expect([body.token, body.user.email, setCookies]).toEqual([
      null,
      account.email,
      [expect.stringMatching(/^postern\.sign_up=[\w-]+; Max-Age=604800;/)],
    ])
    expect(headers.has('set-auth-token')).toBe(false)
    expect(await countSessions(service, account.email)).toBe(0)
  })

  it('ends the session of the cookie that came along', async () => {
    const ann = await service.person()
    const before = new Map(ann.cookies)
    expect(await countSessions(service, ann.email)).toBe(1)
    expect((await ann.post('/sign-up/email', someone())).status).toBe(200)
    expect(await countSessions(service, ann.email)).toBe(0)
    const old = service.visitor()
    for (const [name, value] of before) old.cookies.set(name, value)
    expect((await old.get('/get-session')).body).toBeNull()
  })

  it('refuses a taken address in any case, writes nothing, and leaves the session that came along', async () => {
    const ann = await service.person()
    const before = await countRows(service)
    const { status, body } = await ann.post('/sign-up/email', { ...someone(), email: ann.email.toUpperCase() })
    expect([status, body.code]).toEqual([422, 'USER_ALREADY_EXISTS'])
    expect(await countRows(service)).toEqual(before)
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  })
})

it('is all or nothing: when the session cannot be stored, there is no user, no account and no cookie', async () => {
  const before = await countRows(service)
  await service.deps.sql`alter table sessions add constraint full_disk check (id = '') not valid`
  const { status, setCookies } = await service.visitor().post('/sign-up/email', someone())
  await service.deps.sql`alter table sessions drop constraint full_disk`
  expect([status, setCookies]).toEqual([500, []])
  expect(await countRows(service)).toEqual(before)
})

describe('the input of sign-up', () => {
  const { email, name, password } = someone()

  it.each([
    ['no password', { email, name }],
    ['no name', { email, password }],
    ['no email', { name, password }],
    ['null for the name', { email, password, name: null }],
    ['null for the image', { email, password, name, image: null }],
    ['a number for the password', { email, name, password: 12_345_678 }],
    ['a list for the email', { email: [email], name, password }],
    ['a name longer than a line', { email, password, name: 'x'.repeat(201) }],
    ['an image in place of its address', { email, password, name, image: 'x'.repeat(2049) }],
    ['a NUL in the password', { email, name, password: `${password}\0` }],
    ['half a character in the name', { email, password, name: '\ud800' }],
    ['a list', [email, password, name]],
    ['text', 'x'],
  ])('refuses %s and writes nothing', async (_name, input) => {
    const before = await countRows(service)
    expect(await service.visitor().post('/sign-up/email', input)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: 'Invalid body parameters' },
      setCookies: [],
    })
    expect(await countRows(service)).toEqual(before)
  })

  it('ignores what a person may not say about themselves', async () => {
    const visitor = service.visitor()
    const forbidden = {
      id: 'mine',
      emailVerified: true,
      role: 'admin',
      banned: true,
      banReason: 'x',
      banExpires: '2030-01-01T00:00:00.000Z',
      createdAt: '2000-01-01T00:00:00.000Z',
      updatedAt: '2000-01-01T00:00:00.000Z',
      userId: 'mine',
      expiresAt: '2099-01-01T00:00:00.000Z',
      activeOrganizationId: 'mine',
      impersonatedBy: 'mine',
      ipAddress: '1.2.3.4',
    }
    expect((await visitor.post('/sign-up/email', { ...someone(), ...forbidden })).status).toBe(200)
    const { session, user } = (await visitor.get('/get-session')).body
    expect(user).toMatchObject({ emailVerified: false, role: 'user', banned: null, banReason: null, banExpires: null })
    expect(session).toMatchObject({ activeOrganizationId: null, impersonatedBy: null, userId: user.id })
    expect(JSON.stringify({ session, user })).not.toMatch(/mine|20(00|30|99)-01-01|1\.2\.3\.4/)
  })

  it.each([
    ['7 code points', '\u{1f600}'.repeat(7), 'PASSWORD_TOO_SHORT'],
    ['8 code points', '\u{1f600}'.repeat(8), null],
    ['128 code points', '\u{1f600}'.repeat(128), null],
    ['129 code points', '\u{1f600}'.repeat(129), 'PASSWORD_TOO_LONG'],
    ['60,000 characters', 'x'.repeat(60_000), 'PASSWORD_TOO_LONG'],
    ['8 characters that NFKC would make 24', '\ufb03'.repeat(8), null],
  ])('counts a password of %s as typed', async (_name, password, code) => {
    const { computed } = service.deps.passwords
    const { body } = await service.visitor().post('/sign-up/email', { ...someone(), password })
    expect(body.code ?? null).toBe(code)
    expect(service.deps.passwords.computed - computed).toBe(code === null ? 1 : 0)
  })
})

it('stores passwords as argon2id at the floor or above, each with a salt of its own', async () => {
  const costly = await createTestService({}, { isRealCost: true })
  await Promise.all([costly.person(), costly.person()])
  const rows = await costly.deps.sql<{ password: string }[]>`select password from accounts`
  await costly.stop()
  expect(rows).toHaveLength(2)
  const parsed = rows.map(({ password }) => /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$(.+)\$(.+)$/.exec(password))
  for (const [, m, t, p, salt = '', hash = ''] of parsed.map((match) => match ?? [])) {
    expect([Number(m) >= 19_456, Number(t) >= 2, Number(p) >= 1]).toEqual([true, true, true])
    expect([Buffer.from(salt, 'base64').length, Buffer.from(hash, 'base64').length]).toEqual([16, 32])
  }
  expect(new Set(parsed.map((match) => match?.[4])).size).toBe(rows.length)
})
