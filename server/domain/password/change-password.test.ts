import { describe, expect, it } from 'vitest'
import { createSessionToken } from '../../crypto/token.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { canSignIn, isSignedIn, linkTo, mailsTo } from '../../testing/mailed.ts'
import { ageSessions, countSessions } from '../../testing/rows.ts'
import { testPassword, testServiceKey } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const another = 'another horse battery staple'
const day = 86_400

const service = useTestService()
const limited = useMade(() => service.sibling({ RATE_LIMIT: 'on' }))

const change = (visitor: Visitor, fields: object = {}) =>
  visitor.post('/change-password', { currentPassword: testPassword, newPassword: another, ...fields })

/** Somebody who is signed in here and on a phone. */
async function withPhone(rememberMe = true) {
  const ann = await service.person()
  const phone = service.visitor()
  await phone.post('/sign-in/email', { email: ann.email, password: testPassword })
  await ann.post('/sign-in/email', { email: ann.email, password: testPassword, rememberMe })
  return { ann, phone }
}

describe('a change of the password', () => {
  it('leaves every session as it is, and answers no token', async () => {
    const { ann, phone } = await withPhone()
    const { status, body, setCookies } = await change(ann)
    expect([status, body.token, body.user.email, setCookies]).toEqual([200, null, ann.email, []])
    expect([await isSignedIn(ann), await isSignedIn(phone)]).toEqual([true, true])
    expect([await canSignIn(service, ann.email), await canSignIn(service, ann.email, another)]).toEqual([false, true])
    expect(await mailsTo(service, ann.email, 'password-changed')).toHaveLength(1)
  })

  it('changes nothing when its session is ended meanwhile', async () => {
    const { ann } = await withPhone()
    let changing: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      const [row] = await tx`select id from users where email = ${ann.email} for update`
      changing = change(ann)
      await untilWaiting(service)
      await tx`delete from sessions where user_id = ${row?.id}`
    })
    expect([(await changing)?.status, await canSignIn(service, ann.email)]).toEqual([400, true])
  })

  it('ends every session on request, the own one too, and gives its caller a new one', async () => {
    const { ann, phone } = await withPhone()
    const before = service.copyOf(ann)
    const { body } = await change(ann, { revokeOtherSessions: true })
    expect([await isSignedIn(phone), await isSignedIn(before), await isSignedIn(ann)]).toEqual([false, false, true])
    expect(await countSessions(service, ann.email)).toBe(1)
    const terminal = service.visitor()
    const reply = await terminal.get('/get-session', { authorization: `Bearer ${body.token}` })
    expect(reply.body.user.email).toBe(ann.email)
  })

  it('keeps a session that shall not be remembered so', async () => {
    const { ann } = await withPhone(false)
    const { setCookies } = await change(ann, { revokeOtherSessions: true })
    expect(setCookies.map((line) => /Max-Age=/.test(line))).toEqual([false, false])
    const [row] = await service.deps.sql`
      select s.remembered, s.expires_at < now() + interval '25 hours' as brief
      from sessions s join users u on u.id = s.user_id where u.email = ${ann.email}
    `
    expect(row).toEqual({ remembered: false, brief: true })
  })

  it('kills the reset links that are under way', async () => {
    const { ann } = await withPhone()
    await service.visitor().post('/forget-password', { email: ann.email })
    const { token } = await linkTo(service, ann.email, 'reset-password')
    await change(ann)
    const reply = await service.visitor().post('/reset-password', { token, newPassword: testPassword })
    expect(reply.body.code).toBe('INVALID_TOKEN')
  })

  it.each([true, false])('makes an old session fresh again: it proved who asks (ends others: %s)', async (ends) => {
    const ann = await service.person()
    await ageSessions(service, ann.email, 2 * day)
    expect((await ann.post('/change-email', { newEmail: `a-${ann.email}` })).status).toBe(403)
    await change(ann, { revokeOtherSessions: ends })
    expect((await ann.post('/change-email', { newEmail: `a-${ann.email}` })).status).toBe(200)
  })

  it('writes in one statement of four, and takes two hashes', async () => {
    const ann = await service.person()
    service.statements.forget()
    const { computed } = service.deps.passwords
    await change(ann)
    expect(
      service.statements.list.filter((text) => /\b(?:insert into|update accounts|delete from) /.test(text)),
    ).toHaveLength(1)
    expect([service.statements.list.length, service.deps.passwords.computed - computed]).toEqual([4, 2])
  })

  it('is refused with a wrong password, a too short one first, and without one to change', async () => {
    const ann = await service.person()
    const code = async (fields: object) => (await change(ann, fields)).body.code
    expect(await code({ currentPassword: another })).toBe('INVALID_PASSWORD')
    expect(await code({ currentPassword: another, newPassword: 'short' })).toBe('PASSWORD_TOO_SHORT')
    expect(await code({ currentPassword: 'x'.repeat(2000) })).toBe('INVALID_PASSWORD')
    await service.deps.sql`delete from accounts where user_id = (select id from users where email = ${ann.email})`
    expect(await code({})).toBe('CREDENTIAL_ACCOUNT_NOT_FOUND')
  })
})

describe('guessing the password in a session', () => {
  /** From addresses of their own, in one session. */
  async function guess(ann: Visitor, path: string, body: object) {
    const visitor = limited.visitor()
    // By the session alone: a known device has tries of its own.
    for (const [name, value] of ann.cookies) if (!name.endsWith('known_device')) visitor.cookies.set(name, value)
    return (await visitor.post(path, body)).status
  }
  const wrong = { currentPassword: 'wrong'.repeat(300), newPassword: another }

  it('counts on the account, together with sign-in and deletion: all of them close', async () => {
    const ann = await limited.person()
    for (let count = 0; count < 4; count += 1) expect(await guess(ann, '/change-password', wrong)).toBe(400)
    for (let count = 0; count < 3; count += 1)
      expect(await guess(ann, '/delete-user', { password: 'wrong'.repeat(300) })).toBe(400)
    const signIn = { email: ann.email, password: 'wrong'.repeat(300) }
    for (let count = 0; count < 3; count += 1)
      expect((await limited.visitor().post('/sign-in/email', signIn)).status).toBe(401)
    expect(await guess(ann, '/change-password', { currentPassword: testPassword, newPassword: another })).toBe(429)
    expect(await guess(ann, '/delete-user', { password: testPassword })).toBe(429)
    expect((await limited.visitor().post('/sign-in/email', { ...signIn, password: testPassword })).status).toBe(429)
    expect(await isSignedIn(ann)).toBe(true)
  })

  it.each([
    ['/change-password', { currentPassword: testPassword, newPassword: another }, {}],
    ['/delete-user', { password: testPassword }, { DELETE_USER_MODE: 'email' }],
  ])('is forgotten once it is proven by %s', async (path, body, settings) => {
    const on = await limited.sibling(settings)
    const ann = await on.person()
    for (let count = 0; count < 9; count += 1) await guess(ann, '/change-password', wrong)
    const visitor = on.visitor()
    for (const [name, value] of ann.cookies) if (!name.endsWith('known_device')) visitor.cookies.set(name, value)
    expect((await visitor.post(path, body)).status).toBe(200)
    for (let count = 0; count < 5; count += 1) expect(await guess(visitor, '/change-password', wrong)).toBe(400)
  })
})

describe('a first password', () => {
  const key = { authorization: `Bearer ${testServiceKey}` }
  async function withoutPassword() {
    const ann = await service.person()
    const { id } = (await ann.get('/get-session')).body.user
    await service.deps.sql`delete from accounts where user_id = ${id}`
    return { ann, id }
  }

  it('cannot be set from the network: with a session or another key the call is not there', async () => {
    const { ann, id } = await withoutPassword()
    const body = { newPassword: another, userId: id }
    for (const visitor of [ann, service.visitor()])
      for (const headers of [{}, { authorization: `Bearer ${testServiceKey}x` }, { authorization: 'Bearer ' }])
        expect(await visitor.post('/set-password', body, headers)).toMatchObject({ status: 404, text: '' })
    const keyless = await service.sibling({ SERVICE_KEY: undefined })
    expect((await keyless.visitor().post('/set-password', body, key)).status).toBe(404)
    expect(await service.deps.sql`select from accounts where user_id = ${id}`).toHaveLength(0)
  })

  it('is set by a trusted server for the user it names, or for the session of the cookie', async () => {
    const one = await withoutPassword()
    expect((await service.visitor().post('/set-password', { newPassword: another, userId: one.id }, key)).body).toEqual(
      { status: true },
    )
    const other = await withoutPassword()
    expect((await other.ann.post('/set-password', { newPassword: another }, key)).status).toBe(200)
    for (const { ann } of [one, other]) expect(await canSignIn(service, ann.email, another)).toBe(true)
  })

  it('is set by a server whose key looks like a session token, too', async () => {
    const token = createSessionToken()
    const [{ ann }, other] = [await withoutPassword(), await service.sibling({ SERVICE_KEY: token })]
    const passing = other.visitor()
    for (const [name, value] of ann.cookies) passing.cookies.set(name, value)
    const headers = { authorization: `Bearer ${token}` }
    expect((await passing.post('/set-password', { newPassword: another }, headers)).status).toBe(200)
  })

  it('replaces no other, and is for a user who is there', async () => {
    const { id } = (await (await service.person()).get('/get-session')).body.user
    const set = async (body: object) =>
      (await service.visitor().post('/set-password', { newPassword: another, ...body }, key)).body.message
    expect(await set({ userId: id })).toBe('user already has a password')
    expect(await set({ userId: 'nobody' })).toBe('User not found')
    expect(await set({})).toBe('User not found')
  })

  it('is no word about the user it is for, whoever is signed in where it is set', async () => {
    const { ann, id } = await withoutPassword()
    const bob = await service.person()
    const { computed } = service.deps.passwords
    for (const newPassword of [ann.email, `${ann.email.split('@')[0]}1`]) {
      expect((await bob.post('/set-password', { newPassword, userId: id }, key)).body.code).toBe('PASSWORD_TOO_COMMON')
      expect((await ann.post('/set-password', { newPassword }, key)).body.code).toBe('PASSWORD_TOO_COMMON')
    }
    expect(service.deps.passwords.computed).toBe(computed)
    expect((await bob.post('/set-password', { newPassword: bob.email, userId: id }, key)).status).toBe(200)
  })

  it('is set once when two servers set it at once', async () => {
    const { id } = await withoutPassword()
    const replies = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        service.visitor().post('/set-password', { newPassword: `${another} ${index}`, userId: id }, key),
      ),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(3)
  })
})
