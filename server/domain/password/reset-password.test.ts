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
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const another = 'another horse battery staple'
const third = 'a third horse battery staple'
const refused = { status: 400, body: { code: 'INVALID_TOKEN', message: 'invalid token' } }

const service = useTestService()

async function forgotten(email: string, redirectTo?: string) {
  await service.visitor().post('/forget-password', { email, redirectTo })
  return linkTo(service, email, 'reset-password')
}
const reset = (token: string, newPassword = another) =>
  service.visitor().post('/reset-password', { token, newPassword })

describe('a forgotten password', () => {
  it('is replaced by the mailed link: the new one signs in, the old one and every session are dead', async () => {
    const ann = await service.person()
    const phone = service.visitor()
    await phone.post('/sign-in/email', { email: ann.email, password: testPassword })
    const { token } = await forgotten(ann.email)
    expect(await reset(token)).toMatchObject({ status: 200, body: { status: true }, setCookies: [] })
    expect([await isSignedIn(ann), await isSignedIn(phone)]).toEqual([false, false])
    expect([await canSignIn(service, ann.email), await canSignIn(service, ann.email, another)]).toEqual([false, true])
    expect(await mailsTo(service, ann.email, 'password-changed')).toHaveLength(1)
  })

  it('is reset by the newer name of the call as well', async () => {
    const ann = await service.person()
    const reply = await service.visitor().post('/request-password-reset', { email: ann.email.toUpperCase() })
    expect(reply).toMatchObject({ status: 200, body: { status: true } })
    const { token } = await linkTo(service, ann.email, 'reset-password')
    expect((await reset(token)).status).toBe(200)
  })

  it('takes the token from the query when the body has none', async () => {
    const { token } = await forgotten((await service.person()).email)
    const visitor = service.visitor()
    expect((await visitor.post(`/reset-password?token=${token}`, { newPassword: another })).status).toBe(200)
  })

  it('takes no password from the query, which logs and histories keep', async () => {
    const { token } = await forgotten((await service.person()).email)
    const { status } = await service.visitor().post(`/reset-password?newPassword=${encodeURI(another)}`, { token })
    expect(status).toBe(400)
    expect((await reset(token)).status).toBe(200)
  })

  it('takes three statements and one hash', async () => {
    const { token } = await forgotten((await service.person()).email)
    const { computed } = service.deps.passwords
    service.statements.forget()
    await reset(token)
    expect(service.statements.list).toHaveLength(3)
    expect(service.deps.passwords.computed - computed).toBe(1)
  })

  it('gives a first password to a user who never had one', async () => {
    const { email } = await service.person()
    await service.deps.sql`delete from accounts where user_id = (select id from users where email = ${email})`
    expect((await reset((await forgotten(email)).token)).status).toBe(200)
    expect(await canSignIn(service, email, another)).toBe(true)
  })
})

describe('a reset link', () => {
  it('works once', async () => {
    const { email } = await service.person()
    const { token } = await forgotten(email)
    await reset(token)
    expect(await reset(token, third)).toMatchObject(refused)
    expect(await canSignIn(service, email, third)).toBe(false)
  })

  it('takes every other mailed token of its user along, and nobody else’s', async () => {
    const ann = await verifiedPerson(service)
    const bob = await service.person()
    const bobs = await forgotten(bob.email)
    const byMail = await service.sibling({ DELETE_USER_MODE: 'email' })
    const links = [await forgotten(ann.email), await forgotten(ann.email), await forgotten(ann.email)] as const
    await ann.post('/change-email', { newEmail: `new-${randomUUID()}@example.com` })
    const annAtMail = byMail.visitor()
    await annAtMail.post('/sign-in/email', { email: ann.email, password: testPassword })
    await annAtMail.post('/delete-user', {})
    const deletion = await linkTo(service, ann.email, 'delete-account')
    const change = await linkTo(service, ann.email, 'change-email')
    expect((await reset(links[1].token)).status).toBe(200)
    expect(await reset(links[0].token)).toMatchObject(refused)
    expect(await reset(links[2].token)).toMatchObject(refused)
    await ann.post('/sign-in/email', { email: ann.email, password: another })
    expect((await ann.post('/delete-user', { token: deletion.token })).status).toBe(404)
    expect((await ann.get(`/verify-email?token=${change.token}`)).body.code).toBe('INVALID_TOKEN')
    expect((await reset(bobs.token)).status).toBe(200)
    const { id } = await userOf(service, ann.email)
    expect(await service.deps.sql`select from verifications where user_id = ${id}`).toHaveLength(0)
  })

  it('takes the mails of those other tokens along while they wait to be sent', async () => {
    const { email } = await service.person()
    await forgotten(email)
    await reset((await forgotten(email)).token)
    expect((await mailsTo(service, email)).map(({ kind }) => kind)).toEqual(['password-changed'])
  })

  it('is not burnt by a password that is refused', async () => {
    const { email } = await service.person()
    const { token } = await forgotten(email)
    for (const [password, code] of [
      ['1234567', 'PASSWORD_TOO_SHORT'],
      ['x'.repeat(129), 'PASSWORD_TOO_LONG'],
      ['password123', 'PASSWORD_TOO_COMMON'],
      [email, 'PASSWORD_TOO_COMMON'],
    ] as const)
      expect((await reset(token, password)).body.code).toBe(code)
    expect((await reset(token)).status).toBe(200)
  })

  it('tells of the length before it tells of the token', async () => {
    expect((await reset('no-such-token', '1234567')).body.code).toBe('PASSWORD_TOO_SHORT')
    expect(await service.visitor().post('/reset-password', { newPassword: '1234567' })).toMatchObject(refused)
  })

  it('is refused from the moment of its expiry on', async () => {
    const { email } = await service.person()
    const { token } = await forgotten(email)
    const { id } = await userOf(service, email)
    await service.deps
      .sql`update verifications set expires_at = now() where user_id = ${id} and identifier like 'reset%'`
    expect(await reset(token)).toMatchObject(refused)
    expect(await canSignIn(service, email)).toBe(true)
  })

  it('lives as long as the settings say', async () => {
    const brief = await service.sibling({ RESET_PASSWORD_EXPIRES_IN: '2m' })
    const { email } = await service.person()
    await brief.visitor().post('/forget-password', { email })
    const [row] = await service.deps.sql<{ seconds: number; link: number }[]>`
      select extract(epoch from v.expires_at - v.created_at)::float8 as seconds, o.link_seconds as link
      from outbox o join verifications v on v.id = o.verification_id
      where o.kind = 'reset-password' and o.user_id = (select id from users where email = ${email})
    `
    expect(row).toEqual({ seconds: 120, link: 120 })
  })

  it('does no harm when a mail scanner opens it five times', async () => {
    const ann = await service.person()
    const { token, url } = await forgotten(ann.email)
    for (let time = 0; time < 5; time += 1) expect((await open(service, service.visitor(), url)).status).toBe(302)
    expect([await isSignedIn(ann), (await reset(token)).status]).toEqual([true, 200])
  })
})

describe('the landing of a reset link', () => {
  const landing = async (url: string) => (await open(service, service.visitor(), url)).headers.get('location')

  it('is the page of the caller with the token, absolute, its query kept', async () => {
    const { email } = await service.person()
    const { url, token } = await forgotten(email, '/app/reset?lang=de')
    expect(await landing(url)).toBe(`http://localhost:4100/app/reset?lang=de&token=${token}`)
  })

  it('names the error once the token is used, and never sets a cookie', async () => {
    const { email } = await service.person()
    const { url, token } = await forgotten(email, '/app/reset')
    await reset(token)
    const reply = await open(service, service.visitor(), url)
    expect([reply.headers.get('location'), reply.setCookies]).toEqual([
      'http://localhost:4100/app/reset?error=INVALID_TOKEN',
      [],
    ])
  })

  it('is our own page when the caller named none', async () => {
    const { url, token } = await forgotten((await service.person()).email)
    expect(await landing(url)).toBe(`http://localhost:4100/api/auth/page/reset-password?token=${token}`)
  })

  it('is the error page for an empty target, and a refusal without one', async () => {
    const visitor = service.visitor()
    const reply = await visitor.get('/reset-password/x?callbackURL=')
    expect(reply.headers.get('location')).toBe('http://localhost:4100/api/auth/error?error=INVALID_TOKEN')
    expect((await visitor.get('/reset-password/x')).body.code).toBe('VALIDATION_ERROR')
  })
})

it('a victim who resets takes the account away from whoever signed up with the address', async () => {
  const attacker = await service.person()
  const { email } = attacker
  const { token } = await forgotten(email)
  expect((await userOf(service, email)).emailVerified).toBe(false)
  await reset(token)
  expect((await userOf(service, email)).emailVerified).toBe(true)
  expect([await isSignedIn(attacker), await canSignIn(service, email)]).toEqual([false, false])
  expect(await canSignIn(service, email, another)).toBe(true)
})

it('where resets are not offered, the link of a first administrator works all the same', async () => {
  const { token } = await forgotten((await service.person()).email)
  const off = await service.sibling({ RESET_PASSWORD: 'off' })
  expect((await off.visitor().post('/reset-password', { token, newPassword: another })).status).toBe(200)
})

it('where passwords sign nobody in, no reset takes the other ways in away', async () => {
  const { email } = await service.person()
  const { token } = await forgotten(email)
  const off = (await service.sibling({ EMAIL_PASSWORD: 'off' })).visitor()
  const { sql } = service.deps
  await sql`update accounts set provider_id = 'acme' where user_id = (select id from users where email = ${email})`
  const replies = [
    await off.post('/forget-password', { email }),
    await off.post('/reset-password', { token, newPassword: another }),
  ]
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual(
    replies.map(() => [400, 'RESET_PASSWORD_ISNT_ENABLED']),
  )
  const ways = await sql`select provider_id from accounts a join users u on u.id = a.user_id where u.email = ${email}`
  expect(ways).toEqual([{ providerId: 'acme' }])
})

it('the application is told who reset, and its failure undoes nothing', async () => {
  const told: string[] = []
  const hooked = await withHooks(service, {
    afterResetPassword: ({ email }) => {
      told.push(email)
      throw new Error('on purpose')
    },
  })
  const { email } = await service.person()
  const { token } = await forgotten(email)
  const reply = await hooked.visitor().post('/reset-password', { token, newPassword: another })
  expect([reply.status, told]).toEqual([200, [email]])
  expect(hooked.logged.filter(({ msg }) => msg === 'a hook failed')).toHaveLength(1)
})
