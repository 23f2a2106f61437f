import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  canSignIn,
  isSignedIn,
  linkTo,
  mailsTo,
  open,
  userOf,
  verifiedPerson,
  withHooks,
} from '../../testing/mailed.ts'
import { won } from '../../testing/races.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import { cookieHeader, type Reply, type Visitor } from '../../testing/visitor.ts'

const service = useTestService({ RATE_LIMIT: 'on', DATABASE_POOL: '2' })
/** Addresses have to be verified here. */
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))

const fresh = () => `new-${randomUUID()}@example.com`
type Person = Visitor & { email: string }

/** The same person where addresses have to be verified. */
const there = (person: Person, at = strict): Person => ({ ...at.copyOf(person), email: person.email })
const verified = async () => there(await verifiedPerson(service))
const unverified = async () => there(await service.person())

/** All of an answer that could tell something, and what it cost. */
async function observe(person: Person, to: string, ask: () => Promise<Reply>) {
  strict.statements.forget()
  const { status, text, headers, setCookies } = await ask()
  const told = (value: string) => value.replaceAll(person.email, 'old').replaceAll(to, 'new')
  return {
    status,
    text: told(text).replaceAll(/"(?:id|createdAt|updatedAt)":"[^"]*"/g, '""'),
    headers: [...headers.keys()].filter((name) => name !== 'content-length').toSorted(),
    cookies: setCookies.map((line) => line.replace(/=[^;]*/, '=').replace(/Max-Age=\d+/, 'Max-Age')),
    statements: strict.statements.list.length,
  }
}

const kindsTo = async (email: string) => (await mailsTo(service, email)).map(({ kind }) => kind)

/** Everything that somebody sees who asks for an address that may be taken: answers, their mailbox, their session. */
async function probe(person: Person, to: string) {
  const seen: unknown[] = [
    await observe(person, to, () => person.post('/change-email', { newEmail: to.toUpperCase() })),
    await kindsTo(person.email),
  ]
  const links = (await mailsTo(service, person.email, 'change-email')).map(({ url }) => url ?? '')
  for (const url of links) {
    seen.push(await observe(person, to, () => person.get(url.replace(/&callbackURL=.*/, ''))))
    seen.push(await observe(person, to, () => open(strict, person, url)))
    seen.push(await kindsTo(person.email))
  }
  const { user } = (await person.get('/get-session')).body
  seen.push([user.email === person.email, user.emailVerified])
  seen.push(await observe(person, to, () => strict.visitor().post('/sign-in/email', { email: to, password: 'wrong' })))
  return seen
}

describe.each([
  ['a verified address', verified],
  ['an address that never was verified', unverified],
])('a change of %s', (_name, make) => {
  it('tells nobody whether the new address is taken: only its mailbox is told', async () => {
    const [taken, free] = [(await verifiedPerson(service)).email, fresh()]
    const [one, other] = [await make(), await make()]
    const [seenTaken, seenFree] = [await probe(one, taken), await probe(other, free)]
    expect(seenTaken).toEqual(seenFree)
    expect(seenFree[0]).toMatchObject({ status: 200, text: '{"status":true}' })
    expect([await kindsTo(taken), await kindsTo(free)]).toEqual([['sign-up-again'], ['verify-email']])
    expect(await canSignIn(service, taken)).toBe(true)
  })

  it('happens by the link in the mail to the new address, in the session that asked, verified at once', async () => {
    const person = await make()
    const to = fresh()
    await person.post('/change-email', { newEmail: to })
    for (const { url } of await mailsTo(service, person.email, 'change-email')) await open(strict, person, url ?? '')
    const { token, url } = await linkTo(service, to, 'verify-email')
    const bob = await verified()
    for (const visitor of [strict.visitor(), bob])
      expect((await visitor.get(`/verify-email?token=${token}`)).body).toEqual({
        code: 'UNAUTHORIZED',
        message: 'unauthorized',
      })
    expect((await open(strict, bob, url)).headers.get('location')).toMatch(/page\/verified\?error=unauthorized$/)
    const { status, body, setCookies } = await person.get(`/verify-email?token=${token}`)
    expect([status, body.user]).toMatchObject([200, { email: to, emailVerified: true }])
    expect(setCookies.some((line) => line.startsWith('postern.session_token='))).toBe(true)
    expect(await kindsTo(person.email)).toContain('email-changed')
    expect(await kindsTo(to)).toEqual([])
    expect([await canSignIn(strict, to), await canSignIn(strict, person.email), await isSignedIn(person)]).toEqual([
      true,
      false,
      true,
    ])
    expect((await person.get(`/verify-email?token=${token}`)).body.user.email).toBe(to)
    await person.post('/change-email', { newEmail: fresh() })
    expect((await strict.visitor().get(`/verify-email?token=${token}`)).status).toBe(401)
  })

  it('is refused to the owner of the new mailbox alone when somebody takes the address meanwhile', async () => {
    const person = await make()
    const to = fresh()
    await person.post('/change-email', { newEmail: to })
    for (const { url } of await mailsTo(service, person.email, 'change-email')) await open(strict, person, url ?? '')
    const { token } = await linkTo(service, to, 'verify-email')
    await service.person({ email: to })
    expect((await person.get(`/verify-email?token=${token}`)).body.message).toBe("Couldn't update your email")
    expect((await person.get('/get-session')).body.user.email).toBe(person.email)
  })
})

const earlier = 'earlier@example.com'

/** Adds an account at Google that proved the address, and one at Acme that proved an earlier one only. */
const addAccounts = ({ email }: Person) => service.deps.sql`
  insert into accounts (id, user_id, provider_id, account_id, mailbox_proof, mailbox_proven_at, proven_email)
  select p.id || u.id, u.id, p.id, p.id || u.id, 'provider', now(), p.email
  from users u, (values ('google', ${email}), ('acme', ${earlier})) as p (id, email) where u.email = ${email}
`

/** Another session, which began with none of the accounts. */
async function anotherSession({ email }: Person, provenEmail: string | null) {
  const visitor = strict.visitor()
  await visitor.post('/sign-in/email', { email, password: testPassword })
  const { id } = (await visitor.get('/get-session')).body.session
  await service.deps.sql`update sessions set account_id = null, proven_email = ${provenEmail} where id = ${id}`
  return visitor
}

it.each([
  ['proved the old address keeps what others have proved', undefined, ['credential', 'google'], [true, true, false]],
  ['proved an earlier one only proves its own way in alone', 'acme', ['acme'], [true, false, false]],
  ['proved an earlier one only and has no way in proves itself alone', null, [], [true, false, false]],
])('a session that changes the address and %s', async (_name, unproven, accounts, sessions) => {
  const { sql } = service.deps
  const person = await verified()
  await addAccounts(person)
  const [phone, tablet] = [await anotherSession(person, person.email), await anotherSession(person, null)]
  const { id } = (await person.get('/get-session')).body.session
  if (unproven !== undefined)
    await sql`update sessions set account_id = ${unproven}::text || user_id, proven_email = ${earlier} where id = ${id}`
  const to = fresh()
  await person.post('/change-email', { newEmail: to })
  await open(strict, person, (await linkTo(service, person.email, 'change-email')).url)
  await open(strict, person, (await linkTo(service, to, 'verify-email')).url)
  const rows = await sql`
    select provider_id, proven_email from accounts
    where user_id = ${(await userOf(service, to)).id} and proven_email is not null order by 1
  `
  // No proof of the old address stays, which would count again for whoever comes back to it.
  expect(rows).toEqual(accounts.map((providerId) => ({ providerId, provenEmail: to })))
  const told = [person, phone, tablet].map(async (one) => (await one.get('/get-session')).body.session.addressProven)
  expect(await Promise.all(told)).toEqual(sessions)
})

it('the link of the old address agrees once, and to the address that it was made for', async () => {
  const person = await verified()
  const to = fresh()
  await person.post('/change-email', { newEmail: to })
  const { token } = await linkTo(service, person.email, 'change-email')
  const opened = await Promise.all([1, 2, 3, 4].map(() => person.get(`/verify-email?token=${token}`)))
  expect([won(opened), opened.length]).toEqual([1, 4])
  expect(await kindsTo(to)).toEqual(['verify-email'])
})

it('the function of the config file is told of the address that is verified by its change', async () => {
  const told: string[] = []
  const hooked = await withHooks(
    service,
    { afterVerifyEmail: ({ email }) => void told.push(email) },
    { REQUIRE_EMAIL_VERIFICATION: 'on' },
  )
  const person = there(await service.person(), hooked)
  expect(cookieHeader(person.cookies)).toContain('session_token')
  const to = fresh()
  await person.post('/change-email', { newEmail: to })
  await person.get(`/verify-email?token=${(await linkTo(service, to, 'verify-email')).token}`)
  expect(told).toEqual([to])
})
