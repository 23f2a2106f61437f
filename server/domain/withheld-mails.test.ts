import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { mailsTo, verifiedPerson, withHooks } from '../testing/mailed.ts'
import { done, found } from '../testing/organizations.ts'
import { disproveAddress, proveAddress } from '../testing/prove-address.ts'
import { createTestService, limited, testPassword } from '../testing/service.ts'
import { useMade, useTestService } from '../testing/use-service.ts'
import type { Visitor } from '../testing/visitor.ts'

const limits = {
  calls: { max: 10_000 },
  passwordCalls: { max: 1000 },
  mailCalls: { max: 1000 },
  mailsFromNetwork: { max: 4 },
  mailsInAll: { max: 20 },
  invitationsByUser: { max: 8, window: '1d' },
  invitationsByUnverified: { max: 2 },
  invitationsFromNetwork: { max: 30 },
  invitationsInAll: { max: 60 },
}

const service = useTestService(limited, { limits })
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on', DELETE_USER_MODE: 'email' }))

const someone = (name = 'ann') => `${name}-${randomUUID()}@example.com`
const newHour = () => service.deps.sql`delete from rate_limits`
const forget = (email: string, visitor = service.visitor()) => visitor.post('/forget-password', { email })
const countOf = async (email: string, kind?: string) => (await mailsTo(service, email, kind)).length
const stored = async (kind: string) => (await service.deps.sql`select from outbox where kind = ${kind}`).length

/** Somebody with an organization, at an address that many may share. */
async function founder(address?: string, isVerified = true) {
  const { cookies, email } = isVerified ? await verifiedPerson(service) : await service.person()
  const visitor = service.copyOf({ cookies }, address)
  await done(visitor.post('/organization/create', { name: 'Acme', slug: randomUUID() }))
  return { ...visitor, email }
}
const invite = (visitor: Visitor, email = someone()) =>
  done(visitor.post('/organization/invite-member', { email, role: 'member' }))

describe('who makes many accounts at one network and invites with all of them', () => {
  const network = '198.51.100.60'

  it('is sent no more than the network may, and leaves to others all of theirs', async () => {
    await newHour()
    const bystander = await service.person()
    const before = await stored('invitation')
    for (let account = 0; account < 26; account += 1) {
      const attacker = await founder(network)
      for (let time = 0; time < 10; time += 1) await invite(attacker)
    }
    expect((await stored('invitation')) - before).toBe(30)
    expect((await forget(bystander.email)).body).toMatchObject({ status: true })
    await service.visitor().post('/send-verification-email', { email: bystander.email })
    const owner = await founder()
    const guest = someone('bob')
    await invite(owner, guest)
    expect([await countOf(bystander.email), await countOf(guest, 'invitation')]).toEqual([2, 1])
  })

  it('at many networks uses up what all together may invite, and no mail of another kind', async () => {
    await newHour()
    const bystander = await service.person()
    const before = await stored('invitation')
    for (let account = 0; account < 10; account += 1) {
      const attacker = await founder()
      for (let time = 0; time < 8; time += 1) await invite(attacker)
    }
    expect((await stored('invitation')) - before).toBe(60)
    await forget(bystander.email)
    await service.visitor().post('/send-verification-email', { email: bystander.email })
    expect(await countOf(bystander.email)).toBe(2)
  })

  it('can use up by no recovery mails what invitations have', async () => {
    await newHour()
    for (let time = 0; time < 25; time += 1) await forget((await service.person()).email)
    const [owner, guest] = [await founder(), someone('bob')]
    await invite(owner, guest)
    expect(await countOf(guest, 'invitation')).toBe(1)
  })
})

describe('a sender of invitations', () => {
  const sent = async (visitor: Visitor, times: number) => {
    const guests = Array.from({ length: times }, () => someone('guest'))
    for (const guest of guests) await invite(visitor, guest)
    return (await Promise.all(guests.map((guest) => countOf(guest)))).reduce((sum, count) => sum + count, 0)
  }

  it('sends so many, and before the own address is verified a few; verifying it begins no new count', async () => {
    await newHour()
    const [ann, bob] = [await founder(), await founder(undefined, false)]
    expect([await sent(ann, 10), await sent(bob, 4)]).toEqual([8, 2])
    await proveAddress(service.deps.sql, bob.email)
    expect(await sent(bob, 10)).toBe(4)
  })

  it('begins no new count by a use that the shorter window counts', async () => {
    await newHour()
    const ann = await founder()
    expect(await sent(ann, 8)).toBe(8)
    await disproveAddress(service.deps.sql, ann.email)
    expect(await sent(ann, 1)).toBe(0)
    await proveAddress(service.deps.sql, ann.email)
    expect(await sent(ann, 2)).toBe(0)
  })
})

it.each([
  ['for verification of a verified address', '/send-verification-email', ''],
  ['for links to a tagged address that nobody has', '/forget-password', '+nobody'],
])('whoever asks %s uses up no recovery mail of its owner', async (_what, path, tag) => {
  await newHour()
  const owner = await verifiedPerson(service)
  const stranger = service.visitor()
  const email = owner.email.replace('@', `${tag}@`)
  for (let time = 0; time < 4; time += 1) await stranger.post(path, { email })
  await forget(owner.email)
  expect(await countOf(owner.email, 'reset-password')).toBe(1)
})

describe('a withheld mail', () => {
  const lines = (of = service) => of.logged.filter(({ msg }) => msg === 'mail withheld')
  const told = async (work: () => Promise<unknown>) => {
    await newHour()
    service.logged.splice(0)
    await work()
    return lines().map(({ level, kind, limit }) => [level, kind, limit])
  }
  const times = async (count: number, work: (index: number) => Promise<unknown>) => {
    for (let index = 0; index < count; index += 1) await work(index)
  }

  it('to one mailbox is one line at warn, of its kind and limit; an address that nobody has is none', async () => {
    const { email } = await service.person()
    expect(await told(() => times(4, () => forget(email)))).toEqual([[40, 'reset-password', 'mailsToAddress']])
    expect(await told(() => times(6, () => forget(someone())))).toEqual([])
  })

  it('over a day', async () => {
    const { email } = await service.person()
    const { keys, sql } = service.deps
    const daily = keys.limit.sign(`mail-to-daily:reset-password:${email}`)
    const work = async () => {
      await forget(email)
      await sql`update rate_limits set count = 10 where key = ${daily}`
      await forget(email)
    }
    expect(await told(work)).toEqual([[40, 'reset-password', 'mailsToAddressDaily']])
  })

  it('of a network', async () => {
    const people = [await service.person(), await service.person(), await service.person()]
    const work = () => times(5, (index) => forget(people[index % 3]!.email, service.visitor('198.51.100.61')))
    expect(await told(work)).toEqual([[40, 'reset-password', 'mailsFromNetwork']])
  })

  it('of all together', async () => {
    const people: string[] = []
    await times(21, async () => people.push((await service.person()).email))
    expect(await told(() => times(21, (index) => forget(people[index]!)))).toEqual([
      [40, 'reset-password', 'mailsInAll'],
    ])
  })

  it('of an invitation, by whichever limit', async () => {
    const [ann, bob, guest] = [await founder(), await founder(undefined, false), someone('guest')]
    expect(await told(() => times(9, () => invite(ann)))).toEqual([[40, 'invitation', 'invitationsByUser']])
    expect(await told(() => times(3, () => invite(bob)))).toEqual([[40, 'invitation', 'invitationsByUnverified']])
    const again = () => done(ann.post('/organization/invite-member', { email: guest, role: 'member', resend: true }))
    expect(await told(() => times(4, again))).toEqual([[40, 'invitation', 'mailsToAddress']])
  })

  const password = 'a wholly other passphrase'
  const tagged = (name: string) => (index: number) => `${name}+${index}@example.com`
  type Flow = () => Promise<(index: number) => Promise<unknown>>
  const flows: [name: string, kind: string, flow: Flow][] = [
    [
      'a sign-up with a taken address',
      'sign-up-again',
      async () => {
        const { email } = await service.person()
        return () => strict.visitor().post('/sign-up/email', { email, name: 'Ann', password })
      },
    ],
    [
      'a sign-up',
      'verify-email',
      async () => {
        const email = tagged(randomUUID())
        return (index) => strict.visitor().post('/sign-up/email', { email: email(index), name: 'Ann', password })
      },
    ],
    [
      'a sign-in before the address is verified',
      'verify-email',
      async () => {
        const { email } = await service.person()
        return () => strict.visitor().post('/sign-in/email', { email, password: testPassword })
      },
    ],
    [
      'a change of the address',
      'change-email',
      async () => {
        const ann = await verifiedPerson(service)
        return () => strict.copyOf(ann).post('/change-email', { newEmail: someone() })
      },
    ],
    [
      'a change of an address that was never verified',
      'verify-email',
      async () => {
        const [ann, email] = [await service.person(), tagged(randomUUID())]
        return (index) => strict.copyOf(ann).post('/change-email', { newEmail: email(index) })
      },
    ],
    [
      'a deletion',
      'delete-account',
      async () => {
        const ann = await verifiedPerson(service)
        return () => strict.copyOf(ann).post('/delete-user')
      },
    ],
  ]

  it.each(flows)('of %s', async (_name, kind, flow) => {
    const ask = await flow()
    await newHour()
    strict.logged.splice(0)
    await times(4, ask)
    expect(lines(strict).map(({ level, kind: told, limit }) => [level, told, limit])).toEqual([
      [40, kind, 'mailsToAddress'],
    ])
  })

  it('names nobody: no address, no network', async () => {
    const { email } = await service.person()
    await told(() => times(5, () => forget(email, service.visitor('198.51.100.62'))))
    expect(lines().map((line) => Object.keys(line).toSorted())).toEqual(
      Array(lines().length).fill(['kind', 'level', 'limit', 'msg', 'time']),
    )
    expect(lines().length).toBeGreaterThan(0)
    expect(JSON.stringify(lines())).not.toMatch(/example\.com|198\.51/)
  })
})

describe('where no mail can leave', () => {
  it('none is withheld: whoever tries the flows sees all of them', async () => {
    const fresh = await createTestService({ RATE_LIMIT: 'on' }, { limits: { mailCalls: { max: 1000 } } })
    const firm = await found(fresh)
    const { email } = await fresh.person()
    const visitor = fresh.visitor()
    for (let time = 0; time < 25; time += 1) {
      await visitor.post('/forget-password', { email })
      await firm.invite(email, 'member', { resend: true })
    }
    expect((await mailsTo(fresh, email)).length).toBe(50)
    expect(fresh.logged.filter(({ msg }) => msg === 'mail withheld')).toEqual([])
    await fresh.stop()
  })

  it.each([
    ['with SMTP_URL', { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' }],
    ['in production', { NODE_ENV: 'production', BASE_URL: 'https://id.example.com' }],
  ])('ends %s', async (_name, settings) => {
    const sending = await createTestService({ RATE_LIMIT: 'on', ...settings })
    const { email } = await sending.person()
    for (let time = 0; time < 5; time += 1) await sending.visitor().post('/forget-password', { email })
    expect(await mailsTo(sending, email)).toHaveLength(3)
    await sending.stop()
  })

  it('ends with a sendMail of one’s own', async () => {
    const plain = await createTestService({ RATE_LIMIT: 'on' })
    const sending = await withHooks(plain, { sendMail: () => undefined })
    const { email } = await sending.person()
    for (let time = 0; time < 5; time += 1) await sending.visitor().post('/forget-password', { email })
    expect(await mailsTo(sending, email)).toHaveLength(3)
    await plain.stop()
  })
})
