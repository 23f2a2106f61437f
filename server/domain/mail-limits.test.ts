import { describe, expect, it } from 'vitest'
import { canSignIn, isSignedIn, linkTo, mailsTo, verifiedPerson } from '../testing/mailed.ts'
import { type Founded, found } from '../testing/organizations.ts'
import { proveAddress } from '../testing/prove-address.ts'
import { limited, testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'

const minute = 60
const hour = 3600
const day = 86_400
const another = 'another horse battery staple'
/** Counts as a try, costs no hash. */
const tooLong = 'x'.repeat(1025)

const service = useTestService(limited)

const someone = () => `ann-${crypto.randomUUID()}@example.com`
/** Lets time pass for all counters. */
const later = (seconds: number) =>
  service.deps.sql`update rate_limits set expires_at = expires_at - make_interval(secs => ${seconds})`
const forget = (email: string, visitor = service.visitor()) => visitor.post('/forget-password', { email })
const mailCount = async (email: string) => (await mailsTo(service, email)).length
const allTrue = { status: 200, body: { status: true } }

describe('one address', () => {
  it('gets three mails in a quarter of an hour, of whatever kind, whoever asks; the answers stay true', async () => {
    const ann = await service.person()
    for (let time = 0; time < 2; time += 1) expect(await forget(ann.email)).toMatchObject(allTrue)
    for (let time = 0; time < 3; time += 1)
      expect(await service.visitor().post('/send-verification-email', { email: ann.email })).toMatchObject(allTrue)
    expect(await forget(ann.email)).toMatchObject(allTrue)
    expect(await mailCount(ann.email)).toBe(3)
    await later(15 * minute)
    await forget(ann.email)
    expect(await mailCount(ann.email)).toBe(4)
  })

  it('gets no more than three of each budget, whatever a hundred calls ask for', async () => {
    const { email } = await service.person()
    const firms: Founded[] = []
    for (let index = 0; index < 5; index += 1) firms.push(await found(service))
    const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
    const again = () =>
      strict.visitor().post('/sign-up/email', { email, name: 'Ann', password: 'a wholly other passphrase' })
    for (const firm of firms)
      for (let time = 0; time < 5; time += 1) {
        await forget(email)
        await service.visitor().post('/send-verification-email', { email })
        await firm.invite(email, 'member', { resend: true })
        await again()
      }
    const kinds = (await mailsTo(service, email)).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual([
      ...Array(3).fill('invitation'),
      ...Array(2).fill('reset-password'),
      ...Array(3).fill('sign-up-again'),
      'verify-email',
    ])
  })

  it('is one mailbox, however it is tagged: its owner is mailed no more for having several accounts than a link that lives for each', async () => {
    const name = crypto.randomUUID()
    const emails = ['', '+one', '+two', '+three'].map((tag) => `${name}${tag}@example.com`)
    for (const email of emails) await service.person({ email })
    for (const email of [...emails, ...emails]) await forget(email)
    expect(await Promise.all(emails.map(mailCount))).toEqual([1, 1, 1, 1])
  })

  it('gets ten mails a day, and one more whenever it has no link that lives', async () => {
    const { email } = await service.person()
    const { sql } = service.deps
    const quarters = async (count: number) => {
      for (let round = 0; round < count; round += 1) {
        for (let time = 0; time < 3; time += 1) await forget(email)
        // Short of the day that began with the first of them.
        await later(15 * minute)
      }
    }
    await quarters(5)
    expect(await mailCount(email)).toBe(10)
    // The links of the first hour are over: without another one the owner could not get in today.
    const over = () => sql`update verifications set expires_at = now() - interval '1 second'`
    for (const count of [11, 12]) {
      await over()
      await quarters(3)
      expect(await mailCount(email)).toBe(count)
      const { token } = await linkTo(service, email, 'reset-password')
      expect(
        (await service.visitor().get(`/reset-password/${token}?callbackURL=/x`)).headers.get('location'),
      ).toContain(token)
    }
    // A live link of another purpose is none to set a password with.
    await over()
    await service.visitor().post('/send-verification-email', { email })
    await forget(email)
    expect((await mailsTo(service, email)).slice(12).map(({ kind }) => kind)).toEqual([
      'verify-email',
      'reset-password',
    ])
    await later(day)
    await forget(email)
    expect(await mailCount(email)).toBe(15)
  })

  it('is told of a changed password however many mails came before', async () => {
    const ann = await service.person()
    for (let time = 0; time < 3; time += 1) await forget(ann.email)
    await forget(ann.email)
    await ann.post('/change-password', { currentPassword: testPassword, newPassword: another })
    expect((await mailsTo(service, ann.email)).at(-1)).toMatchObject({ kind: 'password-changed' })
  })

  it('leaves no token behind for a mail that is not sent', async () => {
    const { email } = await service.person()
    for (let time = 0; time < 5; time += 1) await forget(email)
    const rows = await service.deps.sql`
      select from verifications where user_id = (select id from users where email = ${email})
    `
    expect(rows).toHaveLength(3)
  })
})

describe('one network', () => {
  it('sends twenty mails an hour, and cannot use up the share of an address beyond that', async () => {
    const network = () => service.visitor('2001:db8:77::1')
    const people = []
    for (let index = 0; index < 22; index += 1) people.push((await service.person()).email)
    for (const email of people) {
      await forget(email, network())
      // The three requests a minute are not what this is about.
      await service.deps.sql`delete from rate_limits where count = 3 and expires_at < now() + interval '2 minutes'`
    }
    const counts = await Promise.all(people.map(mailCount))
    expect([counts.filter((count) => count === 1).length, counts.slice(20)]).toEqual([20, [0, 0]])
    for (let time = 0; time < 3; time += 1) await forget(people.at(-1)!)
    expect(await mailCount(people.at(-1)!)).toBe(3)
    await later(hour)
  })

  it('asks three times a minute by each call, then it is refused', async () => {
    const visitor = service.visitor()
    for (const path of ['/forget-password', '/send-verification-email']) {
      for (let time = 0; time < 3; time += 1) expect((await visitor.post(path, { email: someone() })).status).toBe(200)
      const { status, headers } = await visitor.post(path, { email: someone() })
      expect([status, Number(headers.get('retry-after')) > 50]).toEqual([429, true])
    }
  })
})

describe('all together', () => {
  const counted = async (name: string): Promise<number> => {
    const { sql, keys } = service.deps
    const [row] = await sql<{ count: number }[]>`select count from rate_limits where key = ${keys.limit.sign(name)}`
    return row?.count ?? 0
  }

  it('are sent five thousand links an hour; the answers stay true', async () => {
    const { sql, keys } = service.deps
    const key = keys.limit.sign('mail')
    const [ann, bob] = [await service.person(), await service.person()]
    await forget(ann.email)
    await sql`update rate_limits set count = 4999 where key = ${key}`
    for (const { email } of [ann, bob]) expect(await forget(email)).toMatchObject(allTrue)
    expect([await mailCount(ann.email), await mailCount(bob.email)]).toEqual([2, 0])
    await sql`delete from rate_limits where key = ${key}`
  })

  it('count what is stored: neither addresses that nobody has nor mails that another limit withheld', async () => {
    const ann = await service.person()
    const before = await counted('mail')
    for (let time = 0; time < 5; time += 1) {
      await forget(someone())
      await service.visitor().post('/send-verification-email', { email: someone() })
      await forget(ann.email)
    }
    expect([(await counted('mail')) - before, await mailCount(ann.email)]).toEqual([3, 3])
    const firm = await found(service)
    const invited = await counted('invitation')
    const [email, sent] = [someone(), []] as [string, string[]]
    for (let time = 0; time < 5; time += 1) sent.push(await firm.invite(email, 'member', { resend: true }))
    expect([(await counted('invitation')) - invited, sent.length, await mailCount(email)]).toEqual([3, 5, 3])
  })
})

describe('whose account it is', () => {
  /** Strangers ask for somebody's links until no more are sent. */
  async function besiege(email: string) {
    for (let time = 0; time < 12; time += 1) await forget(email)
    const before = await mailCount(email)
    await forget(email)
    expect(await mailCount(email)).toBe(before)
    return before
  }

  it('gets a link on a known device though strangers have used up theirs, and all together have', async () => {
    const ann = await service.person()
    const before = await besiege(ann.email)
    const { sql, keys } = service.deps
    await sql`update rate_limits set count = 5000 where key = ${keys.limit.sign('mail')}`
    const device = service.visitor()
    device.cookies.set('postern.known_device', ann.cookies.get('postern.known_device') ?? '')
    for (let time = 0; time < 3; time += 1) await forget(ann.email, device)
    expect((await mailCount(ann.email)) - before).toBe(3)
    await sql`delete from rate_limits where key = ${keys.limit.sign('mail')}`
  })

  it('is sent no more by a device of another account than by a stranger', async () => {
    const [ann, bob] = [await service.person(), await service.person()]
    const before = await besiege(ann.email)
    const device = service.visitor()
    device.cookies.set('postern.known_device', bob.cookies.get('postern.known_device') ?? '')
    await forget(ann.email, device)
    expect((await mailCount(ann.email)) - before).toBe(0)
  })

  it('gets what is asked for in the own session: verification, change of the address, deletion', async () => {
    const byMail = await service.sibling({ DELETE_USER_MODE: 'email' })
    const ann = await byMail.person()
    await besiege(ann.email)
    const since = await mailCount(ann.email)
    expect((await ann.post('/send-verification-email', { email: ann.email })).status).toBe(200)
    await proveAddress(service.deps.sql, ann.email)
    expect((await ann.post('/change-email', { newEmail: someone() })).status).toBe(200)
    expect((await ann.post('/delete-user', { password: testPassword })).status).toBe(200)
    const kinds = (await mailsTo(service, ann.email)).slice(since).map(({ kind }) => kind)
    expect(kinds).toEqual(['verify-email', 'change-email', 'delete-account'])
  })
})

it('a reset has its counter by network, and a wrong token counts', async () => {
  const visitor = service.visitor()
  const reset = () => visitor.post('/reset-password', { token: 'no-such-token', newPassword: another })
  for (let time = 0; time < 3; time += 1) expect((await reset()).status).toBe(400)
  expect((await reset()).status).toBe(429)
})

it('with RATE_LIMIT=off mails are not counted', async () => {
  const free = await service.sibling({ RATE_LIMIT: 'off' })
  const { email } = await free.person()
  const visitor = free.visitor()
  for (let time = 0; time < 25; time += 1) await visitor.post('/forget-password', { email })
  expect(await mailCount(email)).toBe(25)
})

describe('a lockout', () => {
  async function attack(email: string, tries: number) {
    for (let time = 0; time < tries; time += 1)
      await service.visitor().post('/sign-in/email', { email, password: tooLong })
  }
  const signIn = async (email: string, password = testPassword) =>
    (await service.visitor().post('/sign-in/email', { email, password })).status

  it('leaves the owner’s session alone, and a mailed reset opens the account at once', async () => {
    const ann = await service.person()
    await attack(ann.email, 12)
    expect([await signIn(ann.email), await isSignedIn(ann)]).toEqual([429, true])
    await forget(ann.email)
    const { token } = await linkTo(service, ann.email, 'reset-password')
    const reply = await service.visitor().post('/reset-password', { token, newPassword: another })
    expect([reply.status, await signIn(ann.email, another)]).toEqual([200, 200])
  })

  it('after a hundred failures in a row ends by a mailed reset alone, not by waiting', async () => {
    const ann = await service.person()
    const { sql, keys } = service.deps
    await attack(ann.email, 1)
    await sql`update rate_limits set count = 100 where key = ${keys.limit.sign(`account-in-a-row:${ann.email}`)}`
    await later(hour)
    expect(await signIn(ann.email)).toBe(429)
    await forget(ann.email)
    const { token } = await linkTo(service, ann.email, 'reset-password')
    await service.visitor().post('/reset-password', { token, newPassword: another })
    expect(await signIn(ann.email, another)).toBe(200)
  })

  it('is not lifted by a reset token that is wrong', async () => {
    const ann = await service.person()
    await attack(ann.email, 12)
    await service.visitor().post('/reset-password', { token: 'no-such-token', newPassword: another })
    expect(await signIn(ann.email)).toBe(429)
  })
})

describe('SIGN_UP=off', () => {
  it('lets nobody in by any call, taken or not, and all that exist go on', async () => {
    const closed = await service.sibling({ SIGN_UP: 'off', REQUIRE_EMAIL_VERIFICATION: 'on' })
    const ann = await verifiedPerson(service)
    for (const email of [ann.email, someone()]) {
      const reply = await closed.visitor().post('/sign-up/email', { email, name: 'Bob', password: testPassword })
      expect(reply.body.message).toBe('Email and password sign up is not enabled')
    }
    expect(await canSignIn(closed, ann.email)).toBe(true)
    const nobody = someone()
    for (const path of ['/forget-password', '/send-verification-email', '/request-password-reset'])
      await closed.visitor().post(path, { email: nobody })
    expect(await service.deps.sql`select from users where email = ${nobody}`).toHaveLength(0)
  })
})
