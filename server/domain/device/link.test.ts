import { describe, expect, it } from 'vitest'
import { deviceGrantType } from '../../../shared/device.ts'
import { decideInBrowser, sendFormTo } from '../../pages/testing/forms.ts'
import { ageDevices, clientId } from '../../testing/device.ts'
import {
  claimLink,
  denyAtProvider,
  linkInBrowser,
  onwardOf,
  startLink,
  verifiedPerson,
} from '../../testing/device-links.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { ageSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { callbackOf, locationOf, personAt, signInAt } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))

const page = '/page/device'
const errorOf = ({ status, body }: Reply) => `${status} ${body?.error}`
const base = 'http://localhost:4100/api/auth'
const linked = `${base}${page}/linked`
const refused = `${base}${page}/request?error=unable_to_link_account`
const toProve = `${base}${page}/request?error=link_not_proven`
const providersOf = async (person: Visitor) =>
  (await person.get('/list-accounts')).body.map(({ provider: id }: { provider: string }) => id)

/** Somebody who asks for a link, and a browser that has typed the code. */
async function claimed(at = service) {
  const [ann, browser] = [await verifiedPerson(at), at.visitor()]
  const asked = await startLink(ann)
  await claimLink(browser, asked)
  return { ann, browser, asked }
}

describe('a link that is made in another browser', () => {
  it('shows to whom, links there and nothing else, and tells the session that asked, once', async () => {
    const { ann, browser, asked } = await claimed()
    const { text } = await browser.get(`${page}/request`)
    expect(text).toContain(`${ann.email.charAt(0)}•••@example.com`)
    expect(text).not.toContain(ann.email)
    expect(text).toContain('Continue with Google')
    expect(errorOf(await asked.poll())).toBe('400 authorization_pending')
    const back = await linkInBrowser(provider, browser, ann.at)
    expect([back.status, locationOf(back)]).toEqual([302, linked])
    expect((await browser.get(`${page}/linked`)).text).toContain('Linked')
    expect([...browser.cookies.keys()]).toEqual([])
    expect((await browser.get('/get-session')).body).toBeNull()
    expect(await providersOf(ann)).toEqual(['credential', 'google'])
    await ageDevices(service, 5)
    const told = await asked.poll()
    expect([told.status, told.body.linked.accountId, told.setCookies]).toEqual([200, ann.at.sub, []])
    expect(errorOf(await asked.poll())).toBe('400 invalid_grant')
    const again = service.visitor()
    await signInAt(provider, again, ann.at)
    expect((await again.get('/get-session')).body.user.email).toBe(ann.email)
  })

  it('is told to no other session, not even of the same user, and never as a sign-in', async () => {
    const { ann, browser, asked } = await claimed()
    await linkInBrowser(provider, browser, ann.at)
    const body = { client_id: clientId, device_code: asked.deviceCode }
    const second = service.visitor()
    await second.post('/sign-in/email', { email: ann.email, password: testPassword })
    for (const other of [second, await service.person()])
      expect(errorOf(await other.post('/device/link/status', body))).toBe('400 invalid_grant')
    expect((await service.visitor().post('/device/link/status', body)).status).toBe(401)
    const asSignIn = await ann.post('/device/token', { ...body, grant_type: deviceGrantType })
    expect(errorOf(asSignIn)).toBe('400 invalid_grant')
    expect((await asked.poll()).status).toBe(200)
  })

  it('cannot be approved as a sign-in, on the page or by an application', async () => {
    const { ann, browser, asked } = await claimed()
    const [{ id } = {}] = await service.deps.sql`select id from users where email = ${ann.email}`
    await sendFormTo(`${page}/password`, browser, { email: ann.email, password: testPassword })
    expect((await decideInBrowser(browser, { decision: 'approve', as: id })).status).toBe(303)
    expect((await ann.get(`/device?user_code=${asked.userCode}`)).status).toBe(400)
    expect((await ann.post('/device/approve', { userCode: asked.userCode })).status).toBe(400)
    expect(errorOf(await asked.poll())).toBe('400 authorization_pending')
  })

  it('ends with the session that asked', async () => {
    const { ann, browser, asked } = await claimed()
    await ann.post('/sign-out')
    const back = await linkInBrowser(provider, browser, ann.at)
    expect(locationOf(back)).toBe(refused)
    await ann.post('/sign-in/email', { email: ann.email, password: testPassword })
    expect([await providersOf(ann), errorOf(await asked.poll())]).toEqual([['credential'], '400 invalid_grant'])
  })

  it('ends with a session that ends while the person is at the provider', async () => {
    const { ann, browser } = await claimed()
    const address = onwardOf(await sendFormTo(`${page}/link`, browser, { provider: 'google' }))
    const back = callbackOf(await provider.visit(address, ann.at))
    await ann.post('/sign-out')
    expect(locationOf(await browser.get(back))).toBe(refused)
  })

  it('is over in time while the person is at the provider, whose code is not redeemed then', async () => {
    const { ann, browser } = await claimed()
    const address = onwardOf(await sendFormTo(`${page}/link`, browser, { provider: 'google' }))
    const back = callbackOf(await provider.visit(address, ann.at))
    await ageDevices(service, 600)
    const before = provider.requests.length
    expect(locationOf(await browser.get(back))).toContain('error=please_restart_the_process')
    expect(provider.requests.slice(before)).toEqual([])
  })

  it('is refused by a person, and leaves all as it was', async () => {
    const { ann, browser, asked } = await claimed()
    const done = await decideInBrowser(browser, { decision: 'refuse' })
    expect(done.text).toContain('Refused')
    expect([errorOf(await asked.poll()), await providersOf(ann)]).toEqual(['400 access_denied', ['credential']])
  })

  it.each(['access_denied', 'user_cancelled_authorize', 'user_cancelled_login'])(
    'ends at once when the provider says no by %s, and tells that it was the provider',
    async (error) => {
      const { ann, browser, asked } = await claimed()
      const back = await denyAtProvider(browser, error)
      const shown = await browser.get(locationOf(back))
      expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('<h1>Refused</h1>')])
      expect([errorOf(await asked.poll()), await providersOf(ann)]).toEqual(['400 denied_by_provider', ['credential']])
      expect(errorOf(await asked.poll())).toBe('400 invalid_grant')
      expect((await browser.get(`${page}/request`)).text).toContain('No request is waiting here')
    },
  )

  it.each(['temporarily_unavailable', 'server_error', 'login_required'])(
    'waits still after a provider that says %s, and is made by the next try',
    async (error) => {
      const { ann, browser, asked } = await claimed()
      expect(locationOf(await denyAtProvider(browser, error))).toContain(`error=${error}`)
      expect(locationOf(await linkInBrowser(provider, browser, ann.at))).toBe(linked)
      expect([(await asked.poll()).status, await providersOf(ann)]).toEqual([200, ['credential', 'google']])
    },
  )

  it('that is made stays made, whatever a provider says later', async () => {
    const { ann, browser, asked } = await claimed()
    const onward = onwardOf(await sendFormTo(`${page}/link`, browser, { provider: 'google' }))
    await linkInBrowser(provider, browser, ann.at)
    const state = new URL(onward).searchParams.get('state')
    await browser.get(`/callback/google?error=access_denied&state=${state}`)
    expect((await asked.poll()).status).toBe(200)
  })

  it('is made once, of eight that come back at once', async () => {
    const { ann, browser, asked } = await claimed()
    const begin = async () => onwardOf(await sendFormTo(`${page}/link`, browser, { provider: 'google' }))
    const backs: string[] = []
    for (let index = 0; index < 8; index += 1)
      backs.push(callbackOf(await provider.visit(await begin(), personAt({ email: ann.email }))))
    const landed = await Promise.all(backs.map((back) => browser.get(back)))
    expect(landed.map(locationOf).filter((location) => location === linked)).toHaveLength(1)
    expect(await providersOf(ann)).toEqual(['credential', 'google'])
    expect((await asked.poll()).status).toBe(200)
  })
})

describe('who may be linked from another browser', () => {
  it('is nobody else than the one who asks: an identity with another address is refused', async () => {
    const { ann, browser, asked } = await claimed()
    expect(locationOf(await linkInBrowser(provider, browser, personAt()))).toBe(refused)
    expect([await providersOf(ann), errorOf(await asked.poll())]).toEqual([['credential'], '400 authorization_pending'])
    expect(locationOf(await linkInBrowser(provider, browser, ann.at))).toBe(linked)
  })

  it('is refused in the log by its code, without a stack', async () => {
    const { browser } = await claimed()
    const before = service.logged.length
    await linkInBrowser(provider, browser, personAt())
    const told = JSON.stringify(service.logged.slice(before))
    expect(told).toContain('"code":"unable_to_link_account"')
    expect(told).not.toContain('stack')
  })

  it('is linked at the provider that was asked for alone', async () => {
    const { browser } = await claimed(await service.sibling(provider.settings('GITHUB')))
    const reply = await sendFormTo(`${page}/link`, browser, { provider: 'github' })
    expect([reply.status, onwardOf(reply)]).toEqual([400, ''])
  })

  it.each(['no-such', 'apple'])('knows no %s, as a sign-in on a device knows none', async (id) => {
    const { status, body } = await (await service.person()).post('/device/link', { client_id: clientId, provider: id })
    expect([status, body.code]).toEqual([404, 'PROVIDER_NOT_FOUND'])
  })

  it('takes an address that both sides have verified, and no other', async () => {
    const { ann, browser } = await claimed()
    const unproven = { ...ann.at, email_verified: false }
    expect(locationOf(await linkInBrowser(provider, browser, unproven))).toBe(refused)
    // Who signed up with somebody's address, and waits for that person to link their own identity to it.
    const mallory = await service.person()
    const asked = await startLink(mallory)
    const victim = service.visitor()
    await claimLink(victim, asked)
    expect(locationOf(await linkInBrowser(provider, victim, personAt({ email: mallory.email })))).toBe(toProve)
    expect(await providersOf(mallory)).toEqual(['credential'])
  })

  it('takes an address of a provider that is not trusted only of a browser that has proven who it is', async () => {
    const wary = await service.sibling({ TRUSTED_PROVIDERS: 'github' })
    const { ann, browser } = await claimed(wary)
    // Whoever saw the code, and lets a lax provider state the address of who asks.
    const back = await linkInBrowser(provider, browser, ann.at)
    expect([locationOf(back), await providersOf(ann)]).toEqual([toProve, ['credential']])
    // The same for any address, so that nobody learns by it what the address of who asks is.
    expect(locationOf(await linkInBrowser(provider, browser, personAt()))).toBe(toProve)
    const { text } = await browser.get(locationOf(back))
    expect(text).toContain('<p role="alert">Sign in on this page first, to show that you asked for this link.')
    expect(text).toContain('Sign in first to show that you made this request')
    await sendFormTo(`${page}/password`, browser, { email: ann.email, password: testPassword })
    expect(locationOf(await linkInBrowser(provider, browser, personAt()))).toBe(refused)
    expect(locationOf(await linkInBrowser(provider, browser, ann.at))).toBe(linked)
  })

  it('takes another address, where that is allowed, only of a browser that has proven to be the same person', async () => {
    const open = await service.sibling({ ALLOW_DIFFERENT_EMAILS: 'on' })
    const { ann, browser, asked } = await claimed(open)
    const thief = personAt()
    expect(locationOf(await linkInBrowser(provider, browser, thief))).toBe(toProve)
    const mallory = await open.person()
    await sendFormTo(`${page}/password`, browser, { email: mallory.email, password: testPassword })
    expect(locationOf(await linkInBrowser(provider, browser, thief))).toBe(toProve)
    expect(await providersOf(ann)).toEqual(['credential'])
    await sendFormTo(`${page}/password`, browser, { email: ann.email, password: testPassword })
    expect(locationOf(await linkInBrowser(provider, browser, thief))).toBe(linked)
    expect((await asked.poll()).body.linked.accountId).toBe(thief.sub)
  })

  it('takes another address of a fresh session alone; a stale one is told at once, and the page says why', async () => {
    const open = await service.sibling({ ALLOW_DIFFERENT_EMAILS: 'on' })
    const { ann, browser, asked } = await claimed(open)
    await sendFormTo(`${page}/password`, browser, { email: ann.email, password: testPassword })
    await ageSessions(open, ann.email, 2 * 86_400)
    const back = await linkInBrowser(provider, browser, personAt())
    expect(locationOf(back)).toBe(`${base}${page}/request?error=session_is_not_fresh`)
    const shown = await browser.get(locationOf(back))
    expect(shown.text).toContain('<h1>Refused</h1><p role="alert">You signed in too long ago to link')
    const told = await asked.poll()
    expect([told.status, told.body.code, await providersOf(ann)]).toEqual([403, 'SESSION_IS_NOT_FRESH', ['credential']])
    expect(errorOf(await asked.poll())).toBe('400 invalid_grant')
  })

  it('takes the same address, verified on both sides, of a stale session too', async () => {
    const { ann, browser, asked } = await claimed()
    await ageSessions(service, ann.email, 2 * 86_400)
    expect(locationOf(await linkInBrowser(provider, browser, ann.at))).toBe(linked)
    expect([(await asked.poll()).status, await providersOf(ann)]).toEqual([200, ['credential', 'google']])
  })

  it('refuses an identity that somebody else signs in with', async () => {
    const taken = personAt()
    await signInAt(provider, service.visitor(), taken)
    const { ann, browser } = await claimed()
    const back = await linkInBrowser(provider, browser, { ...taken, email: ann.email })
    expect(locationOf(back)).toBe(`${base}${page}/request?error=account_already_linked_to_different_user`)
  })

  it.each(['on', 'off'])(
    'comes back only in the browser that went there, with the state cookie %s, and only with a claim',
    async (STATE_COOKIE) => {
      const at = await service.sibling({ STATE_COOKIE })
      const { ann, browser } = await claimed(at)
      const begin = async () => onwardOf(await sendFormTo(`${page}/link`, browser, { provider: 'google' }))
      const back = callbackOf(await provider.visit(await begin(), ann.at))
      expect(locationOf(await at.visitor().get(back))).toContain('error=please_restart_the_process')
      expect(await providersOf(ann)).toEqual(['credential'])
      expect(locationOf(await browser.get(callbackOf(await provider.visit(await begin(), ann.at))))).toBe(linked)
      const reply = await sendFormTo(`${page}/link`, at.visitor(), { provider: 'google' })
      expect([reply.status, onwardOf(reply)]).toEqual([400, ''])
    },
  )

  it('makes nobody a user, and signs nobody in', async () => {
    const { browser } = await claimed()
    const stranger = personAt()
    await linkInBrowser(provider, browser, stranger)
    const found = await service.deps.sql`select id from users where email = ${stranger.email ?? ''}`
    expect([found.length, (await browser.get('/get-session')).body]).toEqual([0, null])
  })
})
