import { describe, expect, it } from 'vitest'
import { sweep } from '../../process/sweeper.ts'
import { adminOf } from '../../testing/admins.ts'
import { canSignIn, linkTo, mailsTo, open, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { countSessions } from '../../testing/rows.ts'
import { serviceOn, testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService({ RATE_LIMIT: 'on', DATABASE_POOL: '2' })
/** Addresses have to be verified here. */
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))

const someone = () => `ann-${crypto.randomUUID()}@example.com`
const chosen = 'a wholly other passphrase'
const wrong = 'a passphrase of nobody'

const signUp = (email: string, password = chosen) =>
  strict.visitor().post('/sign-up/email', { email, name: 'Bob', password })
const signIn = (email: string, password = chosen) => strict.visitor().post('/sign-in/email', { email, password })

const databaseTime = async () =>
  (await service.deps.sql<{ now: Date }[]>`select now()::timestamptz(3) as now`)[0]?.now.getTime() ?? Number.NaN

/** All of an answer that could tell something, and what it cost. Ids and times are invented where they have to be. */
async function observe(ask: () => Promise<Reply>) {
  strict.statements.forget()
  const { computed } = strict.deps.passwords
  const { status, text, headers, setCookies } = await ask()
  return {
    status,
    text: text.replaceAll(/"(?:id|email|createdAt|updatedAt)":"[^"]*"/g, '""'),
    headers: [...headers].filter(([name]) => !['x-request-id', 'date', 'content-length', 'set-cookie'].includes(name)),
    // The value is encrypted: of the same length, and another one at each answer.
    setCookies: setCookies.map((line) => line.replace(/=[\w-]{86};/, '=…;')),
    statements: strict.statements.list.length,
    hashes: strict.deps.passwords.computed - computed,
  }
}

/** Who has the address before somebody else signs up with it. */
const before: Record<string, () => Promise<string>> = {
  nobody: () => Promise.resolve(someone()),
  'a verified user': async () => (await verifiedPerson(service)).email,
  'a user who is not verified': async () => (await service.person()).email,
  'a user with whose address somebody else has signed up already': async () => {
    const { email } = await verifiedPerson(service)
    await signUp(email, 'what they had chosen')
    return email
  },
  'a user without a password': async () => {
    const { email } = await verifiedPerson(service)
    await service.deps.sql`delete from accounts where user_id = (select id from users where email = ${email})`
    return email
  },
}

/** What somebody may do to learn which it is. */
const probe = async (email: string) => [
  await observe(() => signUp(email)),
  await observe(() => signIn(email)),
  await observe(() => signIn(email.toUpperCase())),
  await observe(() => signIn(email, wrong)),
  await observe(() => signUp(email, 'one more passphrase')),
  await observe(() => signIn(email, 'one more passphrase')),
  await observe(() => signIn(email)),
  await observe(() => strict.visitor().post('/forget-password', { email })),
  await observe(() => strict.visitor().post('/send-verification-email', { email })),
  await observe(() => signIn(email)),
]

describe('a sign-up and the sign-in after it', () => {
  it.each(Object.entries(before))('tell nobody that %s has the address', async (_name, make) => {
    const [free, other] = [await probe(someone()), await probe(await make())]
    expect(other).toEqual(free)
    expect(free.map(({ status }) => status)).toEqual([200, 403, 403, 401, 200, 403, 403, 200, 200, 403])
    expect(free.slice(1, 4).map(({ statements, hashes }) => [statements, hashes])).toEqual([
      [3, 2],
      [3, 2],
      [3, 2],
    ])
  })

  it.each(Object.entries(before))(
    'count alike where %s has the address: no claim buys more guesses',
    async (_name, make) => {
      const email = await make()
      await signUp(email)
      const statuses: number[] = []
      for (let time = 0; time < 11; time += 1) statuses.push((await signIn(email)).status)
      expect(statuses).toEqual([...Array(10).fill(403), 429])
      expect((await signIn(email, testPassword)).status).toBe(429)
    },
  )

  it('tell nothing later either: what they left is not swept', async () => {
    const { email } = await verifiedPerson(service)
    await signUp(email)
    await service.deps
      .sql`update verifications set created_at = now() - interval '10 years' where identifier like 'sign-up:%'`
    await sweep(service.deps)
    expect((await signIn(email)).body.code).toBe('EMAIL_NOT_VERIFIED')
  })

  it('tell nobody that an administrator has banned who has the address', async () => {
    const { email } = await verifiedPerson(service)
    await signUp(email)
    const before = await observe(() => signIn(email))
    const root = await adminOf(service)
    await root.post('/admin/ban-user', { userId: (await userOf(service, email)).id })
    expect((await signIn(email, testPassword)).body.code).toBe('BANNED_USER')
    expect(await observe(() => signIn(email))).toEqual(before)
  })

  it('help the new user, who gets a link, and the owner, who is told what to do', async () => {
    const [free, { email: taken }] = [someone(), await verifiedPerson(service)]
    for (const email of [free, taken]) {
      await signUp(email)
      expect((await signIn(email)).body).toEqual({ code: 'EMAIL_NOT_VERIFIED', message: 'Email not verified' })
    }
    const kinds = async (email: string) => (await mailsTo(service, email)).map(({ kind }) => kind)
    expect([await kinds(free), await kinds(taken)]).toEqual([
      ['verify-email', 'verify-email'],
      ['sign-up-again', 'sign-up-again'],
    ])
    await open(service, service.visitor(), (await linkTo(service, free, 'verify-email')).url)
    expect((await signIn(free)).status).toBe(200)
  })
})

describe('what is left of a sign-up with a taken address', () => {
  it('signs nobody in, here or where nothing has to be verified, and changes nothing for the owner', async () => {
    const ann = await verifiedPerson(service)
    await signUp(ann.email)
    await signIn(ann.email)
    expect([await canSignIn(service, ann.email, chosen), await canSignIn(strict, ann.email)]).toEqual([false, true])
    expect(await countSessions(service, ann.email)).toBe(2)
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  })

  it('is not readable, nor a hash that stands for the password elsewhere', async () => {
    const [one, other] = [await verifiedPerson(service), await verifiedPerson(service)]
    await signUp(one.email)
    await signUp(other.email)
    const rows = await service.deps.sql<{ identifier: string; value: string; id: string }[]>`
      select v.id, v.identifier, v.value from verifications v join users u on u.id = v.user_id
      where u.email = any(${[one.email, other.email]})
    `
    expect(rows.map(({ identifier }) => identifier.length)).toEqual([51, 51])
    expect(new Set(rows.map(({ identifier }) => identifier)).size).toBe(2)
    expect(JSON.stringify(rows)).not.toContain(chosen)
  })

  it('is kept once, however often and however many at once', async () => {
    const { email } = await verifiedPerson(service)
    await Promise.all([signUp(email), signUp(email), signUp(email)])
    const rows = await service.deps.sql`
      select from verifications v join users u on u.id = v.user_id where u.email = ${email}
    `
    expect(rows).toHaveLength(1)
  })

  it('is gone once the mailbox is proven: by the first link, or by a new password', async () => {
    const fresh = await service.person()
    await signUp(fresh.email)
    await service.visitor().post('/send-verification-email', { email: fresh.email })
    await open(service, service.visitor(), (await linkTo(service, fresh.email, 'verify-email')).url)
    expect((await signIn(fresh.email)).body.code).toBe('INVALID_EMAIL_OR_PASSWORD')
    const { email } = await verifiedPerson(service)
    await signUp(email)
    await service.visitor().post('/forget-password', { email })
    const { token } = await linkTo(service, email, 'reset-password')
    await service.visitor().post('/reset-password', { token, newPassword: 'one more horse battery' })
    expect((await signIn(email)).body.code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  it('answers the time of the database, as for a new user, not that of the service', async () => {
    const { email } = await verifiedPerson(service)
    const late = await serviceOn(
      service.database,
      { REQUIRE_EMAIL_VERIFICATION: 'on' },
      { now: () => new Date(Date.now() - 60_000) },
    )
    const before = await databaseTime()
    const { body } = await late.visitor().post('/sign-up/email', { email, name: 'Bob', password: chosen })
    await late.stop()
    expect(new Date(body.user.createdAt).getTime()).toBeGreaterThanOrEqual(before)
  })

  it('is gone with the user', async () => {
    const ann = await verifiedPerson(service)
    await signUp(ann.email)
    await ann.post('/delete-user')
    expect((await signIn(ann.email)).body.code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })
})
