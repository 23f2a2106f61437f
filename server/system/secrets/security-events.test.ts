import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { sendForm } from '../../pages/testing/forms.ts'
import { allAnswers } from '../../testing/all-answers.ts'
import { claimLink, denyAtProvider, refuseLink, startLink } from '../../testing/device-links.ts'
import { catalogue, type EventName, ofCalls } from '../../testing/events-of-calls.ts'
import { linkTo, open, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { done, found, newSlug } from '../../testing/organizations.ts'
import { steady } from '../../testing/races.ts'
import { createSecurityLog } from '../../testing/security-log.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { linkAt, personAt, signInAt } from '../../testing/social.ts'
import { useStarted } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const { watch, told, check, seen } = createSecurityLog()
let service: TestService
let strict: TestService
const provider = useStarted(startOpenIdProvider)
beforeAll(async () => {
  service = watch(await createTestService({ DATABASE_POOL: '2', ...provider.settings('GOOGLE') }))
  strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
})
afterAll(() => service.stop())

const answers: Record<string, () => Promise<Reply>> = {
  ...allAnswers(
    () => service,
    () => provider,
  ),
  callbackSocial: () => signInAt(provider, service.visitor(), personAt()),
  callbackSocialForm: () => service.visitor().post('/callback/google'),
  openResetLink: () => service.visitor().get('/reset-password/no-such-token?callbackURL=/reset'),
  ok: () => service.visitor().get('/ok'),
  ready: () => service.visitor().get('/ready'),
  error: () => service.visitor().get('/error'),
}
const eventsByCall: Readonly<Record<string, Readonly<Record<string, readonly EventName[]>>>> = ofCalls
const calls = Object.entries(contract as Record<string, CallGroup>).flatMap(([noun, group]) =>
  Object.keys(group).map((name) => [name, eventsByCall[noun]![name]!] as const),
)

describe('a call that succeeds', () => {
  it.each(calls)('%s tells %j', async (name, expected) => {
    const { reply, lines, events } = await told(answers[name]!)
    expect([reply.status < 400, events]).toEqual([true, expected])
    check(lines)
  })
})

/** Each has its reason not to be in the trail. */
const silentWrites = {
  setActive: 'changes only what the own session shows first',
  setActiveTeam: 'changes only what the own session shows first',
  setActiveSession: 'changes only which session of the same browser is sent',
  linkSocial: 'only begins: the return from the provider is told',
  getAccessToken: 'only renews what was granted before',
  refreshToken: 'only renews what was granted before',
  pollDeviceLink: 'only asks; the other browser links, and that is told',
  callbackSocialForm: 'only leads to the call that is told',
}

it('every call that changes something tells it, but for those with a reason', () => {
  const silent = Object.values(contract as Record<string, CallGroup>)
    .flatMap((group) => Object.entries(group))
    .filter(([, { method, isReading }]) => method === 'POST' && !isReading)
    .map(([name]) => name)
    .filter((name) => calls.some(([call, events]) => call === name && events.length === 0))
  expect(silent.toSorted()).toEqual(Object.keys(silentWrites).toSorted())
})

const someone = () => `ann-${crypto.randomUUID()}@example.com`
const idOf = async (email: string) => (await userOf(service, email)).id
const signIn =
  (email: string, password = testPassword, at = service) =>
  () =>
    at.visitor().post('/sign-in/email', { email, password })

describe('a sign-in that fails is told once, with whom it concerned', () => {
  it.each<
    [string, () => Promise<{ email: string; id: string | null; password?: string; at?: TestService }>, string, number]
  >([
    ['nobody', () => Promise.resolve({ email: someone(), id: null }), 'WRONG_EMAIL_OR_PASSWORD', 401],
    [
      'a wrong password',
      async () => {
        const { email } = await service.person()
        return { email, id: await idOf(email), password: 'a wrong passphrase' }
      },
      'WRONG_EMAIL_OR_PASSWORD',
      401,
    ],
    [
      'a banned user',
      async () => {
        const { email } = await service.person()
        await service.deps.sql`update users set banned = true where email = ${email}`
        return { email, id: await idOf(email) }
      },
      'BANNED_USER',
      403,
    ],
    [
      'an address that is not verified',
      async () => {
        const { email } = await service.person()
        return { email, id: await idOf(email), at: strict }
      },
      'EMAIL_NOT_VERIFIED',
      403,
    ],
  ])('%s', async (_name, make, reason, status) => {
    const { email, id, password, at = service } = await make()
    const { reply, lines } = await told(signIn(email, password, at))
    expect([reply.status, lines]).toMatchObject([status, [{ event: 'sign-in-failed', userId: id, reason }]])
    expect(lines).toHaveLength(1)
    check(lines)
  })
})

describe('flows besides', () => {
  const linesOf = async (ask: () => Promise<Reply>) => {
    const { lines } = await told(ask)
    check(lines)
    return lines
  }

  it('a changed profile is told with the names of its fields, an unchanged one is not', async () => {
    const ann = await service.person()
    const userId = await idOf(ann.email)
    const change = await linesOf(() => ann.post('/update-user', { name: 'Ann', image: null }))
    expect(change).toMatchObject([{ event: 'profile-updated', userId, fields: 'image,name' }])
    expect(await linesOf(() => ann.post('/update-user', {}))).toEqual([])
    expect(await linesOf(() => ann.post('/update-user', { name: 1 }))).toEqual([])
  })

  it('a sign-up with a taken address: whose it is, where that is looked up', async () => {
    const { email } = await verifiedPerson(service)
    const signUp = (at: TestService) => () =>
      at.visitor().post('/sign-up/email', { email, name: 'Ann', password: testPassword })
    expect(await linesOf(signUp(service))).toMatchObject([
      { event: 'sign-up-failed', userId: null, reason: 'USER_EXISTS' },
    ])
    expect(await linesOf(signUp(strict))).toMatchObject([{ event: 'sign-up-failed', userId: await idOf(email) }])
  })

  it('a wrong code of a device sign-in', async () => {
    const { lines } = await told(() => service.visitor().get('/device?user_code=BBBB-BBBB'))
    expect(lines).toMatchObject([{ event: 'user-code-wrong', userId: null }])
    check(lines)
  })

  it('a mail that is asked for: by whom is known, for nobody null', async () => {
    const { email } = await service.person()
    const id = await idOf(email)
    for (const [path, event] of [
      ['/forget-password', 'password-reset-asked'],
      ['/send-verification-email', 'email-verification-asked'],
    ] as const) {
      expect(await linesOf(() => service.visitor().post(path, { email }))).toMatchObject([{ event, userId: id }])
      expect(await linesOf(() => service.visitor().post(path, { email: someone() }))).toMatchObject([
        { event, userId: null },
      ])
    }
  })

  it('a password that has to be given once more', async () => {
    const ann = await service.person()
    const [userId, wrong] = [await idOf(ann.email), 'a wrong passphrase']
    const line = { event: 'password-proof-failed', userId, reason: 'WRONG_PASSWORD' } as const
    expect(await linesOf(() => ann.post('/delete-user', { password: wrong }))).toMatchObject([line])
    const change = { currentPassword: wrong, newPassword: 'another horse battery staple' }
    // From elsewhere: an equal act would join the row before.
    expect(await linesOf(() => steady(ann, service).post('/change-password', change))).toMatchObject([line])
    expect(
      await linesOf(() => ann.post('/change-password', { ...change, currentPassword: testPassword })),
    ).toMatchObject([
      {
        event: 'password-changed',
        userId,
      },
    ])
  })

  it('a change of the address, in all its steps', async () => {
    const ann = await verifiedPerson(service)
    const [userId, to] = [await idOf(ann.email), someone()]
    expect(await linesOf(() => ann.post('/change-email', { newEmail: to }))).toMatchObject([
      { event: 'email-change-asked', userId },
    ])
    const { url } = await linkTo(service, ann.email, 'change-email')
    expect(await linesOf(() => open(service, ann, url))).toMatchObject([{ event: 'email-changed', userId }])
    expect(
      await linesOf(async () => open(service, ann, (await linkTo(service, to, 'verify-email')).url)),
    ).toMatchObject([
      {
        event: 'email-verified',
        userId,
      },
    ])
    const [bob, next] = [await verifiedPerson(service), someone()]
    const there = strict.copyOf(bob)
    const bobs = { userId: await idOf(bob.email) }
    expect(await linesOf(() => there.post('/change-email', { newEmail: next }))).toMatchObject([
      { event: 'email-change-asked', ...bobs },
    ])
    const agreed = await linkTo(service, bob.email, 'change-email')
    expect(await linesOf(() => open(strict, there, agreed.url))).toMatchObject([
      { event: 'email-change-agreed', ...bobs },
    ])
    const last = await linkTo(service, next, 'verify-email')
    expect(await linesOf(() => open(strict, there, last.url))).toMatchObject([{ event: 'email-changed', ...bobs }])
  })

  it('a second look at a link, which does nothing, tells nothing', async () => {
    const { email } = await service.person()
    await service.visitor().post('/send-verification-email', { email })
    const { url } = await linkTo(service, email, 'verify-email')
    await open(service, service.visitor(), url)
    expect((await told(() => open(service, service.visitor(), url))).events).toEqual([])
  })

  it('a deletion by mail', async () => {
    const mailing = await service.sibling({ DELETE_USER_MODE: 'email' })
    const ann = await mailing.person()
    const userId = await idOf(ann.email)
    expect(await linesOf(() => ann.post('/delete-user'))).toMatchObject([{ event: 'account-deletion-asked', userId }])
    const { url } = await linkTo(service, ann.email, 'delete-account')
    expect(await linesOf(() => open(mailing, ann, url))).toMatchObject([{ event: 'account-deleted', userId }])
  })

  it('a new password by the page of ours', async () => {
    const { email } = await service.person()
    await service.visitor().post('/forget-password', { email })
    const { token } = await linkTo(service, email, 'reset-password')
    const post = () => sendForm(service.visitor(), { token, newPassword: 'another horse battery staple' })
    const { reply, events, lines } = await told(post)
    expect([reply.status, events]).toEqual([303, ['password-reset-done', 'sessions-revoked']])
    expect(lines[1]).toMatchObject({ userId: await idOf(email), count: 1 })
  })

  it('what was done to whom in which organization', async () => {
    const acme = await found(service)
    const bob = await acme.join('member')
    const inAcme = { userId: acme.owner.userId, organizationId: acme.id }
    const post = (call: string, more: object) => () =>
      acme.owner.post(`/organization/${call}`, { organizationId: acme.id, ...more })
    const email = someone()
    expect(await linesOf(post('invite-member', { email, role: 'admin,member' }))).toMatchObject([
      {
        event: 'invitation-sent',
        ...inAcme,
        role: 'admin,member',
      },
    ])
    expect(await linesOf(post('invite-member', { email, role: 'member', resend: true }))).toMatchObject([
      { event: 'invitation-resent', ...inAcme, role: 'member' },
    ])
    expect(await linesOf(post('update-member-role', { memberId: bob.memberId, role: 'admin' }))).toMatchObject([
      {
        event: 'role-changed',
        ...inAcme,
        memberUserId: bob.userId,
        from: 'member',
        to: 'admin',
      },
    ])
    expect(await linesOf(post('remove-member', { memberIdOrEmail: bob.email }))).toMatchObject([
      {
        event: 'member-removed',
        ...inAcme,
        memberUserId: bob.userId,
      },
    ])
  })

  it('an invitation by its organization, never by its id: that proves a mailbox', async () => {
    const [acme, dave] = [await found(service), await verifiedPerson(service)]
    const id = await acme.invite(dave.email)
    expect(await linesOf(() => dave.post('/organization/accept-invitation', { invitationId: id }))).toMatchObject([
      {
        event: 'invitation-accepted',
        userId: await idOf(dave.email),
        organizationId: acme.id,
        role: 'member',
      },
    ])
    expect(JSON.stringify(service.logged)).not.toContain(id)
  })
})

describe('the log', () => {
  it('names the network of the request, an IPv6 one by its /64, and the same request id as its answer', async () => {
    const { email } = await service.person()
    const visitor = service.visitor('2001:db8:1:2:3:4:5:6')
    const { reply, lines } = await told(() => visitor.post('/sign-in/email', { email, password: testPassword }))
    expect(lines[0]).toEqual({
      level: 30,
      msg: 'security event',
      event: 'sign-in-done',
      requestId: reply.headers.get('x-request-id'),
      network: '2001:db8:1:2::',
      userId: await idOf(email),
    })
  })

  it('tells nothing of what was undone', async () => {
    const ann = await service.person()
    const { sql } = service.deps
    await sql`alter table organizations rename to away`
    const { reply, events } = await told(() => ann.post('/organization/create', { name: 'Acme', slug: newSlug() }))
    await sql`alter table away rename to organizations`
    expect([reply.status, events]).toEqual([500, []])
    await done(ann.post('/organization/create', { name: 'Acme', slug: newSlug() }))
  })
})

describe('an account at a provider', () => {
  it('is told when it is linked, and by whom it was not', async () => {
    const ann = await service.person()
    const { id: userId } = await userOf(service, ann.email)
    const { events, lines } = await told(() => linkAt(provider, ann, personAt({ email: ann.email })))
    expect([events, lines[0]]).toEqual([['account-linked'], expect.objectContaining({ userId, provider: 'google' })])
    const refused = await told(() =>
      signInAt(provider, service.visitor(), personAt({ email: ann.email, email_verified: false })),
    )
    check([...lines, ...refused.lines])
    expect(refused.lines[0]).toMatchObject({ event: 'sign-in-failed', reason: 'ACCOUNT_NOT_LINKED' })
  })

  it('is told when its owner comes, with how many ways in ended that had proved nothing', async () => {
    const stranger = await service.person()
    const { events, lines } = await told(() =>
      signInAt(provider, service.visitor(), personAt({ email: stranger.email })),
    )
    expect(events).toEqual(['account-linked', 'unproven-sign-ins-ended', 'sign-in-done'])
    expect(lines[1]).toMatchObject({ userId: await idOf(stranger.email), count: 1 })
    check(lines)
  })

  it.each([
    ['on our page', refuseLink],
    ['at the provider', denyAtProvider],
  ])('is told by its own name when its link is refused %s, in log and trail', async (_, refuse) => {
    const [ann, browser] = [await verifiedPerson(service), service.visitor()]
    await claimLink(browser, await startLink(ann))
    const { lines } = await told(() => refuse(browser))
    const userId = await idOf(ann.email)
    expect(lines).toMatchObject([{ event: 'device-link-refused', userId }])
    check(lines)
    const { sql } = service.deps
    const trail = sql`select event from audit_events where user_id = ${userId} and event like 'device-%' order by id`
    expect(await trail).toEqual([{ event: 'device-link-asked' }, { event: 'device-link-refused' }])
  })
})

it('every event of the catalogue was told here', () => {
  // How calls and machines are refused, and what happens without a call, their own tests tell.
  const refused = ['permission-refused', 'request-throttled', 'key-refused', 'token-exchange-refused']
  const others = [...refused, 'records-imported', 'webhook-parked']
  expect([...seen, ...others].toSorted()).toEqual(Object.keys(catalogue).toSorted())
})
