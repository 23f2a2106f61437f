import { describe, expect, it } from 'vitest'
import { encodeLabel, labelHeader } from '../../shared/text-rules.ts'
import { ageDevices, clientId, startWaiting, type Waiting } from '../testing/device.ts'
import { userOf } from '../testing/mailed.ts'
import { proveAddress } from '../testing/prove-address.ts'
import { enough, rounds } from '../testing/rounds.ts'
import { dumpTables } from '../testing/rows.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'
import type { Reply, Visitor } from '../testing/visitor.ts'
import { decideInBrowser, sendFormTo } from './testing/forms.ts'

const service = useTestService()

const page = '/page/device'
const requestPage = `${page}/request`
const headingOf = ({ text }: Reply) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
const alertOf = ({ text }: Reply) => /<p role="alert">(.*?)<\/p>/.exec(text)?.[1]
const errorOf = ({ status, body }: Reply) => `${status} ${body?.error}`
const claim = (browser: Visitor, { userCode }: Waiting) => sendFormTo(page, browser, { user_code: userCode })
const logIn = (browser: Visitor, email: string, password = testPassword) =>
  sendFormTo(`${page}/password`, browser, { email, password })
const decide = (browser: Visitor, decision: 'approve' | 'refuse', as = '') => decideInBrowser(browser, { decision, as })
const shownIn = ({ text }: Reply) => /name="request" value="([^"]*)"/.exec(text)?.[1] ?? ''
const idOf = async (email: string) => (await userOf(service, email)).id

/** A browser that has typed the code, and said who approves. */
async function identified() {
  const [asked, browser, ann] = [await startWaiting(service), service.visitor(), await service.person()]
  await claim(browser, asked)
  expect((await logIn(browser, ann.email)).status).toBe(303)
  return { asked, browser, ann, as: await idOf(ann.email) }
}

describe('the page of a device sign-in', () => {
  it('leads from the typed code over a password to a session of the machine alone', async () => {
    const [machine, browser, ann] = [service.visitor('203.0.113.9'), service.visitor(), await service.person()]
    const asked = await startWaiting(service, {}, machine)
    const sessions = async () => (await ann.get('/list-sessions')).body.length
    const before = await sessions()
    expect((await claim(browser, asked)).headers.get('location')).toBe(`/api/auth${requestPage}`)
    expect([...browser.cookies.keys()]).toEqual(['postern.device_claim'])
    const asks = await browser.get(requestPage)
    expect([headingOf(asks), asks.text.includes('203.0.113.9'), asks.text.includes(clientId)]).toEqual([
      'Who are you?',
      true,
      true,
    ])
    expect((await logIn(browser, ann.email)).headers.get('location')).toBe(`/api/auth${requestPage}`)
    expect([...browser.cookies.keys()]).toEqual(['postern.device_claim'])
    expect(await sessions()).toBe(before)
    const decision = await browser.get(requestPage)
    expect([headingOf(decision), decision.text.includes(ann.email)]).toEqual(['Is this you?', true])
    expect(errorOf(await asked.poll())).toBe('400 authorization_pending')
    const done = await decide(browser, 'approve', await idOf(ann.email))
    expect([done.status, headingOf(done)]).toEqual([200, 'Approved'])
    expect([...browser.cookies.keys()]).toEqual([])
    await ageDevices(service, 5)
    expect((await asked.poll()).status).toBe(200)
    expect(await sessions()).toBe(before + 1)
    expect((await browser.get('/get-session')).body).toBeNull()
  })

  it('shows what the machine calls itself as a text that a stranger chose', async () => {
    const [machine, browser] = [service.visitor(), service.visitor()]
    const post: Visitor['post'] = (path, body) =>
      machine.post(path, body, { [labelHeader]: encodeLabel('your bank</dd><script>alert(1)</script>') })
    await claim(browser, await startWaiting(service, {}, { ...machine, post }))
    const { text } = await browser.get(requestPage)
    expect(text).toContain(
      '<dt>Machine</dt><dd>calls itself “<bdi>your bank&lt;/dd&gt;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>”</dd>',
    )
    const other = service.visitor()
    await claim(other, await startWaiting(service))
    expect((await other.get(requestPage)).text).not.toContain('calls itself')
  })

  it('takes who is signed in in the browser, and neither ends nor renews that session', async () => {
    const [asked, ann] = [await startWaiting(service), await service.person()]
    const jar = new Map(ann.cookies)
    await claim(ann, asked)
    expect(headingOf(await ann.get(requestPage))).toBe('Is this you?')
    await decide(ann, 'approve', await idOf(ann.email))
    expect((await asked.poll()).status).toBe(200)
    expect(new Map(ann.cookies)).toEqual(jar)
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  })

  it('shows the address as it reads, whatever direction the name has', async () => {
    for (const name of ['محمد', 'Ann\u202e']) {
      const [asked, ann] = [await startWaiting(service), await service.person({ name })]
      await claim(ann, asked)
      const shown = `<strong dir="auto">${name}</strong> <span dir="auto" class="address">${ann.email}</span>.`
      expect((await ann.get(requestPage)).text).toContain(shown)
    }
  })

  it('takes another account than that one, and that one again', async () => {
    const [asked, ann, bob] = [await startWaiting(service), await service.person(), await service.person()]
    await claim(ann, asked)
    expect((await ann.get(`${requestPage}?another=on`)).text).toContain(`Continue as ${ann.email}`)
    const wrong = await logIn(ann, bob.email, 'a wrong passphrase')
    expect([headingOf(wrong), alertOf(wrong)]).toEqual(['Who are you?', 'The email address or the password is wrong.'])
    await logIn(ann, bob.email)
    expect((await ann.get(requestPage)).text).toContain(bob.email)
    expect((await sendFormTo(`${page}/session`, ann)).status).toBe(303)
    expect((await ann.get(requestPage)).text).not.toContain(bob.email)
    await logIn(ann, bob.email)
    await decide(ann, 'approve', await idOf(bob.email))
    const { access_token: token } = (await asked.poll()).body
    const headers = { authorization: `Bearer ${token}` }
    expect((await service.visitor().get('/get-session', headers)).body.user.email).toBe(bob.email)
  })

  it('approves for the one who was shown, not for another who was bound meanwhile', async () => {
    const { asked, browser, as } = await identified()
    await logIn(browser, (await service.person()).email)
    for (const shown of [as, '', 'no-such-user'])
      expect((await decide(browser, 'approve', shown)).headers.get('location')).toBe(`/api/auth${requestPage}`)
    expect(errorOf(await asked.poll())).toBe('400 authorization_pending')
  })

  it('decides about the request that was shown, not about another that the same browser typed since', async () => {
    const [first, second, ann] = [await startWaiting(service), await startWaiting(service), await service.person()]
    const as = await idOf(ann.email)
    await claim(ann, first)
    const shown = shownIn(await ann.get(requestPage))
    await claim(ann, second)
    for (const decision of ['approve', 'refuse'])
      for (const request of [{ request: shown }, {} as Record<string, string>]) {
        const reply = await sendFormTo(`${page}/decision`, ann, { decision, as, ...request })
        expect(reply.headers.get('location')).toBe(`/api/auth${requestPage}`)
      }
    expect([errorOf(await first.poll()), errorOf(await second.poll())]).toEqual(
      Array(2).fill('400 authorization_pending'),
    )
    await claim(ann, first)
    expect(headingOf(await decide(ann, 'approve', as))).toBe('Approved')
  })

  it('approves nothing for a session that its owner ended meanwhile', async () => {
    const [asked, ann, owner] = [await startWaiting(service), await service.person(), service.visitor()]
    await claim(ann, asked)
    await owner.post('/sign-in/email', { email: ann.email, password: testPassword })
    const [, stolen] = (await owner.get('/list-sessions')).body
    expect((await owner.post('/revoke-session', { token: stolen.token })).status).toBe(200)
    await decide(ann, 'approve', await idOf(ann.email))
    expect(errorOf(await asked.poll())).toBe('400 invalid_grant')
    expect((await owner.get('/list-sessions')).body).toHaveLength(1)
  })

  it('refuses without knowing who', async () => {
    const [asked, browser] = [await startWaiting(service), service.visitor()]
    await claim(browser, asked)
    expect(headingOf(await decide(browser, 'refuse'))).toBe('Refused')
    expect([errorOf(await asked.poll()), browser.cookies.size]).toEqual(['400 access_denied', 0])
  })

  it('has refusing as what the Enter key does', async () => {
    const { browser } = await identified()
    const buttons = [...(await browser.get(requestPage)).text.matchAll(/<button[^>]*value="(\w+)"([^>]*)>/g)]
    expect(buttons.map(([, value, rest]) => [value, rest?.includes('autofocus')])).toEqual([
      ['refuse', true],
      ['approve', false],
    ])
  })

  it('asks for a code again that is nobody’s, late, used or claimed by another browser', async () => {
    const refused = async (typed: string) => {
      const reply = await sendFormTo(page, service.visitor(), { user_code: typed })
      return [reply.status, headingOf(reply), alertOf(reply)?.split('.')[0], reply.setCookies.length]
    }
    const heading = 'Sign in on another machine'
    expect(await refused('BBBB-BBBB')).toEqual([400, heading, 'No sign-in is waiting for this code', 0])
    const late = await startWaiting(service)
    await ageDevices(service, 600)
    expect(await refused(late.userCode)).toEqual([400, heading, 'This code has expired', 0])
    const { asked, browser } = await identified()
    expect(await refused(asked.userCode)).toEqual([
      403,
      heading,
      'This code was entered in another browser and can only be answered there',
      0,
    ])
    await decide(browser, 'refuse')
    expect(await refused(asked.userCode)).toEqual([400, heading, 'This sign-in was already approved or refused', 0])
  })

  it('lets one of many browsers in that type the code at once', enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const asked = await startWaiting(service)
      const replies = await Promise.all(Array.from({ length: 8 }, () => claim(service.visitor(), asked)))
      expect(replies.filter(({ status }) => status === 303)).toHaveLength(1)
    }
  })

  it('takes a code that one page sends twice, although the first answer with its cookie was given up', async () => {
    const [first, second] = [await startWaiting(service), await startWaiting(service)]
    const formIn = async () => /name="form" value="([^"]*)"/.exec((await service.visitor().get(page)).text)?.[1] ?? ''
    const send = async (form: string, { userCode }: Waiting, browser = service.visitor()) => {
      const { status } = await sendFormTo(page, browser, { user_code: userCode, form })
      return [status, browser.cookies.get('postern.device_claim')] as const
    }
    const form = await formIn()
    const [, given] = await send(form, first)
    const browser = service.visitor()
    expect(await send(form, first, browser)).toEqual([303, given])
    expect(headingOf(await browser.get(requestPage))).toBe('Who are you?')
    expect(await send(await formIn(), first)).toEqual([403, undefined])
    expect(await send(form, second)).toEqual([303, expect.not.stringMatching(given ?? '')])
  })

  it('shows the same browser the same request when the code is typed again', async () => {
    const { asked, browser, ann, as } = await identified()
    const jar = browser.cookies.get('postern.device_claim')
    expect((await claim(browser, asked)).status).toBe(303)
    expect(browser.cookies.get('postern.device_claim')).toBe(jar)
    expect((await browser.get(requestPage)).text).toContain(ann.email)
    expect(headingOf(await decide(browser, 'approve', as))).toBe('Approved')
  })

  it('says that nothing waits for a browser without a claim, and for one that comes too late', async () => {
    const { asked, browser, as } = await identified()
    for (const reply of [
      await service.visitor().get(requestPage),
      await logIn(service.visitor(), 'ann@example.com'),
      await sendFormTo(`${page}/session`, await service.person()),
    ])
      expect([reply.status, headingOf(reply)]).toEqual([400, 'No request is waiting here'])
    await ageDevices(service, 600)
    expect((await decide(browser, 'approve', as)).status).toBe(303)
    expect(headingOf(await browser.get(requestPage))).toBe('No request is waiting here')
    expect([browser.cookies.size, errorOf(await asked.poll())]).toEqual([0, '400 expired_token'])
  })

  it('is of no use to who guesses at claims', async () => {
    const { asked, browser, as } = await identified()
    const value = browser.cookies.get('postern.device_claim') ?? ''
    const [secret = '', mac = ''] = decodeURIComponent(value).split('.')
    const request = shownIn(await browser.get(requestPage))
    for (const forged of [secret, `${'x'.repeat(43)}.${mac}`, encodeURIComponent(`session.${mac}`)]) {
      const stranger = service.visitor()
      stranger.cookies.set('postern.device_claim', forged)
      const sent = await sendFormTo(`${page}/decision`, stranger, { decision: 'approve', as, request })
      expect(sent.status).toBe(303)
      expect(headingOf(await stranger.get(requestPage))).toBe('No request is waiting here')
    }
    expect(errorOf(await asked.poll())).toBe('400 authorization_pending')
    expect(await dumpTables(service)).not.toContain(secret)
  })
})

describe('opening a link', () => {
  it('does nothing, and fills nothing in', async () => {
    const [asked, ann] = [await startWaiting(service), await service.person()]
    const before = await dumpTables(service)
    const opened = await ann.get(asked.link.replace('http://localhost:4100/api/auth', ''))
    expect([opened.status, opened.text.includes(asked.userCode)]).toEqual([200, false])
    expect(await dumpTables(service)).toBe(before)
  })

  it('fills the code in where only the machine that asked gets the result, and does nothing else', async () => {
    const [asked, ann] = [await startWaiting(service, { redirect_uri: 'http://[::1]:49152/' }), await service.person()]
    const link = asked.link.replace('http://localhost:4100/api/auth', '')
    const before = await dumpTables(service)
    expect((await ann.get(link)).text).toContain(`value="${asked.userCode}"`)
    expect(await dumpTables(service)).toBe(before)
    const other = await startWaiting(service)
    // The mark is for this one code.
    const forged = link.replace(asked.userCode, other.userCode)
    expect((await ann.get(forged)).text).not.toContain(other.userCode)
    expect((await ann.get(link.replace(/local=.*/, 'local=x'))).text).not.toContain(asked.userCode)
  })

  it('leads back to that machine with a code that polling needs, and with the refusal', async () => {
    const local = { redirect_uri: 'http://127.0.0.1:49152/done', state: 'x&y' }
    const [asked, ann] = [await startWaiting(service, local), await service.person()]
    await claim(ann, asked)
    const done = await decide(ann, 'approve', await idOf(ann.email))
    const [, target = ''] = /http-equiv="refresh" content="0;url=([^"]*)"/i.exec(done.text) ?? []
    const url = new URL(target.replaceAll('&amp;', '&'))
    expect([url.origin, url.pathname, url.searchParams.get('state')]).toEqual([
      'http://127.0.0.1:49152',
      '/done',
      'x&y',
    ])
    expect(done.text).toContain(`<a href="${target}">`)
    expect(errorOf(await asked.poll())).toBe('400 authorization_pending')
    await ageDevices(service, 5)
    expect((await asked.poll({ code: url.searchParams.get('code') ?? '' })).status).toBe(200)
    const refused = await startWaiting(service, local)
    await claim(ann, refused)
    expect((await decide(ann, 'refuse')).text).toContain(
      'http://127.0.0.1:49152/done?error=access_denied&amp;state=x%26y',
    )
  })
})

it.each([{}, { redirect_uri: 'http://127.0.0.1:49152/done', state: 'x' }])(
  'an approval that is sent twice is answered alike, although the first answer was given up: %j',
  async (fields) => {
    const [asked, ann] = [await startWaiting(service, fields), await service.person()]
    await claim(ann, asked)
    const [request, as] = [shownIn(await ann.get(requestPage)), await idOf(ann.email)]
    const given = new Map(ann.cookies)
    const approve = () => sendFormTo(`${page}/decision`, ann, { decision: 'approve', as, request })
    const first = await approve()
    for (const [name, value] of given) ann.cookies.set(name, value)
    expect((await approve()).headers.get('location')).toBe(`/api/auth${requestPage}`)
    const again = await ann.get(`${requestPage}?error=access_denied`)
    expect([headingOf(first), again.text]).toEqual(['Approved', first.text])
    const [, code] = /code=([^&]*)/.exec(again.text) ?? []
    expect((await asked.poll(code === undefined ? {} : { code })).status).toBe(200)
  },
)

it('an approval that is sent again once the request has expired is not answered as if a machine waited for it', async () => {
  const [asked, ann] = [await startWaiting(service), await service.person()]
  await claim(ann, asked)
  const given = new Map(ann.cookies)
  expect(headingOf(await decide(ann, 'approve', await idOf(ann.email)))).toBe('Approved')
  await ageDevices(service, 600)
  for (const [name, value] of given) ann.cookies.set(name, value)
  expect(headingOf(await ann.get(requestPage))).toBe('No request is waiting here')
})

it('a refusal that is sent twice leads back, too', async () => {
  const asked = await startWaiting(service, { redirect_uri: 'http://127.0.0.1:49152/done', state: 'x' })
  const ann = await service.person()
  await claim(ann, asked)
  const request = shownIn(await ann.get(requestPage))
  const given = new Map(ann.cookies)
  const refuse = () => sendFormTo(`${page}/decision`, ann, { decision: 'refuse', request })
  const first = await refuse()
  for (const [name, value] of given) ann.cookies.set(name, value)
  await refuse()
  const again = await ann.get(requestPage)
  expect(first.text).toContain('http://127.0.0.1:49152/done?error=access_denied&amp;state=x')
  expect(again.text).toBe(first.text)
})

describe('a password on the page', () => {
  it('is refused in words, and shows what was typed but the password', async () => {
    const [asked, browser, ann] = [await startWaiting(service), service.visitor(), await service.person()]
    await claim(browser, asked)
    const wrong = await logIn(browser, ann.email, 'a wrong passphrase')
    expect([wrong.status, headingOf(wrong), alertOf(wrong)]).toEqual([
      401,
      'Who are you?',
      'The email address or the password is wrong.',
    ])
    expect([wrong.text.includes(ann.email), wrong.text.includes('a wrong passphrase')]).toEqual([true, false])
    await service.deps.sql`update users set banned = true where email = ${ann.email}`
    expect(alertOf(await logIn(browser, ann.email))).toBe('This account has been banned.')
    expect((await logIn(browser, 'ann')).status).toBe(400)
  })

  it('of a banned person is refused in the words of the settings', async () => {
    const other = await service.sibling({ BANNED_USER_MESSAGE: 'Write to help@example.com' })
    const [asked, browser, ann] = [await startWaiting(other), other.visitor(), await service.person()]
    await claim(browser, asked)
    await service.deps.sql`update users set banned = true where email = ${ann.email}`
    expect(alertOf(await logIn(browser, ann.email))).toBe('Write to help@example.com')
  })

  it('has to be of a verified address where addresses have to be', async () => {
    const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
    const [asked, browser, ann] = [await startWaiting(strict), strict.visitor(), await service.person()]
    await claim(browser, asked)
    expect((await logIn(browser, ann.email)).status).toBe(403)
    await proveAddress(service.deps.sql, ann.email)
    expect((await logIn(browser, ann.email)).status).toBe(303)
  })

  it('is counted with those of a sign-in', async () => {
    const limited = await service.sibling({ RATE_LIMIT: 'on' })
    const [asked, ann] = [await startWaiting(limited), await service.person()]
    const browser = limited.visitor()
    await claim(browser, asked)
    const address = { email: ann.email, password: 'a wrong passphrase' }
    for (let index = 0; index < 10; index += 1) await limited.visitor().post('/sign-in/email', address)
    const refused = await logIn(browser, ann.email)
    expect([refused.status, alertOf(refused)]).toEqual([429, 'Too many attempts. Try again in 10 minutes.'])
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  it('settles the counters when it is right', async () => {
    const limited = await service.sibling({ RATE_LIMIT: 'on' })
    const [asked, ann] = [await startWaiting(limited), await service.person()]
    const browser = limited.visitor()
    await claim(browser, asked)
    const address = { email: ann.email, password: 'a wrong passphrase' }
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 9; index += 1) await limited.visitor().post('/sign-in/email', address)
      expect((await logIn(browser, ann.email)).status).toBe(303)
    }
  })

  it('is not asked for where there are none', async () => {
    const without = await service.sibling({ EMAIL_PASSWORD: 'off' })
    const [asked, browser] = [await startWaiting(without), without.visitor()]
    await claim(browser, asked)
    const { status, text } = await browser.get(requestPage)
    expect([status, text]).toEqual([200, expect.stringContaining('<form')])
    expect(text).not.toContain('type="password"')
  })
})

it('shows what asks as text, whatever it is', async () => {
  const [asked, browser] = [service.visitor(), service.visitor()]
  const hostile = '<script>alert(1)</script><img/src=x/onerror=alert(1)>'
  const { body } = await asked.post('/device/code', { client_id: hostile, scope: hostile }, { 'user-agent': hostile })
  await sendFormTo(page, browser, { user_code: body.user_code })
  const { text } = await browser.get(`${requestPage}?error=${encodeURIComponent(hostile)}`)
  expect([/<script|<img/.test(text), text.split('&lt;script&gt;').length]).toEqual([false, 4])
})

it('takes forms of its own pages only', async () => {
  const { browser, as } = await identified()
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, {}] as Record<
    string,
    string
  >[])
    for (const [path, fields] of [
      [page, { user_code: 'BBBB-BBBB' }],
      [`${page}/password`, { email: 'a@b.co', password: 'x' }],
      [`${page}/session`, {}],
      [`${page}/decision`, { decision: 'approve', as }],
    ] as [string, Record<string, string>][])
      expect((await sendFormTo(path, browser, fields, headers)).status).toBe(403)
})
