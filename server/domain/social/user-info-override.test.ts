import { describe, expect, it } from 'vitest'
import { adminOf, somebody } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { linkTo, mailsTo } from '../../testing/mailed.ts'
import { type Person, startOpenIdProvider } from '../../testing/openid-provider.ts'
import { done } from '../../testing/organizations.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { callbackOf, idTokenOf, locationOf, personAt, signInAt } from '../../testing/social.ts'
import { useMade, useStarted, useTestService } from '../../testing/use-service.ts'

const provider = useStarted(startOpenIdProvider)
const off = useTestService(() => ({ ...provider.settings('GOOGLE'), ...provider.settings('OIDC_ACME') }))
const service = useMade(() => off.sibling({ GOOGLE_OVERRIDE_USER_INFO: 'on', OIDC_ACME_OVERRIDE_USER_INFO: 'on' }))

const picture = 'https://example.com/ann.png'

/** Somebody who has signed in once. */
async function known(fields: Partial<Person> = {}, id = 'google') {
  const person = personAt({ picture, ...fields })
  const visitor = off.visitor()
  await signInAt(provider, visitor, person, { provider: id })
  const { user } = (await visitor.get('/get-session')).body
  return { person, visitor, id: user.id as string, email: person.email as string }
}

/** Signs in; what is then stored of whoever signed in. */
async function comesAgain(at: TestService, person: Person, id = 'google') {
  const visitor = at.visitor()
  expect(locationOf(await signInAt(provider, visitor, person, { provider: id }))).toBe('/home')
  return (await visitor.get('/get-session')).body.user
}

const rowOf = async (id: string) => {
  const [row] = await off.deps.sql`select email, name, image, email_verified from users where id = ${id}`
  return row
}

const other = () => personAt().email as string
const changed = { name: 'Anna', picture: 'https://example.com/anna.png' }

describe('a user who comes again', () => {
  it('stays what it was where the switch is off, whatever the provider says', async () => {
    const { person, id } = await known()
    const before = await rowOf(id)
    await comesAgain(off, { ...person, ...changed, email_verified: true })
    await comesAgain(off, { ...person, ...changed, email: other(), email_verified: true })
    expect(await rowOf(id)).toEqual(before)
  })

  it('gets the name and the picture of today, in no statement more', async () => {
    const { person, id, email } = await known()
    const visitor = service.visitor()
    const begun = await visitor.post('/sign-in/social', { provider: 'google', callbackURL: '/home' })
    const back = callbackOf(await provider.visit(begun.body.url, { ...person, ...changed }))
    service.statements.forget()
    expect(locationOf(await visitor.get(back))).toBe('/home')
    expect(service.statements.list).toHaveLength(3)
    expect(await rowOf(id)).toEqual({ email, name: 'Anna', image: changed.picture, emailVerified: true })
  })

  it('keeps the address that makes them the last administrator, and signs in', async () => {
    const { person, email } = await known()
    const named = await service.sibling({ ADMIN_EMAILS: email })
    expect(await comesAgain(named, { ...person, ...changed, email: other() })).toMatchObject({ name: 'Anna', email })
    expect(await mailsTo(named, email, 'email-changed')).toEqual([])
    await adminOf(named)
    expect((await comesAgain(named, { ...person, email: other() })).email).not.toBe(email)
  })

  it('of two administrators by their addresses who move at the same moment, one stays', enough, async () => {
    const alone = await createTestService({ ...provider.settings('GOOGLE'), GOOGLE_OVERRIDE_USER_INFO: 'on' })
    for (let round = 0; round < rounds; round++) {
      const people = [personAt(), personAt()]
      for (const person of people) await signInAt(provider, alone.visitor(), person)
      const named = await alone.sibling({ ADMIN_EMAILS: people.map(({ email }) => email).join(',') })
      await Promise.all(people.map((person) => comesAgain(named, { ...person, email: other() })))
      const left = await alone.deps
        .sql`select from users where email = any(${people.map(({ email }) => email as string)})`
      expect(left).toHaveLength(1)
    }
    await alone.stop()
  })

  it('no longer acts as others when only the old address made them an administrator', async () => {
    const { person, visitor, id, email } = await known()
    const named = await service.sibling({ ADMIN_EMAILS: email, COOKIE_CACHE: 'on' })
    await adminOf(named)
    const [user, acting] = [await somebody(named), named.visitor()]
    for (const [name, value] of visitor.cookies) acting.cookies.set(name, value)
    await done(acting.post('/admin/impersonate-user', { userId: user.id }))
    const actsAs = async () => (await acting.get('/get-session')).body?.session.impersonatedBy ?? null
    await comesAgain(named, { ...person, name: 'Anna' })
    expect(await actsAs()).toBe(id)
    await comesAgain(named, { ...person, email: other() })
    expect(await actsAs()).toBeNull()
    expect(await off.deps.sql`select from sessions where impersonated_by = ${id}`).toHaveLength(0)
  })

  it('is acted as by nobody any more once the new address makes them an administrator', async () => {
    const [{ person, id }, next, acting] = [await known(), other(), await adminOf(service)]
    const named = await service.sibling({ ADMIN_EMAILS: next })
    await done(acting.post('/admin/impersonate-user', { userId: id }))
    const actedAs = () => off.deps.sql`select from sessions where user_id = ${id} and impersonated_by is not null`
    await comesAgain(named, { ...person, name: 'Anna' })
    expect(await actedAs()).toHaveLength(1)
    await comesAgain(named, { ...person, email: next })
    expect(await actedAs()).toHaveLength(0)
  })

  it('keeps the name where the provider tells none, and has no picture where it has none', async () => {
    const { person } = await known()
    expect(await comesAgain(service, { ...person, name: undefined, picture: undefined })).toMatchObject({
      name: 'Ann',
      image: null,
    })
  })

  it('is not written where nothing is new', async () => {
    const { person, id } = await known()
    const version = () => off.deps.sql`select xmin::text, updated_at from users where id = ${id}`
    const before = await version()
    await comesAgain(service, person)
    expect(await version()).toEqual(before)
  })

  it.each([
    ['google', false, false, false],
    ['google', false, true, true],
    ['google', true, false, true],
    ['google', true, true, true],
    ['acme', false, false, false],
    ['acme', false, true, false],
    ['acme', true, false, false],
    ['acme', true, true, false],
  ])(
    'at %s with the same address, stated as verified %s and %s, counts as verified: %s',
    async (at, first, then, is) => {
      const { person, email } = await known({ email_verified: first }, at)
      const user = await comesAgain(service, { ...person, email_verified: then }, at)
      expect(user).toMatchObject({ email, emailVerified: is })
      expect(await mailsTo(service, email, 'email-changed')).toEqual([])
    },
  )

  it('needs no link any more that was to prove the address, and keeps the others', async () => {
    const { person, email, id } = await known({ email_verified: false })
    await off.visitor().post('/send-verification-email', { email })
    await off.visitor().post('/forget-password', { email })
    await comesAgain(service, person)
    const kinds = async () => {
      const rows = await off.deps
        .sql`select split_part(identifier, ':', 1) as kind from verifications where user_id = ${id} order by 1`
      return rows.map(({ kind }) => kind)
    }
    expect(await kinds()).toEqual(['reset-password', 'verify-email'])
    await comesAgain(service, { ...person, email_verified: true })
    expect(await kinds()).toEqual(['reset-password'])
  })
})

describe('another address', () => {
  it('that a trusted provider has verified replaces the old one, which is told and opens nothing any more', async () => {
    const { person, id, email: old } = await known()
    await off.visitor().post('/forget-password', { email: old })
    const { token } = await linkTo(off, old, 'reset-password')
    const email = other()
    expect(await comesAgain(service, { ...person, email })).toMatchObject({ id, email, emailVerified: true })
    expect(await mailsTo(service, old, 'email-changed')).toMatchObject([{ to: old }])
    const newPassword = 'another horse battery staple'
    expect((await off.visitor().post('/reset-password', { token, newPassword })).status).toBe(400)
    expect(service.logged.filter(({ event, userId }) => event === 'email-changed' && userId === id)).toHaveLength(1)
    await comesAgain(service, { ...person, email })
    expect(await mailsTo(service, old, 'email-changed')).toHaveLength(1)
  })

  it('is proven by whatever had proved the old one, at once and ever after', async () => {
    const { person, id, email: old } = await known()
    await off.deps.sql`
      insert into accounts (id, user_id, provider_id, account_id, password, mailbox_proof, mailbox_proven_at, proven_email)
      values (${`way-${id}`}, ${id}, 'credential', ${id}, 'x', 'reset', now(), ${old})
    `
    // A session that moved in has no way in of its own.
    await off.deps.sql`
      insert into sessions (id, user_id, token_hash, expires_at, proven_email)
      values (${`moved-${id}`}, ${id}, sha256(${id}), now() + interval '1 day', ${old})
    `
    const email = other()
    const proven = async () => {
      const ways = await off.deps.sql`
        select provider_id, proven_email = ${email} as is_proven from accounts where user_id = ${id} order by 1
      `
      return ways.map(({ providerId, isProven }) => [providerId, isProven])
    }
    for (let time = 0; time < 2; time += 1) {
      await comesAgain(service, { ...person, email })
      expect(await proven()).toEqual([
        ['credential', true],
        ['google', true],
      ])
    }
    const [moved] = await off.deps.sql`select proven_email from sessions where id = ${`moved-${id}`}`
    expect(moved).toEqual({ provenEmail: email })
    expect(await mailsTo(service, email, 'unproven-sign-ins-ended')).toEqual([])
  })

  it('is verified by it, though the old one was not', async () => {
    const { person } = await known({ email_verified: false })
    const email = other()
    const user = await comesAgain(service, { ...person, email, email_verified: true })
    expect(user).toMatchObject({ email, emailVerified: true })
  })

  it.each([
    ['is not verified there', 'google', false, false],
    ['is the word of a provider that we do not trust', 'acme', true, false],
    ['is somebody else’s', 'google', true, true],
  ])('that %s replaces nothing; the sign-in and the rest go on', async (_, at, isVerified, isTaken) => {
    const { person, id, email } = await known({ email_verified: false }, at)
    const there = isTaken ? (await off.person()).email : other()
    const told = { ...person, ...changed, email: there, email_verified: isVerified }
    expect(await comesAgain(service, told, at)).toMatchObject({ id, email, name: 'Anna', emailVerified: false })
    expect(await mailsTo(service, email, 'email-changed')).toEqual([])
  })

  it('that somebody takes at this moment is theirs; the sign-in goes on', async () => {
    const { person, id, email } = await known()
    const there = other()
    let signingIn: ReturnType<typeof comesAgain> | undefined
    await off.deps.sql.begin(async (tx) => {
      await tx`insert into users (id, email, name) values (${`of ${there}`}, ${there}, 'Bob')`
      signingIn = comesAgain(service, { ...person, ...changed, email: there })
      await untilWaiting(service)
    })
    expect(await signingIn).toMatchObject({ id, email, name: 'Anna', image: changed.picture })
    expect(await mailsTo(service, email, 'email-changed')).toEqual([])
  })

  it('does not replace one that the user has changed at this moment', async () => {
    const { person, id } = await known()
    const mine = other()
    let signingIn: ReturnType<typeof comesAgain> | undefined
    await off.deps.sql.begin(async (tx) => {
      await tx`update users set email = ${mine}, email_verified = false where id = ${id}`
      signingIn = comesAgain(service, { ...person, ...changed, email: other() })
      await untilWaiting(service)
    })
    expect(await signingIn).toMatchObject({ id, email: mine, name: 'Anna', emailVerified: false })
  })

  it('of many sign-ins at once is taken once, and all are let in', async () => {
    const { person, email: old } = await known()
    const email = other()
    const users = await Promise.all(Array.from({ length: 6 }, () => comesAgain(service, { ...person, email })))
    expect(new Set(users.map((user) => user.email))).toEqual(new Set([email]))
    expect(await mailsTo(service, old, 'email-changed')).toHaveLength(1)
  })
})

describe('who proves the identity in another way', () => {
  it.each(['an id token', 'one tap'])('by %s changes nothing', async (way) => {
    const { person, id } = await known({ email_verified: false })
    const before = await rowOf(id)
    const { sub } = person
    const token = await idTokenOf(provider, { sub, ...changed, email: other(), email_verified: true })
    const { status, body } =
      way === 'one tap'
        ? await service.visitor().post('/one-tap/callback', { idToken: token })
        : await service.visitor().post('/sign-in/social', { provider: 'google', idToken: { token } })
    expect([status, body.user.id]).toEqual([200, id])
    expect(await rowOf(id)).toEqual(before)
  })
})

it('a sign-in that moves the address ends the session that it replaces, and the oldest over the limit', async () => {
  const [one, another] = [await known(), await known()]
  const limited = await service.sibling({ SESSION_LIMIT: '1' })
  const email = other()
  await signInAt(provider, service.copyOf(one.visitor), { ...one.person, email })
  await comesAgain(limited, { ...another.person, email: `also-${email}` })
  const left = await off.deps.sql`
    select proven_email from sessions where user_id in (${one.id}, ${another.id}) order by proven_email
  `
  expect(left.map(({ provenEmail }) => provenEmail)).toEqual([`also-${email}`, email].toSorted())
})
