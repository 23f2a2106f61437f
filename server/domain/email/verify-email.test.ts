import { describe, expect, it } from 'vitest'
import { createApp } from '../../app.ts'
import { adminOf } from '../../testing/admins.ts'
import { canSignIn, isSignedIn, linkTo, mailsTo, open, userOf, withHooks } from '../../testing/mailed.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { dumpTables } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import { createVisitor, type Visitor } from '../../testing/visitor.ts'

const service = useTestService()
const signingIn = useMade(() => service.sibling({ AUTO_SIGN_IN_AFTER_VERIFICATION: 'on' }))
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))

const someone = () => ({ email: `ann-${crypto.randomUUID()}@example.com`, name: 'Ann', password: testPassword })

async function asked(callbackURL?: string) {
  const person = await service.person()
  const { email } = person
  await service.visitor().post('/send-verification-email', { email, callbackURL })
  return { person, email, link: await linkTo(service, email, 'verify-email') }
}
const verify = (token: string, on = service) => on.visitor().get(`/verify-email?token=${token}`)
const refusal = (code: string) => ({ status: 401, body: { code, message: code.toLowerCase() } })
const isVerified = async (email: string) => (await userOf(service, email)).emailVerified

describe('sign-up', () => {
  it('mails a link that verifies; with REQUIRE_EMAIL_VERIFICATION only then signs in', async () => {
    const account = someone()
    const signedUp = await strict.visitor().post('/sign-up/email', { ...account, callbackURL: '/welcome' })
    expect([signedUp.status, signedUp.body.token, signedUp.setCookies]).toEqual([
      200,
      null,
      [expect.stringMatching(/^postern\.sign_up=[\w-]+; Max-Age=604800;/)],
    ])
    const { url } = await linkTo(service, account.email, 'verify-email')
    expect(await canSignIn(strict, account.email)).toBe(false)
    expect((await open(service, service.visitor(), url)).headers.get('location')).toBe('/welcome')
    expect(await canSignIn(strict, account.email)).toBe(true)
  })

  it('mails nothing by default, and with SEND_VERIFICATION_ON_SIGN_UP a link to who is signed in already', async () => {
    const { email } = await service.person()
    expect(await mailsTo(service, email)).toEqual([])
    const sending = await service.sibling({ SEND_VERIFICATION_ON_SIGN_UP: 'on' })
    const ann = await sending.person()
    const { token } = await linkTo(service, ann.email, 'verify-email')
    expect((await ann.get(`/verify-email?token=${token}`)).body).toEqual({ status: true, user: null })
    expect((await ann.get('/get-session')).body.user.emailVerified).toBe(true)
  })
})

describe('a sign-in with an address that is not verified', () => {
  it('is refused where that is required, and mails a new link that leads where the sign-in would have', async () => {
    const { email } = await service.person()
    const reply = await strict.visitor().post('/sign-in/email', { email, password: testPassword, callbackURL: '/home' })
    expect(reply).toMatchObject({ status: 403, body: { message: 'Email not verified' } })
    const { url } = await linkTo(service, email, 'verify-email')
    expect((await open(service, service.visitor(), url)).headers.get('location')).toBe('/home')
    expect(await canSignIn(strict, email)).toBe(true)
  })

  it('is the plain refusal with a wrong password, and mails nothing: also for who is banned', async () => {
    const { email } = await service.person()
    const wrong = () => strict.visitor().post('/sign-in/email', { email, password: 'wrong horse battery staple' })
    const plain = { status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' } }
    expect(await wrong()).toMatchObject(plain)
    await service.deps.sql`update users set banned = true where email = ${email}`
    expect(await wrong()).toMatchObject(plain)
    expect(await mailsTo(service, email)).toEqual([])
  })
})

describe('a verification link', () => {
  it('verifies, answers without a user, and sets no cookie by default', async () => {
    const { email, link } = await asked()
    expect(await verify(link.token)).toMatchObject({ status: 200, body: { status: true, user: null }, setCookies: [] })
    expect(await isVerified(email)).toBe(true)
  })

  it('leads to the page of the caller, or to ours', async () => {
    const theirs = await asked('/done?x=1')
    const ours = await asked()
    const target = async (url: string) => (await open(service, service.visitor(), url)).headers.get('location')
    expect(await target(theirs.link.url)).toBe('/done?x=1')
    expect(await target(ours.link.url)).toBe('http://localhost:4100/api/auth/page/verified')
  })

  it('succeeds again without effect: no cookie, nothing written, the hook told once', async () => {
    const told: string[] = []
    const hooked = await withHooks(
      service,
      { afterVerifyEmail: ({ email }) => told.push(email) },
      { AUTO_SIGN_IN_AFTER_VERIFICATION: 'on' },
    )
    const { email, link } = await asked()
    expect((await verify(link.token, hooked)).setCookies).not.toEqual([])
    const before = await dumpTables(service)
    expect(await verify(link.token, hooked)).toMatchObject({ status: 200, body: { status: true }, setCookies: [] })
    expect([await dumpTables(service), told]).toEqual([before, [email]])
  })

  it('uses up no other link of its user, also when it is opened again', async () => {
    const { person, email, link } = await asked()
    await service.visitor().post('/forget-password', { email })
    const { token } = await linkTo(service, email, 'reset-password')
    for (const _time of ['first', 'again'])
      expect((await person.get(`/verify-email?token=${link.token}`)).status).toBe(200)
    const reset = { token, newPassword: 'another horse battery staple' }
    expect((await service.visitor().post('/reset-password', reset)).status).toBe(200)
  })

  it('is no way in once the address is verified otherwise', async () => {
    const { person, email, link } = await asked()
    await service.visitor().post('/send-verification-email', { email })
    const newer = await linkTo(service, email, 'verify-email')
    await verify(newer.token)
    expect(await verify(link.token, signingIn)).toMatchObject({ status: 200, setCookies: [] })
    expect(await isSignedIn(person)).toBe(true)
  })

  it('is no way in once the address is verified by other means, its row still there', async () => {
    const { email, link } = await asked()
    await proveAddress(service.deps.sql, email)
    expect(await verify(link.token, signingIn)).toMatchObject({ status: 200, setCookies: [] })
  })

  it('signs in with AUTO_SIGN_IN_AFTER_VERIFICATION; a session of that user stays and is issued again', async () => {
    const { email, link } = await asked()
    const visitor = signingIn.visitor()
    await visitor.get(`/verify-email?token=${link.token}`)
    expect((await visitor.get('/get-session')).body.user).toMatchObject({ email, emailVerified: true })
    const own = await asked()
    const before = (await own.person.get('/get-session')).body.session.id
    const same = signingIn.copyOf(own.person)
    expect((await same.get(`/verify-email?token=${own.link.token}`)).setCookies).not.toEqual([])
    expect((await same.get('/get-session')).body.session.id).toBe(before)
  })

  it('signs nobody in who is banned, unless the ban is over', async () => {
    const { email, link } = await asked()
    await service.deps.sql`update users set banned = true where email = ${email}`
    expect(await verify(link.token, signingIn)).toMatchObject({ status: 200, setCookies: [] })
    const other = await asked()
    await service.deps.sql`update users set banned = true, ban_expires = now() where email = ${other.email}`
    expect((await verify(other.link.token, signingIn)).setCookies).not.toEqual([])
  })

  it('ends the session of the cookie that came along, when it starts another', async () => {
    const bob = await service.person()
    const { link } = await asked()
    const browser = signingIn.copyOf(bob)
    expect(await isSignedIn(bob)).toBe(true)
    await browser.get(`/verify-email?token=${link.token}`)
    expect(await isSignedIn(bob)).toBe(false)
  })

  it('is over in time by its own clock: token_expired', async () => {
    const { link } = await asked('/done?x=1')
    const later = new Date(Date.now() + 3_601_000)
    const visitor = createVisitor(createApp({ ...service.deps, now: () => later }), service.deps.config)
    expect(await visitor.get(`/verify-email?token=${link.token}`)).toMatchObject(refusal('TOKEN_EXPIRED'))
    expect((await open(service, visitor, link.url)).headers.get('location')).toBe('/done?x=1&error=token_expired')
  })

  it('is over in time by the database: invalid_token', async () => {
    const { email, link } = await asked()
    const { id } = await userOf(service, email)
    await service.deps.sql`update verifications set expires_at = now() where user_id = ${id}`
    expect(await verify(link.token)).toMatchObject(refusal('INVALID_TOKEN'))
    expect(await isVerified(email)).toBe(false)
  })

  it('lives as long as the settings say, counted from the mail', async () => {
    const brief = await service.sibling({ EMAIL_VERIFICATION_EXPIRES_IN: '2m' })
    const { email } = await service.person()
    await brief.visitor().post('/send-verification-email', { email })
    const { token } = await linkTo(service, email, 'verify-email')
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
    expect(exp - iat).toBe(120)
  })

  it('that was tampered with is invalid_token, with the page of the caller or without', async () => {
    const { email, link } = await asked()
    const [head, , mac] = link.token.split('.')
    const other = Buffer.from(JSON.stringify({ email })).toString('base64url')
    for (const token of ['x', '', `${link.token}x`, `${head}.${other}.${mac}`]) {
      expect(await verify(token)).toMatchObject(refusal('INVALID_TOKEN'))
      const reply = await service.visitor().get(`/verify-email?token=${token}&callbackURL=/done`)
      expect(reply.headers.get('location')).toBe('/done?error=invalid_token')
    }
    expect((await service.visitor().get('/verify-email')).body.code).toBe('VALIDATION_ERROR')
  })

  it('is refused once the address belongs to another user, or to nobody', async () => {
    const { person, email, link } = await asked()
    await person.post('/change-email', { newEmail: someone().email })
    expect(await verify(link.token)).toMatchObject(refusal('USER_NOT_FOUND'))
    await service.person({ email })
    await proveAddress(service.deps.sql, email)
    expect(await verify(link.token, signingIn)).toMatchObject({ ...refusal('INVALID_TOKEN'), setCookies: [] })
  })

  it('is refused after a ban took its row: it dies with its row, whatever the signature says', async () => {
    const { email, link } = await asked()
    const { id } = await userOf(service, email)
    await (await adminOf(service)).post('/admin/ban-user', { userId: id })
    expect(await verify(link.token)).toMatchObject(refusal('INVALID_TOKEN'))
    expect(await isVerified(email)).toBe(false)
  })
})

describe('a session without a sign-in method of its own', () => {
  const isProven = async (visitor: Visitor) => (await visitor.get('/get-session')).body.session.addressProven
  const openNewest = async (email: string, visitor: Visitor) =>
    visitor.get(`/verify-email?token=${(await linkTo(service, email, 'verify-email')).token}`)
  async function signedUp() {
    const both = await service.sibling({ AUTO_SIGN_IN_AFTER_VERIFICATION: 'on', REQUIRE_EMAIL_VERIFICATION: 'on' })
    const [account, browser] = [someone(), both.visitor()]
    await browser.post('/sign-up/email', account)
    return { ...account, browser, elsewhere: both.visitor() }
  }

  it('belongs to that of the sign-up, when the link that begins it is opened in the same browser', async () => {
    const { email, browser } = await signedUp()
    await openNewest(email, browser)
    expect(await isProven(browser)).toBe(true)
  })

  it('proves the mailbox, when a link is opened in it: for itself alone', async () => {
    const { email, password, elsewhere, browser } = await signedUp()
    await openNewest(email, elsewhere)
    expect(await isProven(elsewhere)).toBe(false)
    await elsewhere.post('/send-verification-email', { email })
    expect((await openNewest(email, elsewhere)).setCookies).not.toEqual([])
    await browser.post('/sign-in/email', { email, password })
    expect([await isProven(elsewhere), await isProven(browser)]).toEqual([true, false])
  })
})

describe('a request for a link', () => {
  it('of who is signed in is for the own address alone', async () => {
    const [ann, bob] = [await service.person(), await service.person()]
    expect((await ann.post('/send-verification-email', { email: bob.email })).body.message).toBe('User not found')
    expect((await ann.post('/send-verification-email', { email: ann.email.toUpperCase() })).status).toBe(200)
    expect([(await mailsTo(service, ann.email)).length, (await mailsTo(service, bob.email)).length]).toEqual([1, 0])
  })
})
