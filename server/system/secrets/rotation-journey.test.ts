import { type Cookie, CookieJar } from 'tough-cookie'
import { describe, expect, it } from 'vitest'
import { createKeys } from '../../crypto/keys.ts'
import { findDeviceMark } from '../../crypto/known-device.ts'
import { countSessionsOfOtherSecrets } from '../../db/sessions.ts'
import { watchSecrets } from '../../process/watch.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const [older, newer] = ['Older', 'Newer'].map((word) => `${word}-k3Jx9vQ2mWz7Lr5TbN8yHd4FsG6p`) as [string, string]
const url = 'https://id.example.com/api/auth'

/** The cookies of a browser, kept and sent by its rules: their lives, Secure, and the prefix of their names. */
class Browser {
  readonly jar = new CookieJar(undefined, { prefixSecurity: 'strict' })

  async ask(service: TestService, path: string, body?: object): Promise<Reply> {
    const cookie = await this.jar.getCookieString(url)
    const headers: Record<string, string> = cookie === '' ? {} : { cookie }
    const visitor = service.visitor()
    const reply = await (body === undefined ? visitor.get(path, headers) : visitor.post(path, body, headers))
    for (const line of reply.setCookies) await this.jar.setCookie(line, url, { ignoreError: false })
    return reply
  }

  async whoami(service: TestService): Promise<string | undefined> {
    const { body } = await this.ask(service, '/get-session?disableCookieCache=true')
    return body?.user.email
  }

  async cookie(name: string): Promise<Cookie | undefined> {
    return (await this.jar.getCookies(url)).find(({ key }) => key === `__Secure-postern.${name}`)
  }
}

const before = useTestService({
  SECRET: older,
  BASE_URL: 'https://id.example.com',
  COOKIE_CACHE: 'on',
  RATE_LIMIT: 'on',
})
const during = useMade(() => before.sibling({ SECRETS: `${newer},${older}` }))
const after = useMade(() => before.sibling({ SECRETS: newer }))

async function signUp(name: string): Promise<string> {
  const email = `${name}@example.com`
  await before.visitor().post('/sign-up/email', { email, name, password: testPassword })
  return email
}

async function signedIn(email: string, rememberMe = true): Promise<Browser> {
  const browser = new Browser()
  const { status } = await browser.ask(before, '/sign-in/email', { email, password: testPassword, rememberMe })
  expect(status).toBe(200)
  return browser
}

const endOf = async (email: string) => {
  const [row] = await before.deps.sql`
    select max(s.expires_at) as end from sessions s join users u on u.id = s.user_id where u.email = ${email}
  `
  return row?.end
}
/** Sessions that an older secret signed, as the service counts them. */
const dependent = async () =>
  (await countSessionsOfOtherSecrets(before.deps.sql, during.deps.keys.cookie.label)).sessions
const namesIn = ({ setCookies }: Reply) => setCookies.map((line) => line.replace(/^__Secure-postern\.(\w+)=.*$/, '$1'))

describe('a secret is changed', () => {
  it('and a browser stays signed in, with the same end, after one answer while both were listed', async () => {
    const email = await signUp('ann')
    const [ann, end] = [await signedIn(email), await endOf('ann@example.com')]
    const first = await ann.ask(during, '/list-sessions')
    expect(first.status).toBe(200)
    expect(namesIn(first)).toEqual(expect.arrayContaining(['session_token', 'known_device']))
    const kept = await ann.cookie('session_token')
    expect(kept?.maxAge).toBeGreaterThan(604_000)
    expect(kept?.maxAge).toBeLessThanOrEqual(604_800)
    expect(await endOf(email)).toEqual(end)
    expect(await ann.whoami(after)).toBe(email)
    expect((await ann.ask(after, '/update-user', { name: 'Anna' })).status).toBe(200)
    const mark = await ann.cookie('known_device')
    expect(findDeviceMark(createKeys([newer]).device, [mark?.value ?? ''], email)).not.toBeNull()
    expect((await ann.ask(after, '/sign-out', {})).status).toBe(200)
    expect(await ann.whoami(after)).toBeUndefined()
  })

  it('and no other cookie is lost by an answer that issues the session itself', async () => {
    const email = await signUp('abe')
    const browser = await signedIn(email)
    const reply = await browser.ask(during, '/update-user', { name: 'Abel' })
    expect(namesIn(reply).toSorted()).toEqual(['dont_remember', 'known_device', 'session_data', 'session_token'])
    const mark = await browser.cookie('known_device')
    expect(findDeviceMark(createKeys([newer]).device, [mark?.value ?? ''], email)).not.toBeNull()
    expect(await browser.whoami(after)).toBe(email)
  })

  it('and is stored once: the answers after that set no cookie, and cost what they did', async () => {
    const ann = await signedIn(await signUp('ada'))
    during.statements.forget()
    await ann.ask(during, '/list-accounts')
    const first = during.statements.list.filter((text) => text.startsWith('update sessions set secret_label'))
    expect(first).toHaveLength(1)
    during.statements.forget()
    const again = await ann.ask(during, '/list-sessions')
    expect([again.status, again.setCookies, during.statements.list.length]).toEqual([200, [], 2])
  })

  it('by get-session as well, once its cache is over', async () => {
    const email = await signUp('cache')
    const browser = await signedIn(email)
    const reply = await browser.ask(during, '/get-session')
    expect(namesIn(reply)).toEqual(expect.arrayContaining(['session_token', 'session_data']))
    const cached = await browser.ask(after, '/get-session')
    expect([cached.body.user.email, await browser.whoami(after)]).toEqual([email, email])
  })

  it('and who was not to be remembered is not remembered', async () => {
    const email = await signUp('bo')
    const bo = await signedIn(email, false)
    expect(await bo.whoami(during)).toBe(email)
    const kept = [await bo.cookie('session_token'), await bo.cookie('dont_remember')]
    expect(kept.map((cookie) => cookie?.isPersistent())).toEqual([false, false])
    expect(await bo.whoami(after)).toBe(email)
    expect((await bo.ask(after, '/list-sessions')).status).toBe(200)
  })

  it('while an administrator acts as somebody else, and the way back is there', async () => {
    const root = await signUp('root')
    await signUp('eve')
    const [eve] = await before.deps.sql`select id from users where email = 'eve@example.com'`
    await before.deps.sql`update users set roles = '{admin}' where email = ${root}`
    const browser = await signedIn(root)
    expect((await browser.ask(before, '/admin/impersonate-user', { userId: eve?.id })).status).toBe(200)
    await before.deps
      .sql`update sessions set expires_at = expires_at - interval '600 s' where impersonated_by is not null`
    expect(await browser.whoami(during)).toBe('eve@example.com')
    const kept = await browser.cookie('admin_session')
    expect(kept?.maxAge).toBeGreaterThan(2900)
    expect(kept?.maxAge).toBeLessThanOrEqual(3000)
    expect(await browser.whoami(after)).toBe('eve@example.com')
    expect((await browser.ask(after, '/admin/stop-impersonating', {})).status).toBe(200)
    expect(await browser.whoami(after)).toBe(root)
  })

  it('and a client that sends the signed token as a bearer is told the new one', async () => {
    const email = await signUp('bee')
    const { headers, body } = await before.visitor().post('/sign-in/email', { email, password: testPassword })
    const bearer = (token: string | null) => ({ authorization: `Bearer ${token}` })
    const told = await during.visitor().get('/list-sessions', bearer(headers.get('set-auth-token')))
    const answer = await after.visitor().get('/list-sessions', bearer(told.headers.get('set-auth-token')))
    expect([told.status, answer.status]).toEqual([200, 200])
    // What no secret signs needs no new one.
    const raw = await during.visitor().get('/list-sessions', bearer(body.token))
    expect([raw.status, raw.setCookies, raw.headers.get('set-auth-token')]).toEqual([200, [], null])
  })

  it('and the log says how many sessions depend on the older one, until when, and when none does any more', async () => {
    await before.deps.sql`delete from sessions`
    const email = await signUp('log')
    await before.deps.sql`delete from sessions`
    const browsers = [await signedIn(email), await signedIn(email)]
    expect(await dependent()).toBe(2)
    const said = async () => {
      during.logged.splice(0)
      await watchSecrets(during.deps)()
      return during.logged.slice(1).map(({ msg, sessions, last }) => [sessions, last, String(msg).split(':')[0]])
    }
    const end = (await endOf(email)).toISOString()
    expect(await said()).toEqual([
      [2, end, 'sessions still have cookies signed by a secret after the first of SECRETS'],
    ])
    for (const browser of browsers) await browser.whoami(during)
    expect(await said()).toEqual([
      [
        0,
        undefined,
        'no session, no webhook and no token of a provider depends on a secret after the first of SECRETS',
      ],
    ])
    await watchSecrets(after.deps)()
    expect(after.logged.filter(({ sessions }) => sessions !== undefined)).toEqual([])
  })

  it('and the log tells which secrets are in use, and which one signs, without them', async () => {
    const told = async ({ deps, logged }: TestService): Promise<unknown> => {
      logged.splice(0)
      await watchSecrets(deps)()
      expect(JSON.stringify(logged)).not.toMatch(/k3Jx9vQ2/)
      return logged[0]?.secrets
    }
    const [old, fresh] = [older, newer].map((secret) => createKeys([secret]).cookie.label.toString('hex'))
    expect([await told(before), await told(during), await told(after)]).toEqual([[old], [fresh, old], [fresh]])
    expect(during.logged.at(-1)?.secrets).toEqual([fresh, old])
  })

  it('and who did not come while both were listed has to sign in again', async () => {
    const away = await signedIn(await signUp('away'))
    expect(await away.whoami(after)).toBeUndefined()
    expect(await away.whoami(during)).toBe('away@example.com')
  })

  it('but a forged cookie beside the own one changes nothing', async () => {
    const ann = await signedIn(await signUp('forged'))
    await ann.whoami(during)
    const cookie = await ann.jar.getCookieString(url)
    const old = createKeys([older]).cookie
    const forged = `__Secure-postern.session_token=${encodeURIComponent(`x.${old.sign('cookie:other:x').toString('base64')}`)}`
    const reply = await during.visitor().get('/list-sessions', { cookie: `${cookie}; ${forged}` })
    expect([reply.status, reply.setCookies]).toEqual([200, []])
  })
})
