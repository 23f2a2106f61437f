import { describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failure.ts'
import { limitsOfPasswordTries } from '../domain/limits.ts'
import { untilWaiting } from '../testing/locks.ts'
import { canSignIn, isSignedIn, linkTo, pathOf, withHooks } from '../testing/mailed.ts'
import { done, found } from '../testing/organizations.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'
import type { Reply } from '../testing/visitor.ts'
import { ownForm, sendFormTo } from './testing/forms.ts'

const service = useTestService({ RATE_LIMIT: 'on', TRUSTED_ORIGINS: 'https://app.example.com,myapp://' })

const another = 'another horse battery staple'

/** Somebody who signed up elsewhere, and what the mailed link shows in another browser. */
async function opened(callbackURL?: string, at = service) {
  const ann = await service.person({ email: `ann-${crypto.randomUUID()}@example.com`, name: '<b>Ann</b>' })
  await service.visitor().post('/send-verification-email', { email: ann.email, callbackURL })
  const { url, token } = await linkTo(service, ann.email, 'verify-email')
  const browser = at.visitor()
  const page = await browser.get(pathOf(service, url))
  const submit = (fields: Record<string, string>) =>
    sendFormTo('/page/verify-email', browser, { token, ...(callbackURL ? { callbackURL } : {}), ...fields })
  return { ann, page, token, submit }
}

const stateOf = async (email: string) => {
  const [row] = await service.deps.sql`
    select u.email_verified, a.mailbox_proof from users u join accounts a on a.user_id = u.id where u.email = ${email}
  `
  return row ?? null
}

describe('a link that is opened in another browser', () => {
  it('shows who signed up, when, from where and with what, and verifies nothing', async () => {
    const { ann, page } = await opened()
    expect(page.status).toBe(200)
    for (const shown of [ann.email, '&lt;b&gt;Ann&lt;/b&gt;', 'UTC', 'It was me', 'It was not me'])
      expect(page.text).toContain(shown)
    expect(page.text).not.toContain('<b>Ann')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(await stateOf(ann.email)).toEqual({ emailVerified: false, mailboxProof: null })
  })

  it('asks where somebody else is signed in, too', async () => {
    const { ann, token } = await opened()
    const page = await (await service.person()).get(`/page/verify-email?token=${token}`)
    expect([page.status, page.text.includes('It was not me')]).toEqual([200, true])
    expect(await stateOf(ann.email)).toEqual({ emailVerified: false, mailboxProof: null })
  })

  it('names a provider that is off by now as people know it, and advises nobody to sign in with it', async () => {
    const { ann, token } = await opened()
    await service.deps.sql`
      update accounts set provider_id = 'github', password = null
      where user_id = (select id from users where email = ${ann.email})
    `
    const on = await service.sibling({ GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret-of-github' })
    const texts: string[] = []
    for (const at of [service, on]) texts.push((await at.visitor().get(`/page/verify-email?token=${token}`)).text)
    expect(texts.map((text) => text.includes('<dd>GitHub</dd>'))).toEqual([true, true])
    expect(texts.map((text) => text.includes('Sign in with GitHub'))).toEqual([false, true])
  })

  it('speaks to its reader, and only without any wish of theirs in the language of the sign-up', async () => {
    const [visitor, email] = [service.visitor(), `ann-${crypto.randomUUID()}@example.com`]
    await done(visitor.post('/sign-up/email', { email, password: testPassword, name: 'Ann', language: 'fr' }))
    await visitor.post('/send-verification-email', { email })
    const { url } = await linkTo(service, email, 'verify-email')
    const lang = async (headers: Record<string, string>) =>
      /<html lang="(\w+)"/.exec((await service.visitor().get(pathOf(service, url), headers)).text)?.[1]
    expect([await lang({ 'accept-language': 'de' }), await lang({})]).toEqual(['de', 'fr'])
  })

  it('goes on to the plain call with a link that is none', async () => {
    const reply = await service.visitor().get('/page/verify-email?token=x&callbackURL=/done')
    expect(reply.headers.get('location')).toBe('/api/auth/verify-email?token=x&callbackURL=%2Fdone')
  })

  it('leads nowhere else', async () => {
    const reply = await service.visitor().get('/page/verify-email?token=x&callbackURL=https://evil.example')
    expect(reply.status).toBe(403)
  })
})

describe('it was me', () => {
  it('verifies the address and proves the password, and says so', async () => {
    const { ann, submit } = await opened()
    const reply = await submit({ action: 'claim', password: testPassword })
    expect([reply.status, reply.headers.get('location'), reply.setCookies]).toEqual([
      303,
      '/api/auth/page/verified',
      [],
    ])
    expect(await stateOf(ann.email)).toEqual({ emailVerified: true, mailboxProof: 'link' })
    expect((await ann.get('/get-session')).body.session.addressProven).toBe(true)
  })

  it.each([
    ['https://app.example.com/welcome?a=b&c', 'app.example.com'],
    ['http://localhost:4100/welcome', 'localhost:4100'],
    ['myapp://welcome', 'myapp:'],
  ])('leads on to %s by a page, for nobody knows where that leads to', async (callbackURL, name) => {
    const { page, submit } = await opened(callbackURL)
    const { status, text, headers } = await submit({ action: 'claim', password: testPassword })
    expect([status, headers.get('location'), text.includes(`Continue to ${name}`)]).toEqual([200, null, true])
    expect(/content="0;url=([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')).toBe(callbackURL)
    for (const policy of [page, { headers }])
      expect(policy.headers.get('content-security-policy')).toContain("form-action 'self';")
  })

  it('takes the right password only, and counts as a sign-in does', async () => {
    const { ann, submit } = await opened()
    for (let time = 0; time < 3; time += 1)
      expect((await submit({ action: 'claim', password: 'wrong' })).status).toBe(401)
    expect((await submit({ action: 'claim', password: testPassword })).status).toBe(429)
    expect(await stateOf(ann.email)).toEqual({ emailVerified: false, mailboxProof: null })
  })

  it('clears what wrong passwords were counted, as a sign-in does', async () => {
    const { ann, submit } = await opened()
    const keys = limitsOfPasswordTries(service.deps, ann.email).map(({ key }) => key)
    const counted = () => service.deps.sql`select from rate_limits where key = any(${keys}::bytea[])`
    await submit({ action: 'claim', password: 'wrong' })
    expect(await counted()).toHaveLength(2)
    await submit({ action: 'claim', password: testPassword })
    expect(await counted()).toHaveLength(0)
  })

  it('says on the page that the password is another one, and never shows it', async () => {
    const { submit } = await opened()
    const { text } = await submit({ action: 'claim', password: 'a secret of somebody' })
    expect(text).toContain('This is not the password of that sign-up.')
    expect(text).not.toContain('a secret of somebody')
  })
})

describe('it was not me, but I want the account', () => {
  it('sets a new password in place of the stranger’s, who is signed out', async () => {
    const { ann, submit } = await opened()
    const reply = await submit({ action: 'take-over', newPassword: another })
    expect(reply.headers.get('location')).toBe('/api/auth/page/password-changed')
    expect(await stateOf(ann.email)).toEqual({ emailVerified: true, mailboxProof: 'reset' })
    expect([await isSignedIn(ann), await canSignIn(service, ann.email)]).toEqual([false, false])
    expect(await canSignIn(service, ann.email, another)).toBe(true)
  })

  it('keeps the link while the new password is refused', async () => {
    const { submit } = await opened()
    expect((await submit({ action: 'take-over', newPassword: 'short' })).text).toContain('too short')
    expect((await submit({ action: 'take-over', newPassword: another })).status).toBe(303)
  })
})

describe('it was not me', () => {
  it('removes the sign-up with its sessions, once', async () => {
    const { ann, submit } = await opened()
    const reply = await submit({ action: 'remove' })
    expect(reply.headers.get('location')).toBe('/api/auth/page/sign-up-removed')
    expect([await stateOf(ann.email), await isSignedIn(ann)]).toEqual([null, false])
    expect((await submit({ action: 'remove' })).status).toBe(401)
    expect(
      (await service.visitor().post('/sign-up/email', { email: ann.email, name: 'Ann', password: another })).status,
    ).toBe(200)
  })

  it('removes nobody who proves the mailbox at the same moment', async () => {
    const { ann, submit } = await opened()
    let removing: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      const [row] = await tx`select id from users where email = ${ann.email} for update`
      removing = submit({ action: 'remove' })
      await untilWaiting(service)
      await tx`
        update accounts set mailbox_proof = 'admin', mailbox_proven_at = now(), proven_email = ${ann.email}
        where user_id = ${row?.id}
      `
    })
    expect([(await removing)?.status, await stateOf(ann.email)]).toMatchObject([401, { mailboxProof: 'admin' }])
  })

  it('removes nobody who has proved the mailbox, and nobody whom others need', async () => {
    const proven = await opened()
    await service.deps.sql`
      update accounts set mailbox_proof = 'link', mailbox_proven_at = now(), proven_email = ${proven.ann.email}
      where user_id = (select id from users where email = ${proven.ann.email})
    `
    expect((await proven.submit({ action: 'remove' })).status).toBe(401)
    const needed = await opened()
    const acme = await found(service)
    await service.deps.sql`
      insert into members (id, organization_id, user_id, roles)
      select 'm-' || id, ${acme.id}, id, '{owner}' from users where email = ${needed.ann.email}
    `
    await service.deps.sql`update members set roles = '{member}' where id = ${acme.owner.memberId}`
    const refused = await needed.submit({ action: 'remove' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Set a new password instead')])
    expect([await stateOf(proven.ann.email), await stateOf(needed.ann.email)]).not.toContain(null)
  })
})

it.each([
  [{ action: 'take-over', newPassword: another }, 400, 'postern account password forgot'],
  [{ action: 'remove' }, 401, 'postern account password forgot'],
  [{ action: 'claim', password: another }, 401, 'postern account email verify --send'],
])(
  'a form whose link is over is answered by a page, for it may have been sent twice: %j',
  async (fields, status, next) => {
    const { submit } = await opened()
    await submit(fields.action === 'claim' ? { action: 'remove' } : fields)
    const again = await submit(fields)
    expect([again.status, again.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    for (const said of ['<h1>This link no longer works</h1>', 'If you have just sent the form twice', next])
      expect(again.text).toContain(said)
  },
)

it('where no passwords are taken the page asks for none', async () => {
  const { page } = await opened(undefined, await service.sibling({ EMAIL_PASSWORD: 'off' }))
  expect([page.status, page.text.includes('type="password"')]).toEqual([200, false])
  expect(page.text).toContain('postern account email verify')
})

describe('a refusal for which the page has no sentence is explained by a page of its own', () => {
  const inBrowser = { ...ownForm, accept: 'text/html,application/xhtml+xml' }

  it('to a banned user', async () => {
    const { ann, token } = await opened()
    await service.deps.sql`update users set banned = true where email = ${ann.email}`
    const fields = { token, action: 'claim', password: testPassword }
    const { status, text } = await sendFormTo('/page/verify-email', service.visitor(), fields, inBrowser)
    expect([status, text]).toEqual([403, expect.stringContaining('<p>This account has been banned.</p>')])
  })

  it('when it was interrupted, but for a new password, which may be set', async () => {
    const interrupt = () => {
      throw new Failure('SERVICE_UNAVAILABLE', { cause: 'cut' })
    }
    const failing = await withHooks(service, { beforeDeleteUser: interrupt })
    Object.assign(failing.deps.passwords, { hash: interrupt })
    const { token } = await opened()
    const said = async (fields: Record<string, string>) =>
      (await sendFormTo('/page/verify-email', failing.visitor(), { token, ...fields }, inBrowser)).text
    expect(await said({ action: 'remove' })).toContain('Something went wrong on our side')
    expect(await said({ action: 'take-over', newPassword: another })).toContain('the password may or may not be set')
  })
})

it('a form of another site does none of it', async () => {
  const { ann, token } = await opened()
  const body = { token, action: 'remove' }
  for (const origin of ['https://evil.example', 'null'])
    expect((await sendFormTo('/page/verify-email', service.visitor(), body, { ...ownForm, origin })).status).toBe(403)
  expect(await stateOf(ann.email)).not.toBeNull()
})

it('VERIFICATION_LINK=direct mails the plain link, which verifies and proves nothing of anybody', async () => {
  const direct = await service.sibling({ VERIFICATION_LINK: 'direct' })
  const ann = await service.person({ email: `ann-${crypto.randomUUID()}@example.com` })
  await direct.visitor().post('/send-verification-email', { email: ann.email })
  const { url } = await linkTo(direct, ann.email, 'verify-email')
  expect(new URL(url).pathname).toBe('/api/auth/verify-email')
  await direct.visitor().get(pathOf(direct, url))
  expect(await stateOf(ann.email)).toEqual({ emailVerified: true, mailboxProof: null })
})
