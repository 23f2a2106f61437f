import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signLinkToken } from '../../crypto/link-token.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { canSignIn, isSignedIn, linkTo, mailsTo, open, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { ageSessions, countRows } from '../../testing/rows.ts'
import { limited, testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

// Limits on: the mails of a change share counters, and every person here has an address of their own.
const service = useTestService(limited)

const fresh = () => `new-${randomUUID()}@example.com`
type Person = Visitor & { email: string }

/** Somebody with a verified address who asked for another one. */
async function changing(to = fresh(), callbackURL?: string) {
  const person = await verifiedPerson(service)
  expect(await person.post('/change-email', { newEmail: to, callbackURL })).toMatchObject({
    status: 200,
    body: { status: true },
  })
  return { person, to, link: await linkTo(service, person.email, 'change-email') }
}

const confirm = (person: Person, token: string) => person.get(`/verify-email?token=${token}`)

describe('a verified address', () => {
  it('stays until its owner agrees: the mail goes there, and nothing to the new one', async () => {
    const { person, to, link } = await changing()
    expect(link.text).toContain(to)
    expect(await userOf(service, person.email)).toMatchObject({ emailVerified: true })
    expect(await mailsTo(service, to)).toEqual([])
  })

  it('is replaced by the link, unverified; the new one gets a link, the old one a notice', async () => {
    const { person, to, link } = await changing()
    const { id } = await userOf(service, person.email)
    const { status, body, setCookies } = await confirm(person, link.token)
    expect([status, body]).toEqual([
      200,
      { status: true, user: expect.objectContaining({ id, email: to, emailVerified: false }) },
    ])
    expect(setCookies.some((line) => line.startsWith('postern.session_token='))).toBe(true)
    expect((await mailsTo(service, to)).map(({ kind }) => kind)).toEqual(['verify-email'])
    const [notice] = await mailsTo(service, person.email, 'email-changed')
    expect(notice?.text).toContain(to)
    expect((await open(service, service.visitor(), (await linkTo(service, to, 'verify-email')).url)).status).toBe(302)
    expect(await userOf(service, to)).toMatchObject({ id, emailVerified: true })
    expect([await canSignIn(service, to), await canSignIn(service, person.email)]).toEqual([true, false])
    expect(await isSignedIn(person)).toBe(true)
  })

  it('changes in one statement beside those that read', async () => {
    const { person, link } = await changing()
    service.statements.forget()
    await confirm(person, link.token)
    const writes = service.statements.list.filter((statement) => /\b(?:insert|update|delete)\b/.test(statement))
    expect(writes).toHaveLength(1)
  })

  it('leads back to the page of the caller, by the mail to the new address too', async () => {
    const { person, to, link } = await changing(fresh(), '/done?x=1')
    expect((await open(service, person, link.url)).headers.get('location')).toBe('/done?x=1')
    const { url } = await linkTo(service, to, 'verify-email')
    expect(new URL(url).searchParams.get('callbackURL')).toBe('/done?x=1')
    expect((await open(service, person, link.url)).headers.get('location')).toBe('/done?x=1&error=user_not_found')
  })

  it('leads to a page of ours where the caller named none: each mail to its own', async () => {
    const { person, to, link } = await changing()
    await open(service, person, link.url)
    const links = [link, await linkTo(service, to, 'verify-email')]
    expect(links.map(({ url }) => new URL(url).searchParams.get('callbackURL')?.split('/page/')[1])).toEqual([
      'email-changed',
      'verified',
    ])
  })

  it('stays when the link is opened without a session, or in that of somebody else', async () => {
    const { person, to, link } = await changing()
    const bob = await service.person()
    for (const visitor of [service.visitor(), bob]) {
      const { status, body } = await visitor.get(`/verify-email?token=${link.token}`)
      expect([status, body]).toEqual([401, { code: 'UNAUTHORIZED', message: 'unauthorized' }])
    }
    const { headers } = await bob.get(`/verify-email?token=${link.token}&callbackURL=/done?x=1`)
    expect(headers.get('location')).toBe('/done?x=1&error=unauthorized')
    expect((await confirm(person, link.token)).body.user.email).toBe(to)
  })

  it('agrees to one new address alone: links asked for before are dead', async () => {
    const { person, link } = await changing()
    const second = fresh()
    await person.post('/change-email', { newEmail: second })
    await confirm(person, (await linkTo(service, person.email, 'change-email')).token)
    expect((await confirm(person, link.token)).status).toBe(401)
    expect((await userOf(service, second)).email).toBe(second)
  })

  it('takes every other mailed token along when it goes, so that no old mailbox keeps a way in', async () => {
    const { person, to, link } = await changing()
    await service.visitor().post('/forget-password', { email: person.email })
    const { token } = await linkTo(service, person.email, 'reset-password')
    await confirm(person, link.token)
    const reply = await service
      .visitor()
      .post('/reset-password', { token, newPassword: 'another horse battery staple' })
    expect(reply.body.code).toBe('INVALID_TOKEN')
    expect(await canSignIn(service, to)).toBe(true)
  })

  it('goes to the address that its link was made for, even if our own key signed another', async () => {
    const { person, link } = await changing()
    const [, body = ''] = link.token.split('.')
    const { jti, sub: userId } = JSON.parse(Buffer.from(body, 'base64url').toString())
    const claims = { purpose: 'change-email', jti, userId, email: person.email, updateTo: fresh() } as const
    const token = await signLinkToken(service.deps.keys.mail, claims, 60, new Date())
    expect((await confirm(person, token)).body.code).toBe('INVALID_TOKEN')
  })

  it('cannot be asked when nothing verifies addresses', async () => {
    const off = await service.sibling({ VERIFICATION_EMAIL: 'off', REQUIRE_EMAIL_VERIFICATION: 'off' })
    const person = await verifiedPerson(off)
    expect((await person.post('/change-email', { newEmail: fresh() })).body.message).toBe(
      "Verification email isn't enabled",
    )
  })
})

describe('an address that never was verified', () => {
  it('is replaced at once, and the new one gets a link', async () => {
    const person = await service.person()
    const to = fresh()
    await service.visitor().post('/send-verification-email', { email: person.email })
    const old = await linkTo(service, person.email, 'verify-email')
    const { status, setCookies } = await person.post('/change-email', { newEmail: to.toUpperCase() })
    expect([status, setCookies.length > 0]).toEqual([200, true])
    expect(await userOf(service, to)).toMatchObject({ emailVerified: false })
    expect((await mailsTo(service, to)).map(({ kind }) => kind)).toEqual(['verify-email'])
    expect((await service.visitor().get(`/verify-email?token=${old.token}`)).body.code).toBe('USER_NOT_FOUND')
    expect((await person.get('/get-session')).body.user.email).toBe(to)
  })
})

it('a session that is ended meanwhile changes no address: who has that can reset the password', async () => {
  const person = await service.person()
  const { id } = await userOf(service, person.email)
  let asked: Promise<Reply> | undefined
  await service.deps.sql.begin(async (tx) => {
    await tx`select from users where id = ${id} for no key update`
    asked = person.post('/change-email', { newEmail: fresh() })
    await untilWaiting(service)
    await tx`delete from sessions where user_id = ${id}`
  })
  expect([(await asked)?.status, await userOf(service, person.email)]).toMatchObject([401, { id }])
})

describe('a new address', () => {
  it('that somebody has is refused, in any case of letters; so is the own one and no address', async () => {
    const bob = await service.person()
    const ann = await verifiedPerson(service)
    const refusal = async (newEmail: string) => (await ann.post('/change-email', { newEmail })).body.message
    expect(await refusal(bob.email.toUpperCase())).toBe("Couldn't update your email")
    expect(await refusal(ann.email.toUpperCase())).toBe('Email is the same')
    expect(await refusal('ann@localhost')).toBe('Invalid email')
  })

  it('that somebody has is told to clients of 1.7 by the mailed link alone, unless the change is made at once', async () => {
    const newer = await service.sibling({ CLIENT_API: '1.7' })
    const newEmail = (await service.person()).email
    const ann = await verifiedPerson(service)
    expect((await newer.copyOf(ann).post('/change-email', { newEmail })).body).toEqual({ status: true })
    const { token } = await linkTo(service, ann.email, 'change-email')
    expect((await confirm(ann, token)).body.message).toBe("Couldn't update your email")
    const cy = newer.copyOf(await service.person())
    expect((await cy.post('/change-email', { newEmail })).status).toBe(400)
  })

  it('that two ask for goes to whoever comes first; the other is told, not failed', async () => {
    const to = fresh()
    const [ann, bob] = [await changing(to), await changing(to)]
    expect((await confirm(ann.person, ann.link.token)).status).toBe(200)
    const before = await countRows(service)
    const late = await confirm(bob.person, bob.link.token)
    expect([late.status, late.body.message]).toEqual([400, "Couldn't update your email"])
    const { headers } = await bob.person.get(`/verify-email?token=${bob.link.token}&callbackURL=/done`)
    expect(headers.get('location')).toBe('/done?error=couldnt_update_your_email')
    expect(await countRows(service)).toEqual(before)
    expect(await userOf(service, bob.person.email)).toMatchObject({ emailVerified: true })
  })

  it('can be asked for five times an hour: a signed-in user learns no more addresses than that', async () => {
    const ann = await verifiedPerson(service)
    const { email } = await service.person()
    for (let time = 0; time < 5; time += 1)
      expect((await ann.post('/change-email', { newEmail: email })).status).toBe(400)
    expect((await ann.post('/change-email', { newEmail: email })).status).toBe(429)
  })
})

describe('a session', () => {
  const day = 86_400

  it('older than the fresh age cannot change the address, however active it is', async () => {
    const ann = await verifiedPerson(service)
    await ageSessions(service, ann.email, 2 * day)
    await ann.get('/get-session')
    await ann.post('/update-user', { name: 'Anna' })
    const reply = await ann.post('/change-email', { newEmail: fresh() })
    expect([reply.status, reply.body.message]).toEqual([403, 'Session is not fresh'])
    expect(await mailsTo(service, ann.email)).toEqual([])
  })

  it('is fresh again after a sign-in, and always with SESSION_FRESH_AGE=0', async () => {
    const ann = await verifiedPerson(service)
    await ageSessions(service, ann.email, 2 * day)
    const always = await service.sibling({ SESSION_FRESH_AGE: '0' })
    const same = always.copyOf(ann)
    expect((await same.post('/change-email', { newEmail: fresh() })).status).toBe(200)
    await ann.post('/sign-in/email', { email: ann.email, password: testPassword })
    expect((await ann.post('/change-email', { newEmail: fresh() })).status).toBe(200)
  })
})
