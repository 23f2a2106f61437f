import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canSignIn, isSignedIn, linkTo, mailsTo, verifiedPerson } from '../testing/mailed.ts'
import { type Founded, found } from '../testing/organizations.ts'
import { createTestService, type TestService, testPassword } from '../testing/service.ts'

const minute = 60
const hour = 3600
const day = 86_400
const another = 'another horse battery staple'
/** Counts as a try, costs no hash. */
const tooLong = 'x'.repeat(1025)

let service: TestService
beforeAll(async () => {
  service = await createTestService({ RATE_LIMIT: 'on' })
})
afterAll(() => service.stop())

const someone = (name = 'ann') => `${name}-${crypto.randomUUID()}@example.com`
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

  it('gets no more because several organizations invite it: the mails are counted together', async () => {
    const { email } = await service.person()
    const [acme, other] = [await found(service), await found(service)]
    const askAll = async (firm: Founded) => {
      await forget(email)
      await service.visitor().post('/send-verification-email', { email })
      await firm.invite(email)
    }
    await askAll(acme)
    await askAll(other)
    const kinds = (await mailsTo(service, email)).map(({ kind }) => kind)
    expect(kinds).toEqual(['reset-password', 'verify-email', 'invitation'])
  })

  it('is one mailbox, however it is tagged: its owner is not mailed more for having several accounts', async () => {
    const name = crypto.randomUUID()
    const emails = ['', '+one', '+two', '+three'].map((tag) => `${name}${tag}@example.com`)
    for (const email of emails) await service.person({ email })
    for (const email of emails) await forget(email)
    expect(await Promise.all(emails.map(mailCount))).toEqual([1, 1, 1, 0])
  })

  it('gets ten mails a day', async () => {
    const { email } = await service.person()
    for (let round = 0; round < 4; round += 1) {
      for (let time = 0; time < 3; time += 1) await forget(email)
      // Short of the day that began with the first of them.
      await later(15 * minute)
    }
    expect(await mailCount(email)).toBe(10)
    await later(day)
    await forget(email)
    expect(await mailCount(email)).toBe(11)
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

it('all together are sent five thousand mails an hour; the answers stay true', async () => {
  const { sql, keys } = service.deps
  const key = keys.limit.sign('mail')
  const [ann, bob] = [await service.person(), await service.person()]
  await forget(ann.email)
  await sql`update rate_limits set count = 4999 where key = ${key}`
  for (const { email } of [ann, bob]) expect(await forget(email)).toMatchObject(allTrue)
  expect([await mailCount(ann.email), await mailCount(bob.email)]).toEqual([2, 0])
  await sql`delete from rate_limits where key = ${key}`
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
