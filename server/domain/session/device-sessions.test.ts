import { describe, expect, it } from 'vitest'
import { createCookies } from '../../http/cookies.ts'
import { adminOf, somebody } from '../../testing/admins.ts'
import { linkTo, open, userOf } from '../../testing/mailed.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import { cookieHeader, type Json, type Visitor } from '../../testing/visitor.ts'

const service = useTestService({ MULTI_SESSION: '3' })

const kept = ({ cookies }: Visitor) => [...cookies.keys()].filter((name) => name.includes('_multi-'))
const listed = async (visitor: Visitor): Promise<Json[]> =>
  (await visitor.get('/multi-session/list-device-sessions')).body
const names = async (visitor: Visitor) => (await listed(visitor)).map(({ user }) => user.email)
const active = async (visitor: Visitor): Promise<string | undefined> =>
  (await visitor.get('/get-session')).body?.user.email
const setActive = (visitor: Visitor, sessionToken: string) =>
  visitor.post('/multi-session/set-active', { sessionToken })
const revoke = (visitor: Visitor, sessionToken: string) => visitor.post('/multi-session/revoke', { sessionToken })
const handleOf = async (visitor: Visitor, email: string): Promise<string> =>
  (await listed(visitor)).find(({ user }) => user.email === email)?.session.token
const enter = (visitor: Visitor, email: string, more = {}) =>
  visitor.post('/sign-in/email', { email, password: testPassword, ...more })

/** One browser that is signed in to the accounts of several people, the last of which is active. */
async function shared(count: number) {
  const emails: string[] = []
  for (let made = 0; made < count; made += 1) emails.push((await service.person()).email)
  const browser = service.visitor()
  for (const email of emails) await enter(browser, email)
  return { browser, emails }
}

describe('a browser with several accounts', () => {
  it('lists each with a handle in place of its token, except the active one', async () => {
    const { browser, emails } = await shared(2)
    expect([await names(browser), await active(browser)]).toEqual([emails, emails[1]])
    const [first, second] = await listed(browser)
    expect([first.session.token, second.session.token]).toEqual([
      first.session.id,
      (await browser.get('/get-session')).body.session.token,
    ])
  })

  it('changes between them, and both sessions stay as they are', async () => {
    const { browser, emails } = await shared(2)
    const before = (await listed(browser)).map(({ session }) => session.id)
    const { status, body } = await setActive(browser, await handleOf(browser, emails[0]!))
    expect([status, body.user.email, await active(browser)]).toEqual([200, emails[0], emails[0]])
    await setActive(browser, await handleOf(browser, emails[1]!))
    expect([await active(browser), (await listed(browser)).map(({ session }) => session.id)]).toEqual([
      emails[1],
      before,
    ])
  })

  it('keeps a session that is not remembered only until the browser closes', async () => {
    const { browser, emails } = await shared(1)
    const { email } = await service.person()
    await enter(browser, email, { rememberMe: false })
    const { setCookies } = await setActive(browser, await handleOf(browser, emails[0]!))
    expect(setCookies.some((line) => /session_token=.*Max-Age=60\d{4}/.test(line))).toBe(true)
    const back = await setActive(browser, await handleOf(browser, email))
    expect(back.setCookies.filter((line) => line.includes('session_token=') && line.includes('Max-Age'))).toEqual([])
  })

  it('signs out of all, also of those that a lower setting would not keep', async () => {
    const { browser, emails } = await shared(3)
    const lower = await service.sibling({ MULTI_SESSION: '0' })
    const before = await service.deps
      .sql`select from sessions s join users u on u.id = s.user_id where u.email = any(${emails})`
    const elsewhere = lower.copyOf(browser)
    expect((await elsewhere.post('/sign-out')).status).toBe(200)
    const after = await service.deps
      .sql`select from sessions s join users u on u.id = s.user_id where u.email = any(${emails})`
    expect([before.length, after.length, kept(elsewhere)]).toEqual([6, 3, []])
  })

  it('takes the cookie of an ended session away, also where a lower setting would not keep it', async () => {
    const { browser } = await shared(2)
    const [first] = kept(browser)
    const elsewhere = (await service.sibling({ MULTI_SESSION: '0' })).copyOf(browser)
    const token = browser.cookies.get('postern.session_token')
    await service.visitor().post('/sign-out', {}, { authorization: `Bearer ${token}` })
    expect([await active(elsewhere), kept(elsewhere)]).toEqual([undefined, [first]])
  })

  it('takes away at sign-out what has such a name, signed or not and each once, and nothing else', async () => {
    const { browser } = await shared(1)
    const [own = ''] = kept(browser)
    const start = 'postern.session_token_multi-'
    const [unsigned, ...others] = ['a'.repeat(16), 'a'.repeat(17), 'A'.repeat(16), 'x', ''].map(
      (tag) => `${start}${tag}`,
    )
    const more = [unsigned, unsigned, ...others].map((name) => `${name}=x`)
    const { setCookies } = await browser.post(
      '/sign-out',
      {},
      { cookie: [cookieHeader(browser.cookies), ...more].join('; ') },
    )
    expect(setCookies.map((line) => line.split('=')[0]).filter((name) => name?.startsWith(start))).toEqual([
      own,
      unsigned,
    ])
  })

  it('keeps them when a mailed link signs another one in', async () => {
    const { browser, emails } = await shared(1)
    const [{ email }, linking] = [
      await service.person(),
      await service.sibling({ MULTI_SESSION: '3', AUTO_SIGN_IN_AFTER_VERIFICATION: 'on' }),
    ]
    await service.visitor().post('/send-verification-email', { email })
    const own = linking.copyOf(browser)
    await open(service, own, (await linkTo(service, email, 'verify-email')).url)
    expect([await active(own), await names(own)]).toEqual([email, [...emails, email]])
  })

  it('ends the session that no cookie keeps when somebody else signs in', async () => {
    const [{ email }, other] = [await service.person(), await service.person()]
    const browser = service.visitor()
    await enter(browser, email)
    for (const name of kept(browser)) browser.cookies.delete(name)
    await enter(browser, other.email)
    const rows = await service.deps
      .sql`select from sessions s join users u on u.id = s.user_id where u.email = ${email}`
    expect(rows.length).toBe(1)
  })

  it('signs out of one, and another becomes active', async () => {
    const { browser, emails } = await shared(3)
    await revoke(browser, await handleOf(browser, emails[0]!))
    expect([await active(browser), await names(browser)]).toEqual([emails[2], emails.slice(1)])
    await revoke(browser, await handleOf(browser, emails[2]!))
    expect([await active(browser), await names(browser)]).toEqual([emails[1], [emails[1]]])
    await revoke(browser, await handleOf(browser, emails[1]!))
    expect([await active(browser), [...browser.cookies.keys()].filter((name) => name.includes('session'))]).toEqual([
      undefined,
      [],
    ])
  })

  it('signs out of all at once, and tells each of them', async () => {
    const { browser, emails } = await shared(2)
    const cookies = new Map(browser.cookies)
    service.logged.length = 0
    await browser.post('/sign-out')
    const told = service.logged.filter(({ event }) => event === 'sign-out-done').map(({ userId }) => userId)
    const ids = await Promise.all(emails.map(async (email) => (await userOf(service, email)).id))
    expect([new Set(told), kept(browser)]).toEqual([new Set(ids), []])
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    expect([await active(browser), await names(browser)]).toEqual([undefined, []])
  })

  it('has one session of an account: signing in again ends the earlier one', async () => {
    const { browser, emails } = await shared(2)
    const before = await handleOf(browser, emails[0]!)
    await enter(browser, emails[0]!)
    expect([await names(browser), await active(browser)]).toEqual([emails, emails[0]])
    const { sql } = service.deps
    expect(await sql`select from sessions where id = ${before}`).toEqual([])
  })

  it('is full at some time: then a sign-in takes the place of the active account', async () => {
    const { browser, emails } = await shared(4)
    // Before they are listed, which takes away the cookies of ended sessions.
    expect(kept(browser).length).toBe(3)
    expect([await names(browser), await active(browser)]).toEqual([[emails[0], emails[1], emails[3]], emails[3]])
    const { sql } = service.deps
    const third = (await userOf(service, emails[2]!)).id
    // Where they signed up is another browser.
    expect(await sql`select from sessions where user_id = ${third}`).toHaveLength(1)
    await enter(browser, emails[0]!)
    expect(new Set(await names(browser))).toEqual(new Set([emails[0], emails[1], emails[3]]))
  })

  it('reads at most twice and writes in three round trips', async () => {
    const { browser, emails } = await shared(3)
    const handle = await handleOf(browser, emails[0]!)
    service.trips.count = 0
    await listed(browser)
    expect(service.trips.count).toBeLessThanOrEqual(2)
    service.trips.count = 0
    await setActive(browser, handle)
    expect(service.trips.count).toBeLessThanOrEqual(3)
    service.trips.count = 0
    await browser.post('/sign-out')
    expect(service.trips.count).toBe(1)
  })
})

describe('nothing comes of', () => {
  const invalid = { code: 'INVALID_SESSION_TOKEN', message: 'Invalid session token' }

  it('the token of somebody else, whatever the cookie says', async () => {
    const { browser } = await shared(1)
    const victim = await service.person()
    const { token, id } = (await victim.get('/get-session')).body.session
    for (const word of [token, id]) {
      expect(await setActive(browser, word)).toMatchObject({ status: 401, body: invalid })
      expect(await revoke(browser, word)).toMatchObject({ status: 401, body: invalid })
    }
    const [name] = kept(browser)
    browser.cookies.set(name!, `${token}.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%3D`)
    expect((await setActive(browser, token)).status).toBe(401)
    expect(await active(victim)).toBe(victim.email)
  })

  it('a signed value under another name: of the active session, or of another account', async () => {
    const { browser, emails } = await shared(2)
    const [first, second] = kept(browser)
    const thief = service.visitor()
    thief.cookies.set(first!, browser.cookies.get(second!)!)
    thief.cookies.set(second!, browser.cookies.get('postern.session_token')!)
    expect(await names(thief)).toEqual([])
    thief.cookies.set('postern.session_token', browser.cookies.get(first!)!)
    expect([await active(thief), emails.length]).toEqual([undefined, 2])
  })

  it('a second cookie of the same name with another value, which another sub-domain may set', async () => {
    const { browser, emails } = await shared(1)
    const [name] = kept(browser)
    const again = service.visitor()
    await enter(again, emails[0]!)
    const cookie = [browser, again].map(({ cookies }) => `${name}=${cookies.get(name!)}`).join('; ')
    expect((await service.visitor().get('/multi-session/list-device-sessions', { cookie })).body).toEqual([])
  })

  it('more cookies than the setting allows', async () => {
    const many = await service.sibling({ MULTI_SESSION: '20' })
    const browser = many.visitor()
    for (let made = 0; made < 6; made += 1) await enter(browser, (await service.person()).email)
    expect((await listed(browser)).length).toBe(6)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const few = await service.visitor().get('/multi-session/list-device-sessions', { cookie })
    expect(few.body.length).toBeLessThanOrEqual(4)
  })

  it('more than twenty cookies, whatever the setting was, nor of one that comes twice', () => {
    const cookies = createCookies(service.deps.config, service.deps.keys)
    const tokens = Array.from({ length: 21 }, (_, index) => `token-${index}`)
    const pairs = tokens.map((token, index) => {
      const name = `session_token_multi-${String(index).padStart(16, '0')}` as const
      return cookies.writeSigned(name, token, 60).split(';')[0]
    })
    expect(cookies.readHeld([pairs[0], ...pairs].join('; '))).toEqual(tokens.slice(0, 20))
  })

  it('a session that was revoked elsewhere, whose cookie goes', async () => {
    const { browser, emails } = await shared(2)
    const handle = await handleOf(browser, emails[0]!)
    const elsewhere = service.visitor()
    await enter(elsewhere, emails[0]!)
    await elsewhere.post('/revoke-session', { token: handle })
    expect((await setActive(browser, handle)).status).toBe(401)
    expect([await names(browser), kept(browser).length]).toEqual([[emails[1]], 1])
  })

  it('the session of somebody who was banned', async () => {
    const { browser, emails } = await shared(2)
    const handle = await handleOf(browser, emails[0]!)
    await service.deps.sql`update users set banned = true where email = ${emails[0]!}`
    expect([(await setActive(browser, handle)).status, await names(browser)]).toEqual([401, [emails[1]]])
  })

  it('an impersonation: it is not kept, and changes to nobody', async () => {
    const [admin, user] = [await adminOf(service), await somebody(service)]
    const before = kept(admin)
    await admin.post('/admin/impersonate-user', { userId: user.id })
    expect(kept(admin)).toEqual(before)
    const own = await listed(admin)
    expect(own.map((one) => one.user.id)).toEqual([admin.id])
    const refused = await setActive(admin, own[0].session.id)
    expect([refused.status, refused.body.code]).toEqual([403, 'NOT_ALLOWED_WHILE_IMPERSONATING'])
    expect((await revoke(admin, own[0].session.id)).status).toBe(403)
    await admin.post('/admin/stop-impersonating')
    expect((await listed(admin)).map((one) => one.user.id)).toEqual([admin.id])
  })

  it('all of it while the setting is off: a sign-in replaces the one before', async () => {
    const off = await service.sibling({ MULTI_SESSION: '0' })
    const { browser, emails } = await shared(1)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await off.visitor().get('/multi-session/list-device-sessions', { cookie })
    expect(answer.body.map(({ user }: Json) => user.email)).toEqual(emails)
    const plain = off.visitor()
    await enter(plain, emails[0]!)
    const { token } = (await plain.get('/get-session')).body.session
    await enter(plain, (await service.person()).email)
    expect([kept(plain), (await setActive(plain, token)).status]).toEqual([[], 401])
    expect((await off.visitor().get('/get-session', { authorization: `Bearer ${token}` })).body).toBeNull()
  })
})

it('the cookies have the prefix and the attributes of the session', async () => {
  const secure = await service.sibling({
    BASE_URL: 'https://id.example.com',
    COOKIE_HOST_PREFIX: 'on',
    COOKIE_SAME_SITE: 'strict',
  })
  const { setCookies } = await enter(secure.visitor(), (await service.person()).email)
  const line = setCookies.find((one) => one.includes('_multi-')) ?? ''
  expect(line.replace(/=[^;]*/, '').replace(/[a-f0-9]{16}/, 'TAG')).toBe(
    '__Host-postern.session_token_multi-TAG; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Strict',
  )
})
