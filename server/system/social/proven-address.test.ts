import { describe, expect, it } from 'vitest'
import { sendFormTo } from '../../pages/testing/forms.ts'
import { approve, startWaiting } from '../../testing/device.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { isSignedIn, linkTo, mailsTo, pathOf, verifiedPerson } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { found } from '../../testing/organizations.ts'
import { inTurn } from '../../testing/rounds.ts'
import { testPassword } from '../../testing/service.ts'
import { linkAt, locationOf, personAt, signInAt } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

// Whoever did not prove the mailbox never gains what its owner is entitled to, whoever opens the mailed link.

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({
  ...provider.settings('GOOGLE'),
  ...provider.settings('OIDC_ACME'),
  ALLOW_DIFFERENT_EMAILS: 'on',
}))

const someone = () => `ann-${crypto.randomUUID()}@example.com`

/** What the owner of an address is entitled to, and whether somebody in a session gains it. */
const rights: Record<string, (visitor: Visitor, email: string) => Promise<boolean>> = {
  'administers by ADMIN_EMAILS': async (visitor, email) => {
    const named = await service.sibling({ ADMIN_EMAILS: email })
    return (await named.copyOf(visitor).get('/admin/list-users')).status === 200
  },
  'accepts an invitation': async (visitor, email) => {
    const invitationId = await (await found(service)).invite(email, 'admin')
    return (await visitor.post('/organization/accept-invitation', { invitationId })).status === 200
  },
  'rejects an invitation': async (visitor, email) => {
    const invitationId = await (await found(service)).invite(email)
    return (await visitor.post('/organization/reject-invitation', { invitationId })).status === 200
  },
  'reads an invitation': async (visitor, email) => {
    const id = await (await found(service)).invite(email)
    return (await visitor.get(`/organization/get-invitation?id=${id}`)).status === 200
  },
  'lists invitations': async (visitor) => (await visitor.get('/organization/list-user-invitations')).status === 200,
}

const gainedBy = async (visitor: Visitor, email: string): Promise<string[]> => {
  const gained: string[] = []
  for (const [name, tries] of Object.entries(rights)) if (await tries(visitor, email)) gained.push(name)
  return gained
}
const everything = Object.keys(rights)

describe('an address that a provider states', () => {
  it.each([
    ['google', true, everything],
    ['google', false, []],
    ['acme', true, []],
    ['acme', false, []],
  ])('%s, as verified %s: gives a new user %j', async (id, email_verified, gained) => {
    const [visitor, person] = [service.visitor(), personAt({ email_verified })]
    await signInAt(provider, visitor, person, { provider: id })
    expect(await gainedBy(visitor, person.email as string)).toEqual(gained)
    expect((await visitor.get('/get-session')).body.user.emailVerified).toBe(gained.length > 0)
  })

  it('at an untrusted provider proves nothing of a known user either, nor by replacing the profile', async () => {
    const overriding = await service.sibling({ OIDC_ACME_OVERRIDE_USER_INFO: 'on' })
    const person = personAt()
    await signInAt(provider, overriding.visitor(), person, { provider: 'acme' })
    const again = overriding.visitor()
    await signInAt(provider, again, person, { provider: 'acme' })
    expect(await gainedBy(again, person.email as string)).toEqual([])
  })
})

/** Who opens the mailed link, and whether the stranger's own way in is proven by it. */
const openers: Record<string, (url: string, stranger: Visitor) => Promise<unknown>> = {
  nobody: () => Promise.resolve(),
  'a mail gateway, which looks at the page': (url) => service.visitor().get(pathOf(service, url)),
  'a browser of the owner, by the plain call': (url) =>
    service.visitor().get(pathOf(service, url).replace('/page/verify-email', '/verify-email')),
  'a browser in which somebody else is signed in': async (url) =>
    (await service.person()).get(pathOf(service, url).replace('/page/verify-email', '/verify-email')),
}

const openedBy = Object.keys(openers)

describe('a stranger who signed up with the address by a password', () => {
  /** The stranger's session, and the owner's address. */
  async function intruded(opened: keyof typeof openers) {
    const stranger = await service.person({ email: someone() })
    const { email } = stranger
    await service.visitor().post('/send-verification-email', { email })
    await openers[opened]!((await linkTo(service, email, 'verify-email')).url, stranger)
    return { stranger, email }
  }

  it.each(inTurn(openedBy))('gains nothing when %s opens the link', async (opened) => {
    const { stranger, email } = await intruded(opened)
    const again = service.visitor()
    await again.post('/sign-in/email', { email, password: testPassword })
    expect([await gainedBy(stranger, email), await gainedBy(again, email)]).toEqual([[], []])
  })

  it.each(inTurn(openedBy, 1))(
    'is out when the owner comes by a trusted provider; %s opened the link',
    async (opened) => {
      const { stranger, email } = await intruded(opened)
      const owner = service.visitor()
      expect(locationOf(await signInAt(provider, owner, personAt({ email })))).toBe('/home')
      const signIn = await service.visitor().post('/sign-in/email', { email, password: testPassword })
      expect([await isSignedIn(stranger), signIn.status]).toEqual([false, 401])
      expect(await gainedBy(owner, email)).toEqual(everything)
      const [mail] = await mailsTo(service, email, 'unproven-sign-ins-ended')
      expect(mail?.text).toContain('This address was never confirmed for sign-in with the password')
      expect((await owner.get('/list-accounts')).body.map(({ provider: id }: { provider: string }) => id)).toEqual([
        'google',
      ])
    },
  )

  it.each(inTurn(openedBy, 2))('is out when the owner resets the password; %s opened the link', async (opened) => {
    const { stranger, email } = await intruded(opened)
    await linkAt(provider, stranger, personAt(), { provider: 'acme' })
    await service.visitor().post('/forget-password', { email })
    const { token } = await linkTo(service, email, 'reset-password')
    const newPassword = 'another horse battery staple'
    await service.visitor().post('/reset-password', { token, newPassword })
    const owner = service.visitor()
    await owner.post('/sign-in/email', { email, password: newPassword })
    expect([await isSignedIn(stranger), await gainedBy(owner, email)]).toEqual([false, everything])
    expect((await owner.get('/list-accounts')).body).toHaveLength(1)
  })

  it('links nothing beside the way in that stays unproven', async () => {
    const { stranger } = await intruded('a browser of the owner, by the plain call')
    const refused = await linkAt(provider, stranger, personAt(), { errorCallbackURL: '/no' })
    expect(locationOf(refused)).toBe('/no?error=address_not_proven')
  })

  it('nor when the owner verifies the address while the link is under way', async () => {
    const stranger = await service.person()
    const linking = await service.deps.sql.begin(async (tx) => {
      await tx`update users set email_verified = true where email = ${stranger.email}`
      const link = linkAt(provider, stranger, personAt(), { errorCallbackURL: '/no' })
      await untilWaiting(service)
      return { link }
    })
    expect(locationOf(await linking.link)).toBe('/no?error=unable_to_link_account')
    expect((await stranger.get('/list-accounts')).body).toHaveLength(1)
  })

  it('takes no way in away that the owner proved', async () => {
    const { stranger, email } = await intruded('nobody')
    await service.deps.sql`
      insert into accounts (id, user_id, provider_id, account_id, mailbox_proof, mailbox_proven_at, proven_email)
      select 'g-' || id, id, 'google', 'g-' || id, 'provider', now(), email from users where email = ${email}
    `
    expect((await stranger.post('/unlink-account', { providerId: 'google' })).body.message).toBe('Account not found')
    expect((await stranger.get('/list-accounts')).body).toHaveLength(2)
  })

  it('loses keys and codes that wait, too, when the owner comes', async () => {
    const { stranger, email } = await intruded('nobody')
    const { token: key } = (await stranger.post('/key/create', { name: 'ci', expiresIn: 86_400 })).body
    const waiting = await startWaiting(service)
    expect((await approve(stranger, waiting)).status).toBe(200)
    const owner = service.visitor()
    await signInAt(provider, owner, personAt({ email }))
    const byKey = await service.visitor().get('/get-session', { authorization: `Bearer ${key}` })
    expect([typeof key, byKey.body]).toEqual(['string', null])
    expect((await waiting.poll()).body.error).toBe('invalid_grant')
    expect((await owner.get('/list-sessions')).body).toHaveLength(1)
  })

  it('ends as one sign-in under way when the owner comes at the same moment', async () => {
    const { email } = await intruded('nobody')
    const visitors = Array.from({ length: 5 }, () => service.visitor())
    const owner = service.visitor()
    await Promise.all([
      signInAt(provider, owner, personAt({ email })),
      ...visitors.map((visitor) => visitor.post('/sign-in/email', { email, password: testPassword })),
    ])
    expect(await Promise.all(visitors.map(isSignedIn))).toEqual(visitors.map(() => false))
    expect(await isSignedIn(owner)).toBe(true)
  })
})

describe('the one who signed up', () => {
  it('proves the address by the link in the session that asked, and gains all of it', async () => {
    const ann = await service.person({ email: someone() })
    await ann.post('/send-verification-email', { email: ann.email })
    const { url } = await linkTo(service, ann.email, 'verify-email')
    const page = await ann.get(pathOf(service, url))
    expect([page.status, page.headers.get('location')]).toEqual([
      302,
      expect.stringContaining('/api/auth/verify-email?token='),
    ])
    await ann.get(pathOf(service, new URL(locationOf(page), url).href))
    expect(await gainedBy(ann, ann.email)).toEqual(everything)
    const again = service.visitor()
    await again.post('/sign-in/email', { email: ann.email, password: testPassword })
    expect(await gainedBy(again, ann.email)).toEqual(everything)
  })

  it('proves it by one more link, though another browser had verified the address before', async () => {
    const ann = await service.person({ email: someone() })
    const mailed = async () => {
      await ann.post('/send-verification-email', { email: ann.email })
      return pathOf(service, (await linkTo(service, ann.email, 'verify-email')).url).replace('/page/', '/')
    }
    await service.visitor().get(await mailed())
    expect((await ann.get('/get-session')).body).toMatchObject({
      user: { emailVerified: true },
      session: { addressProven: false },
    })
    await ann.get(await mailed())
    expect((await ann.get('/get-session')).body.session.addressProven).toBe(true)
    expect(await gainedBy(ann, ann.email)).toEqual(everything)
  })

  it('proves it in the browser of a sign-up that begins no session', async () => {
    const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
    const [email, browser] = [someone(), strict.visitor()]
    await browser.post('/sign-up/email', { email, name: 'Ann', password: testPassword })
    const path = pathOf(strict, (await linkTo(strict, email, 'verify-email')).url)
    expect(locationOf(await browser.get(path))).toContain('/verify-email?token=')
    await browser.get(path.replace('/page/', '/'))
    await browser.post('/sign-in/email', { email, password: testPassword })
    expect(await gainedBy(browser, email)).toEqual(everything)
  })

  it('proves the new address of a change in the session that asked, and every proven way in stays so', async () => {
    const [ann, newEmail] = [await verifiedPerson(service), someone()]
    await linkAt(provider, ann, personAt({ email: ann.email }))
    const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
    const at = strict.copyOf(ann)
    await at.post('/change-email', { newEmail })
    await at.get(pathOf(strict, (await linkTo(strict, ann.email, 'change-email')).url))
    await at.get(pathOf(strict, (await linkTo(strict, newEmail, 'verify-email')).url))
    expect((await ann.get('/get-session')).body).toMatchObject({
      user: { email: newEmail, emailVerified: true },
      session: { addressProven: true },
    })
    const rows = await service.deps.sql`
      select a.provider_id from accounts a join users u on u.id = a.user_id
      where u.email = ${newEmail} and a.proven_email = u.email
    `
    expect(rows).toHaveLength(2)
  })

  it('has to prove a new address that replaced the old one at once', async () => {
    const [ann, newEmail] = [await service.person({ email: someone() }), someone()]
    await ann.post('/change-email', { newEmail })
    expect(await gainedBy(ann, newEmail)).toEqual([])
  })
})

describe('where addresses have to be verified', () => {
  it.each([
    ['google', false],
    ['acme', true],
    ['acme', false],
  ])(
    '%s, verified %s, answers alike for a taken and for a free address, again and again',
    async (id, email_verified) => {
      const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on', SEND_VERIFICATION_ON_SIGN_UP: 'on' })
      const taken = (await verifiedPerson(service)).email
      const observe = async (email: string) => {
        const person = personAt({ email, email_verified })
        const answers: unknown[] = []
        for (let time = 0; time < 2; time += 1) {
          const { status, headers, setCookies } = await signInAt(provider, strict.visitor(), person, {
            provider: id,
            errorCallbackURL: '/no',
          })
          const cookies = setCookies.map((line) => line.replace(/=[\w-]{86};/, '=…;').replace(/state\.\w+/, 'state'))
          answers.push([status, headers.get('location'), cookies])
        }
        return answers
      }
      const free = await observe(someone())
      expect(await observe(taken)).toEqual(free)
      expect(JSON.stringify(free)).toContain('/no?error=email_not_verified')
      const [row] = await service.deps.sql`
      select count(*)::int as ways from accounts a join users u on u.id = a.user_id where u.email = ${taken}
    `
      expect(row).toEqual({ ways: 1 })
    },
  )
})

describe('a proof is of one address', () => {
  /** Somebody who has proved the address, by google and by acme, and moves to another one that they never prove. */
  async function moved(unlinked: boolean) {
    const person = personAt()
    const ann = service.visitor()
    await signInAt(provider, ann, person)
    await linkAt(provider, ann, personAt(), { provider: 'acme' })
    const [email, newEmail] = [person.email as string, someone()]
    if (unlinked) await ann.post('/unlink-account', { providerId: 'google' })
    await ann.post('/change-email', { newEmail })
    await ann.get(pathOf(service, (await linkTo(service, email, 'change-email')).url))
    expect((await ann.get('/get-session')).body.user.email).toBe(newEmail)
    return { ann, newEmail }
  }

  it.each([true, false])('and none of the next, whether its way in was unlinked: %s', async (unlinked) => {
    const { ann, newEmail } = await moved(unlinked)
    expect((await ann.get('/get-session')).body.session.addressProven).toBe(false)
    expect(await gainedBy(ann, newEmail)).toEqual([])
    const owner = service.visitor()
    await signInAt(provider, owner, personAt({ email: newEmail }))
    expect([await isSignedIn(ann), await gainedBy(owner, newEmail)]).toEqual([false, everything])
  })

  it('nor of a machine that was let in while the address changed', async () => {
    const { deps } = service
    const ann = await verifiedPerson(service)
    const newEmail = someone()
    const waiting = await startWaiting(service)
    await approve(ann, waiting)
    let polling: ReturnType<typeof waiting.poll> | undefined
    // The poll waits for the change, and looked at the account before it.
    await deps.sql.begin(async (tx) => {
      await tx`update users set email = ${newEmail}, email_verified = false where email = ${ann.email}`
      polling = waiting.poll()
      const isWaiting = async () =>
        (await deps.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
          .length
      await expect.poll(isWaiting).toBeGreaterThan(0)
    })
    const { body } = await polling!
    const view = (await service.visitor().get('/get-session', { authorization: `Bearer ${body.access_token}` })).body
    expect([view.user.email, view.session.addressProven]).toEqual([newEmail, false])
  })

  it('an established account is nobody’s to remove, who gets its link by a mistyped address', async () => {
    const { newEmail } = await moved(false)
    const { token } = await linkTo(service, newEmail, 'verify-email')
    const { status } = await sendFormTo('/page/verify-email', service.visitor(), { token, action: 'remove' })
    expect(status).toBe(401)
    expect(await service.deps.sql`select from users where email = ${newEmail}`).toHaveLength(1)
  })

  it('what a squatter left without a way in ends as well when the owner comes', async () => {
    const at = await service.sibling({ ALLOW_UNLINKING_ALL: 'on' })
    const stranger = await at.person({ email: someone() })
    const { token } = (await stranger.post('/key/create', { name: 'ci', expiresIn: 86_400 })).body
    await stranger.post('/unlink-account', { providerId: 'credential' })
    await signInAt(provider, service.visitor(), personAt({ email: stranger.email }))
    const byKey = await service.visitor().get('/get-session', { authorization: `Bearer ${token}` })
    expect([typeof token, byKey.body, await isSignedIn(stranger)]).toEqual(['string', null, false])
  })

  it('tokens for other services call an address verified only for who proved it', async () => {
    const stranger = await service.person({ email: someone() })
    await service.deps.sql`update users set email_verified = true where email = ${stranger.email}`
    const { status, body } = await stranger.get('/token')
    expect(status).toBe(200)
    expect(JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString()).emailVerified).toBe(false)
  })
})
