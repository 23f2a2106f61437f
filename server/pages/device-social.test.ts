import { describe, expect, it } from 'vitest'
import { oneTapNonce } from '../domain/device/identify.ts'
import { ageDevices, clientId, startWaiting, type Waiting } from '../testing/device.ts'
import { claimLink, denyAtProvider, startLink } from '../testing/device-links.ts'
import { userOf } from '../testing/mailed.ts'
import { type Person, startOpenIdProvider } from '../testing/openid-provider.ts'
import { createTestService, type TestService } from '../testing/service.ts'
import { callbackOf, locationOf, personAt, signInAt } from '../testing/social.ts'
import { useStarted, useTestService } from '../testing/use-service.ts'
import type { Reply, Visitor } from '../testing/visitor.ts'
import { decideInBrowser, sendFormTo } from './testing/forms.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))

const page = '/page/device'
const requestPage = `${page}/request`
const here = `http://localhost:4100/api/auth${requestPage}`
const headingOf = ({ text }: Reply) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
const alertOf = ({ text }: Reply) => /<p role="alert">(.*?)<\/p>/.exec(text)?.[1]
const claim = (browser: Visitor, { userCode }: Waiting) => sendFormTo(page, browser, { user_code: userCode })
const idOf = async (email: string) => (await userOf(service, email)).id
const approve = (browser: Visitor, as: string) => decideInBrowser(browser, { decision: 'approve', as })

/** Presses the provider's button; where the browser is sent. */
async function begin(browser: Visitor): Promise<string> {
  const { text } = await sendFormTo(`${page}/provider`, browser, { provider: 'google' })
  const [, target = ''] = /http-equiv="refresh" content="0;url=([^"]*)"/i.exec(text) ?? []
  return target.replaceAll('&amp;', '&')
}

/** Comes back from the provider. */
const visit = async (browser: Visitor, person: Person): Promise<Reply> =>
  browser.get(callbackOf(await provider.visit(await begin(browser), person)))

async function claimed(on: TestService = service) {
  const [asked, browser] = [await startWaiting(on), on.visitor()]
  await claim(browser, asked)
  return { asked, browser }
}

describe('a provider on the page of a device sign-in', () => {
  it('replaces what we have of who comes again, where the settings say so', async () => {
    const ann = personAt()
    await signInAt(provider, service.visitor(), ann)
    const id = await idOf(ann.email!)
    const overriding = await service.sibling({ GOOGLE_OVERRIDE_USER_INFO: 'on' })
    const { browser } = await claimed(overriding)
    const email = `new-${ann.email}`
    expect(locationOf(await visit(browser, { ...ann, email, name: 'Anna' }))).toBe(here)
    expect(await service.deps.sql`select email, name from users where id = ${id}`).toEqual([{ email, name: 'Anna' }])
    expect((await browser.get(requestPage)).text).toContain(email)
  })

  it('leads back to the page whatever path the service has', async () => {
    const at = await service.sibling({ BASE_PATH: '/~id/auth' })
    const { browser } = await claimed(at)
    const state = new URL(await begin(browser)).searchParams.get('state')
    const [back, linking] = [await browser.get(`/callback/google?error=access_denied&state=${state}`), at.visitor()]
    await claimLink(linking, await startLink(await at.person()))
    for (const reply of [back, await denyAtProvider(linking)])
      expect(locationOf(reply)).toBe(`http://localhost:4100/~id/auth${requestPage}?error=access_denied`)
  })

  it('says who approves, makes the user where there is none, and leaves no session in the browser', async () => {
    const ann = personAt()
    const { asked, browser } = await claimed()
    const back = await visit(browser, ann)
    expect([back.status, locationOf(back)]).toEqual([302, here])
    expect([...browser.cookies.keys()]).toEqual(['postern.device_claim'])
    expect((await browser.get('/get-session')).body).toBeNull()
    expect((await service.deps.sql`select from sessions where user_id = ${await idOf(ann.email!)}`).count).toBe(0)
    const shown = await browser.get(requestPage)
    expect([headingOf(shown), shown.text.includes(ann.email!)]).toEqual(['Is this you?', true])
    await approve(browser, await idOf(ann.email!))
    expect([...browser.cookies.keys()]).toEqual([])
    const { access_token: token } = (await asked.poll()).body
    const { user } = (await asked.machine.get('/get-session', { authorization: `Bearer ${token}` })).body
    expect(user.email).toBe(ann.email)
  })

  it('knows a user again, and ends no session of the browser', async () => {
    const ann = personAt()
    const browser = service.visitor()
    await signInAt(provider, browser, ann)
    const session = browser.cookies.get('postern.session_token')
    const asked = await startWaiting(service)
    await claim(browser, asked)
    expect(locationOf(await visit(browser, personAt()))).toBe(here)
    expect((await browser.get(requestPage)).text).not.toContain(ann.email)
    expect(locationOf(await visit(browser, ann))).toBe(here)
    await approve(browser, await idOf(ann.email!))
    expect((await asked.poll()).status).toBe(200)
    expect(browser.cookies.get('postern.session_token')).toBe(session)
    expect((await browser.get('/get-session')).body.user.email).toBe(ann.email)
  })

  it('is offered first where the machine asked for it', async () => {
    const two = await service.sibling({
      GITHUB_CLIENT_ID: 'an-id',
      GITHUB_CLIENT_SECRET: 'a-secret',
    })
    const names = async (fields: Record<string, string>) => {
      const [asked, browser] = [await startWaiting(two, fields), two.visitor()]
      await claim(browser, asked)
      return [...(await browser.get(requestPage)).text.matchAll(/value="(\w+)"[^>]* name="provider"/g)].map(
        ([, id]) => id,
      )
    }
    expect(await names({ provider: 'github' })).toEqual(['github', 'google'])
    expect(await names({ provider: 'google' })).toEqual(['google', 'github'])
    const unknown = await two.visitor().post('/device/code', { client_id: clientId, provider: 'gitlab' })
    expect([unknown.status, unknown.body.error_description]).toEqual([400, 'Provider not found'])
  })

  it.each([
    ['a person whom it does not tell about', { email: undefined }, 'The provider gave no email address for you.'],
    ['somebody else’s unverified address', {}, 'An account with this email exists.'],
  ])('leads back with the reason: %s', async (_who, fields, sentence) => {
    const taken = await service.person()
    const { asked, browser } = await claimed()
    const back = await visit(browser, personAt({ email: taken.email, email_verified: false, ...fields }))
    expect(locationOf(back)).toMatch(new RegExp(`^${here}\\?error=`))
    const shown = await browser.get(locationOf(back))
    expect([headingOf(shown), alertOf(shown)]).toEqual(['Who are you?', expect.stringContaining(sentence)])
    expect((await asked.poll()).body.error).toBe('authorization_pending')
  })

  it('leads back a banned person, and one whom the provider refused', async () => {
    const ann = personAt()
    await signInAt(provider, service.visitor(), ann)
    await service.deps.sql`update users set banned = true where email = ${ann.email!}`
    const { browser } = await claimed()
    expect(locationOf(await visit(browser, ann))).toMatch(new RegExp(`^${here}\\?error=banned`))
    const state = new URL(await begin(browser)).searchParams.get('state')
    const refused = await browser.get(`/callback/google?error=access_denied&state=${state}`)
    expect(locationOf(refused)).toBe(`${here}?error=access_denied`)
  })

  it('that is none is refused in words', async () => {
    const { browser } = await claimed()
    for (const [name, status] of [
      ['gitlab', 404],
      ['nobody', 400],
    ] as const) {
      const reply = await sendFormTo(`${page}/provider`, browser, { provider: name })
      expect([reply.status, headingOf(reply)]).toEqual([status, 'Who are you?'])
    }
  })

  it('is not asked for a browser without a claim', async () => {
    const before = (await service.deps.sql`select from verifications`).count
    const reply = await sendFormTo(`${page}/provider`, service.visitor(), { provider: 'google' })
    expect([reply.status, headingOf(reply)]).toEqual([400, 'No request is waiting here'])
    expect((await service.deps.sql`select from verifications`).count).toBe(before)
  })
})

it('a provider of the settings has the same name on each page of a link', async () => {
  const at = await service.sibling(provider.settings('OIDC_ACME_CORP'))
  const browser = at.visitor()
  await claimLink(browser, await startLink(await at.person(), 'acme-corp'))
  const shown = await browser.get(requestPage)
  const onward = await sendFormTo(`${page}/link`, browser, { provider: 'acme-corp' })
  expect([headingOf(shown), headingOf(onward)]).toEqual(['Link an account at Acme Corp?', 'Continue to Acme Corp'])
})

describe('somebody who is made to follow a stranger’s link', () => {
  it.each(['on', 'off'])('approves nothing, with the state cookie %s', async (STATE_COOKIE) => {
    const careless = await service.sibling({ STATE_COOKIE })
    const { asked, browser } = await claimed(careless)
    const back = callbackOf(await provider.visit(await begin(browser), personAt()))
    for (const victim of [careless.visitor(), await careless.person()])
      expect(locationOf(await victim.get(back))).toContain('error=please_restart_the_process')
    const [request] = await careless.deps.sql`select user_id from device_requests order by created_at desc limit 1`
    expect(request?.userId).toBeNull()
    expect((await asked.poll()).body.error).toBe('authorization_pending')
  })

  it('who comes back when the claim is over, approves nothing', async () => {
    const ann = personAt()
    const { asked, browser } = await claimed()
    const back = callbackOf(await provider.visit(await begin(browser), ann))
    await ageDevices(service, 600)
    const late = await browser.get(back)
    expect(locationOf(late)).toBe(`${here}?error=please_restart_the_process`)
    expect((await service.deps.sql`select from users where email = ${ann.email!}`).count).toBe(0)
    expect(headingOf(await browser.get(requestPage))).toBe('No request is waiting here')
    expect((await asked.poll()).body.error).toBe('expired_token')
  })
})

describe('Google One Tap on the page', () => {
  const secretOf = (browser: Visitor) =>
    decodeURIComponent(browser.cookies.get('postern.device_claim') ?? '').split('.')[0] ?? ''
  const send = (browser: Visitor, idToken: string) => sendFormTo(`${page}/one-tap`, browser, { idToken })
  const policyOf = ({ headers }: Reply) => headers.get('content-security-policy') ?? ''

  it('says who approves, once, by a token that was made for this very claim', async () => {
    const ann = personAt()
    const { asked, browser } = await claimed()
    const token = await provider.sign({ ...ann, nonce: oneTapNonce(secretOf(browser)) })
    const other = await claimed()
    expect([(await send(other.browser, token)).status, (await send(browser, token)).status]).toEqual([400, 303])
    expect((await send(browser, token)).status).toBe(400)
    for (const claims of [{ ...ann }, { ...ann, nonce: 'another' }])
      expect(alertOf(await send(browser, await provider.sign(claims)))).toBe(
        'The response from Google could not be used. Try again.',
      )
    await approve(browser, await idOf(ann.email!))
    expect([(await asked.poll()).status, [...browser.cookies.keys()]]).toEqual([200, []])
  })

  it('makes no user where the settings want to be asked for one', async () => {
    const { browser } = await claimed(await service.sibling({ GOOGLE_DISABLE_IMPLICIT_SIGN_UP: 'on' }))
    const ann = personAt()
    const sent = await send(browser, await provider.sign({ ...ann, nonce: oneTapNonce(secretOf(browser)) }))
    expect(alertOf(sent)).toBeDefined()
    expect((await service.deps.sql`select from users where email = ${ann.email!}`).count).toBe(0)
  })

  it('runs one script, by a nonce that is new each time, where Google is a provider and somebody is asked for', async () => {
    const { browser } = await claimed()
    const [one, two] = [await browser.get(requestPage), await browser.get(requestPage)]
    const [, nonce = ''] = /script-src 'nonce-(\w{22})';/.exec(policyOf(one)) ?? []
    expect(one.text.match(/<script nonce="(\w+)"/)?.[1]).toBe(nonce)
    expect([policyOf(two).includes(nonce), nonce.length]).toEqual([false, 22])
    expect(policyOf(one)).toMatch(/^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'$/)
    expect(policyOf(one)).not.toMatch(/unsafe|\*|data:/)
    // Google's script looks where it runs, and may open a window of its own; of no other page is anything told.
    const told = ({ headers }: Reply) => [headers.get('referrer-policy'), headers.get('cross-origin-opener-policy')]
    expect([told(one), told(await browser.get(page))]).toEqual([
      ['strict-origin-when-cross-origin', 'same-origin-allow-popups'],
      ['same-origin', 'same-origin'],
    ])
    const ann = await service.person()
    await claim(ann, await startWaiting(service))
    expect(policyOf(await ann.get(`${requestPage}?another=on`))).toContain('script-src')
    const [known, typed] = [await ann.get(requestPage), await ann.get(page)]
    const without = await createTestService()
    const { browser: plain } = await claimed(without)
    for (const reply of [known, typed, await plain.get(requestPage)])
      expect([policyOf(reply).includes('script-src'), reply.text.includes('<script')]).toEqual([false, false])
    await without.stop()
  })
})
