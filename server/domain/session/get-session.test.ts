import { describe, expect, it } from 'vitest'
import { ageSessions, countSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { sameBytes } from '../../testing/spellings.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

const day = 86_400
const cleared = ['session_token', 'session_data', 'dont_remember'].map(
  (name) => `postern.${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`,
)

describe('get-session', () => {
  it('answers the session and the full user, and nothing more, in one statement', async () => {
    const ann = await service.person()
    service.statements.forget()
    const { status, body, setCookies } = await ann.get('/get-session', { 'user-agent': 'other' })
    expect([status, setCookies, service.statements.list.length]).toEqual([200, [], 1])
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body).toEqual({
      session: {
        id: expect.any(String),
        userId: body.user.id,
        token: (ann.cookies.get('postern.session_token') ?? '').split('.')[0],
        expiresAt: time,
        createdAt: time,
        updatedAt: time,
        ipAddress: expect.stringMatching(/^10\./),
        userAgent: '',
        label: null,
        activeOrganizationId: null,
        activeTeamId: null,
        impersonatedBy: null,
        addressProven: false,
      },
      user: {
        id: expect.any(String),
        email: ann.email,
        name: 'Ann',
        image: null,
        emailVerified: false,
        language: null,
        createdAt: time,
        updatedAt: time,
        role: 'user',
        banned: null,
        banReason: null,
        banExpires: null,
      },
    })
  })

  it('is null without a session, and asks nobody', async () => {
    service.statements.forget()
    const { status, text, setCookies } = await service.visitor().get('/get-session')
    expect([status, text, setCookies, service.statements.list]).toEqual([200, 'null', [], []])
  })

  it('is null for an unknown token, and takes the cookies away', async () => {
    const ann = await service.person()
    await service.deps.sql`delete from sessions`
    expect(await ann.get('/get-session')).toMatchObject({ status: 200, text: 'null', setCookies: cleared })
  })

  it('deletes an expired session and takes the cookies away', async () => {
    const ann = await service.person()
    await ageSessions(service, ann.email, 7 * day)
    expect(await ann.get('/get-session')).toMatchObject({ status: 200, text: 'null', setCookies: cleared })
    expect(await countSessions(service, ann.email)).toBe(0)
  })

  it('is null for a banned user from the next request on', async () => {
    const ann = await service.person()
    await service.deps.sql`update users set banned = true where email = ${ann.email}`
    expect((await ann.get('/get-session')).text).toBe('null')
    expect((await ann.get('/list-sessions')).status).toBe(401)
    await service.deps.sql`update users set ban_expires = now() - interval '1 s' where email = ${ann.email}`
  })

  it.each(['disableCookieCache=x&disableRefresh=', 'disableRefresh=TRUE', 'a=b', 'disableRefresh=1&disableRefresh=no'])(
    'takes any query: %s',
    async (query) => {
      const ann = await service.person()
      expect((await ann.get(`/get-session?${query}`)).body.user.email).toBe(ann.email)
    },
  )
})

describe('the session cookie', () => {
  const withCookies = (...pairs: string[]) =>
    service
      .visitor()
      .get('/get-session', { cookie: pairs.join('; ') })
      .then(({ body }) => body?.user.email ?? null)
  const tokenOf = async () => {
    const { email, cookies } = await service.person()
    return { email, pair: `postern.session_token=${cookies.get('postern.session_token')}` }
  }

  it('may stand among others, in quotes', async () => {
    const { email, pair } = await tokenOf()
    expect(await withCookies('theme=dark', pair, 'a')).toBe(email)
    expect(await withCookies(pair.replace('=', '="').concat('"'))).toBe(email)
  })

  it('counts only whole: cut, longer, in another case, with another signature it is none', async () => {
    const { email, pair } = await tokenOf()
    const [name = '', value = ''] = pair.split('=')
    const [token = '', mac = ''] = value.split('.')
    expect(await withCookies(`${name}=${token}.${mac}`)).toBe(email)
    const other = ((await service.person()).cookies.get('postern.session_token') ?? '').split('.')[1]
    const forged = [
      token,
      `${token}.`,
      `${token.slice(0, -1)}.${mac}`,
      `${token}A.${mac}`,
      `${token.toLowerCase()}.${mac}`,
      `${token}.${mac}A`,
      `${token}.${mac.slice(1)}`,
      `${token}.${other}`,
      `${token}.%`,
      '%E0%A4%A',
      '""',
    ]
    for (const text of forged) expect(await withCookies(`${name}=${text}`)).toBeNull()
  })

  it('counts in one spelling alone, though others decode to the same bytes', async () => {
    const { email, pair } = await tokenOf()
    const [token = '', mac = ''] = decodeURIComponent(pair.slice(pair.indexOf('=') + 1)).split('.')
    const [name] = pair.split('=')
    const others = sameBytes(mac, 'base64')
    expect(others.length).toBeGreaterThanOrEqual(3)
    for (const other of others)
      expect([other, await withCookies(`${name}=${encodeURIComponent(`${token}.${other}`)}`)]).toEqual([other, null])
    expect(await withCookies(`${name}=${encodeURIComponent(`${token}.${mac}`)}`)).toBe(email)
  })

  it('survives a forged one beside it, in both orders', async () => {
    const { email, pair } = await tokenOf()
    expect(await withCookies('postern.session_token=forged.x', pair)).toBe(email)
    expect(await withCookies(pair, 'postern.session_token=forged.x')).toBe(email)
    expect(await withCookies(pair, pair)).toBe(email)
  })

  it('is no session when two different ones are valid, in both orders', async () => {
    const [ann, bob] = await Promise.all([tokenOf(), tokenOf()])
    expect([await withCookies(ann.pair), await withCookies(bob.pair)]).toEqual([ann.email, bob.email])
    expect(await withCookies(ann.pair, bob.pair)).toBeNull()
    expect(await withCookies(bob.pair, ann.pair)).toBeNull()
  })

  it('has a name of its own on https, and the plain name is nothing there', async () => {
    const safe = await service.sibling({ BASE_URL: 'https://id.example.com' })
    const ann = await safe.person()
    const [value] = [...ann.cookies.values()]
    expect([...ann.cookies.keys()]).toEqual(['__Secure-postern.session_token'])
    const plain = safe.visitor()
    plain.cookies.set('postern.session_token', value ?? '')
    expect((await plain.get('/get-session')).body).toBeNull()
  })

  it('may be bound to the host', async () => {
    const bound = await service.sibling({
      BASE_URL: 'https://id.example.com',
      COOKIE_HOST_PREFIX: 'on',
      COOKIE_PREFIX: 'x',
    })
    const ann = await bound.person()
    expect([...ann.cookies.keys()]).toEqual(['__Host-x.session_token'])
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  })
})

describe('a bearer token', () => {
  const session = async () => {
    const { email, cookies } = await service.person()
    const signed = cookies.get('postern.session_token') ?? ''
    return { email, signed, raw: signed.split('.')[0] ?? '' }
  }
  const bearer = (credential: string) =>
    service
      .visitor()
      .get('/get-session', { authorization: `Bearer ${credential}` })
      .then(({ body }) => body?.user.email ?? null)

  it('signs in raw, signed as a cookie has it, and signed without percent signs', async () => {
    const { email, signed, raw } = await session()
    for (const credential of [raw, signed, decodeURIComponent(signed)]) expect(await bearer(credential)).toBe(email)
  })

  it('counts only whole', async () => {
    const { email, signed, raw } = await session()
    expect([await bearer(signed), await bearer(raw)]).toEqual([email, email])
    const wrong = [raw.slice(1), `${raw}x`, raw.toLowerCase(), `${raw}.x`, signed.replace(/^./, '_'), '', '"', 'null']
    for (const credential of wrong) expect(await bearer(credential)).toBeNull()
  })

  it('is not the session id, which is only a handle', async () => {
    const { email } = await session()
    const [row] = await service.deps
      .sql`select s.id from sessions s join users u on u.id = s.user_id where email = ${email}`
    expect(row?.id).toEqual(expect.any(String))
    expect(await bearer(String(row?.id))).toBeNull()
  })

  it('acts on calls without an origin, and is told when the session was issued again', async () => {
    const { signed, raw } = await session()
    const headers = { authorization: `Bearer ${raw}`, 'sec-fetch-site': 'cross-site' }
    const reply = await service.visitor().post('/update-user', { name: 'Anna' }, headers)
    expect([reply.status, reply.headers.get('set-auth-token')]).toEqual([200, signed])
    expect((await service.visitor().post('/sign-out', {}, headers)).body).toEqual({ success: true })
    expect(await bearer(raw)).toBeNull()
  })

  it('of nobody leaves the cookie to speak, when it is signed and wrong', async () => {
    const ann = await service.person()
    const { body } = await ann.get('/get-session', { authorization: 'Bearer nonsense.nonsense' })
    expect(body.user.email).toBe(ann.email)
  })
})

describe('without its database', () => {
  it('the service says so, sets no cookie, and nobody is signed out', async () => {
    const broken = await service.sibling()
    const ann = await broken.person()
    const before = new Map(ann.cookies)
    await broken.deps.sql.end()
    const replies = await Promise.all([
      ann.get('/get-session'),
      ann.get('/list-sessions'),
      ann.post('/update-user', { name: 'Anna' }),
      ann.post('/revoke-session', { token: 'x' }),
      ann.post('/revoke-sessions'),
      ann.post('/revoke-other-sessions'),
      ann.post('/sign-out'),
      ann.post('/sign-in/email', { email: ann.email, password: testPassword }),
      ann.post('/sign-up/email', { email: 'new@example.com', password: testPassword, name: 'New' }),
      ann.get('/ready'),
    ])
    for (const { status, body, setCookies } of replies)
      expect([status, body.code, setCookies]).toEqual([503, 'SERVICE_UNAVAILABLE', []])
    expect(ann.cookies).toEqual(before)
    expect((await ann.get('/ok')).status).toBe(200)
  })
})
