import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sendForm } from '../pages/testing/forms.ts'
import { linkTo } from '../testing/mailed.ts'
import { limited, testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'
import type { Visitor } from '../testing/visitor.ts'

const service = useTestService(limited)

const known = 'postern.known_device'
const session = 'postern.session_token'
const another = 'another horse battery staple'
/** Counts as a try, costs no hash. */
const tooLong = 'x'.repeat(1025)
const body = { code: 'TOO_MANY_REQUESTS', message: 'Too many requests. Please try again later.' }
const refused = { status: 429, body, setCookies: [] }

const signIn = (visitor: Visitor, email: string, password = testPassword) =>
  visitor.post('/sign-in/email', { email, password })

/** A device of another address, with the cookies of one; each time, so that no network counts. */
function moved({ cookies }: Pick<Visitor, 'cookies'>, ...names: string[]): Visitor {
  const visitor = service.visitor()
  for (const name of names) visitor.cookies.set(name, cookies.get(name) ?? '')
  return visitor
}

/** Strangers from everywhere, who go on whatever happens. */
async function attack(email: string, tries = 12) {
  const replies = []
  for (let time = 0; time < tries; time += 1) replies.push(await signIn(service.visitor(), email, tooLong))
  return replies.map(({ status }) => status)
}

/** Somebody whose account strangers have locked. */
async function besieged() {
  const ann = await service.person()
  expect((await attack(ann.email)).slice(-2)).toEqual([429, 429])
  return ann
}

describe('a device on which the password was proven', () => {
  it('signs in while strangers lock the account, who stay locked out', async () => {
    const ann = await besieged()
    expect(await signIn(service.visitor(), ann.email)).toMatchObject(refused)
    for (let time = 0; time < 3; time += 1) {
      const { status, body } = await signIn(moved(ann, known), ann.email)
      expect([status, body.user?.email]).toEqual([200, ann.email])
    }
    // A success clears the device's own counters: strangers get no ten tries more.
    expect(await attack(ann.email, 2)).toEqual([429, 429])
  })

  it('signs in while its network has used up its failures, and needs no statement more', async () => {
    const ann = await service.person()
    const { sql, keys } = service.deps
    await signIn(service.visitor('198.51.100.50'), ann.email, tooLong)
    await sql`update rate_limits set count = 100 where key = ${keys.limit.sign('failures:198.51.100.50')}`
    const office = service.visitor('198.51.100.50')
    expect(await signIn(office, ann.email)).toMatchObject(refused)
    office.cookies.set(known, ann.cookies.get(known) ?? '')
    service.statements.forget()
    expect((await signIn(office, ann.email)).status).toBe(200)
    expect(service.statements.list).toHaveLength(2)
  })

  it('changes the password, and proves it for a deletion, while strangers lock the account', async () => {
    const ann = await besieged()
    const change = { currentPassword: testPassword, newPassword: another }
    expect(await moved(ann, session).post('/change-password', change)).toMatchObject(refused)
    const device = moved(ann, session, known)
    expect((await device.post('/change-password', change)).status).toBe(200)
    expect((await device.post('/delete-user', { password: another })).body).toMatchObject({ success: true })
  })

  it('has ten tries in ten minutes itself, then the right password waits too', async () => {
    const ann = await service.person()
    for (let time = 0; time < 10; time += 1)
      expect((await signIn(moved(ann, known), ann.email, tooLong)).status).toBe(401)
    expect(await signIn(moved(ann, known), ann.email)).toMatchObject(refused)
    // It has used up nobody else's.
    expect((await signIn(service.visitor(), ann.email)).status).toBe(200)
  })

  it('is closed after a hundred failures in a row, however slow', async () => {
    const ann = await service.person()
    const { sql } = service.deps
    await sql`delete from rate_limits`
    await signIn(moved(ann, known), ann.email, tooLong)
    await sql`update rate_limits set count = 100 where expires_at > now() + interval '29 days'`
    await sql`delete from rate_limits where expires_at < now() + interval '1 day'`
    expect(await signIn(moved(ann, known), ann.email)).toMatchObject(refused)
  })

  it.each(['/change-password', '/sign-in/email'])(
    'is known anew by the proof at %s, under its own number',
    async (path) => {
      const ann = await service.person()
      const before = ann.cookies.get(known)
      const body = { email: ann.email, password: testPassword, currentPassword: testPassword, newPassword: another }
      const { status, setCookies } = await ann.post(path, body)
      const line = setCookies.find((text) => text.startsWith(`${known}=`)) ?? ''
      expect([status, line.replace(/=[^;]+/, '')]).toEqual([
        200,
        `${known}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax`,
      ])
      expect(ann.cookies.get(known)?.split('.')[0]).toBe(before?.split('.')[0])
      await attack(ann.email)
      const password = path === '/change-password' ? another : testPassword
      expect((await signIn(moved(ann, known), ann.email, password)).status).toBe(200)
    },
  )
})

describe('its cookie', () => {
  it('says nothing of anybody, and is none of a session: it signs nobody in', async () => {
    const ann = await service.person()
    const value = ann.cookies.get(known) ?? ''
    expect(value).toMatch(/^[A-Za-z0-9]{22}\.[\w-]{22}\.[\w-]{43}$/)
    const [user] = await service.deps.sql<{ id: string }[]>`select id from users where email = ${ann.email}`
    const text = value.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    for (const word of [ann.email, 'example', user?.id ?? 'none']) expect([value, ...text].join()).not.toContain(word)
    service.statements.forget()
    expect((await moved(ann, known).get('/get-session')).text).toBe('null')
    expect((await moved(ann, known).get('/list-sessions')).status).toBe(401)
    expect((await moved(ann, known).get('/list-sessions', { authorization: `Bearer ${value}` })).status).toBe(401)
    expect(service.statements.list).toEqual([])
    const stolen = service.visitor()
    stolen.cookies.set(session, value)
    expect((await stolen.get('/list-sessions')).status).toBe(401)
  })

  it('outlives the session, and every way in which one ends', async () => {
    const ann = await service.person()
    await ann.post('/sign-out')
    expect([...ann.cookies.keys()]).toEqual([known])
    expect((await signIn(ann, ann.email)).status).toBe(200)
    await service.deps.sql`delete from sessions`
    expect((await ann.get('/get-session')).text).toBe('null')
    expect([...ann.cookies.keys()]).toEqual([known])
  })

  it('goes with its user', async () => {
    const ann = await service.person()
    expect((await ann.post('/delete-user')).body).toMatchObject({ success: true })
    expect(ann.cookies.size).toBe(0)
  })

  it('changes no rule of origins: another page is refused with it as without, and a client without cookies needs none', async () => {
    const ann = await service.person()
    const headers = { origin: 'https://evil.example.com' }
    const body = { email: ann.email, password: testPassword }
    expect((await moved(ann, known).post('/sign-in/email', body, headers)).body.code).toBe('INVALID_ORIGIN')
    const bearer = { authorization: `Bearer ${ann.cookies.get(session)}` }
    expect((await service.visitor().post('/update-user', { name: 'Anna' }, { ...bearer, ...headers })).status).toBe(200)
  })

  it.each<[string, (value: string, other: string) => string]>([
    ['another address', (_value, other) => other],
    ['a number of one’s own', (value) => `${'A'.repeat(22)}${value.slice(22)}`],
    ['another signature', (value) => `${value.slice(0, -43)}${'A'.repeat(43)}`],
    ['no signature', (value) => value.slice(0, 45)],
    ['nothing', () => '..'],
  ])('made for %s is as if it were not there', async (_name, forge) => {
    const [ann, bob] = [await besieged(), await service.person()]
    const forger = service.visitor()
    forger.cookies.set(known, forge(ann.cookies.get(known) ?? '', bob.cookies.get(known) ?? ''))
    expect(await signIn(forger, ann.email)).toMatchObject(refused)
  })

  it('is found behind what a neighbouring page tossed in, though not behind any number of those', async () => {
    const ann = await besieged()
    const own = `${known}=${ann.cookies.get(known)}`
    const ask = (tossed: number) => {
      const cookie = [...Array.from({ length: tossed }, (_, index) => `${known}=x${index}`), own].join('; ')
      return service.visitor().post('/sign-in/email', { email: ann.email, password: testPassword }, { cookie })
    }
    expect([(await ask(3)).status, (await ask(4)).status]).toEqual([200, 429])
  })

  it('is worth nothing any more once the password is another: who knew the old one guesses as a stranger', async () => {
    const ann = await service.person()
    const devices = [service.visitor(), service.visitor()]
    for (const device of devices) await signIn(device, ann.email)
    await ann.post('/change-password', { currentPassword: testPassword, newPassword: another })
    await attack(ann.email)
    for (const device of devices) expect(await signIn(moved(device, known), ann.email, another)).toMatchObject(refused)
    const numbers = devices.map(({ cookies }) => cookies.get(known)?.split('.')[0])
    expect(new Set(numbers).size).toBe(2)
  })

  it('comes from an older password: the guess counts on the account as well', async () => {
    const ann = await service.person()
    const old = moved(ann, known)
    await ann.post('/change-password', { currentPassword: testPassword, newPassword: another })
    for (let time = 0; time < 10; time += 1)
      expect((await signIn(moved(old, known), ann.email, tooLong)).status).toBe(401)
    expect(await signIn(service.visitor(), ann.email, another)).toMatchObject(refused)
  })

  it('is set where a session begins by a password, and nowhere else; without limits nowhere at all', async () => {
    const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
    const free = await service.sibling({ RATE_LIMIT: 'off' })
    const account = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann', password: testPassword })
    // Taken or free: the answer is the same.
    const visitor = strict.visitor()
    await visitor.post('/sign-up/email', account())
    const ann = await free.person()
    await signIn(free.visitor(), ann.email)
    const failed = service.visitor()
    await signIn(failed, ann.email, 'wrong')
    expect([visitor.cookies.size, [...ann.cookies.keys()], failed.cookies.size]).toEqual([1, [session], 0])
    expect([...visitor.cookies.keys()]).toEqual(['postern.sign_up'])
  })

  it('has the prefix and flags of the others on https', async () => {
    const secure = await service.sibling({ BASE_URL: 'https://id.example.com', COOKIE_HOST_PREFIX: 'on' })
    const { cookies } = await secure.person()
    expect([...cookies.keys()]).toEqual(['__Host-postern.session_token', '__Host-postern.known_device'])
  })
})

it('strangers can lock the owner out of nothing: session, known device, mailed link and what follows it', async () => {
  const ann = await besieged()
  expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  expect((await signIn(moved(ann, known), ann.email)).status).toBe(200)
  // They ask for her links too, from everywhere, until their share is used up; then she asks, on a device of no history.
  for (let time = 0; time < 12; time += 1) await service.visitor().post('/forget-password', { email: ann.email })
  const newcomer = service.visitor()
  expect((await newcomer.post('/forget-password', { email: ann.email })).body).toMatchObject({ status: true })
  const { token } = await linkTo(service, ann.email, 'reset-password')
  expect((await newcomer.post('/reset-password', { token, newPassword: another })).status).toBe(200)
  // They guess on, and lock the account again; the device that opened the link is known by then.
  expect((await attack(ann.email)).slice(-2)).toEqual([429, 429])
  const { status, body } = await signIn(newcomer, ann.email, another)
  expect([status, body.user?.email]).toEqual([200, ann.email])
})

it('the page that sets a new password makes its browser known, too', async () => {
  const ann = await service.person()
  await service.visitor().post('/forget-password', { email: ann.email })
  const { token } = await linkTo(service, ann.email, 'reset-password')
  const browser = service.visitor()
  const fields = { token, newPassword: another, newPasswordAgain: another }
  expect((await sendForm(browser, fields)).status).toBe(303)
  await attack(ann.email)
  expect((await signIn(browser, ann.email, another)).status).toBe(200)
})

it('a mailed reset opens the very device whose own tries are used up', async () => {
  const ann = await service.person()
  for (let time = 0; time < 11; time += 1) await signIn(moved(ann, known), ann.email, tooLong)
  expect(await signIn(moved(ann, known), ann.email)).toMatchObject(refused)
  await ann.post('/forget-password', { email: ann.email })
  const { token } = await linkTo(service, ann.email, 'reset-password')
  const device = moved(ann, known)
  expect((await device.post('/reset-password', { token, newPassword: another })).status).toBe(200)
  expect((await signIn(device, ann.email, another)).status).toBe(200)
})
