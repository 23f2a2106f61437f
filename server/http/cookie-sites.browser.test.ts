import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenBrowser, openBrowser } from '../testing/browser.ts'
import { testCertificate, testKey } from '../testing/certificate.ts'
import { freePort } from '../testing/ports.ts'
import { createTestService, type TestService, testPassword } from '../testing/service.ts'
import { type Listening, listenTo } from '../testing/wire.ts'

/** One server with TLS for all names below .test: services behind a proxy, and pages of applications. */
let front: Server
let port: number
let service: TestService
let browser: OpenBrowser
const wires: Listening[] = []
/** What the last call of a service brought. */
let lastCookie = ''
/** Host and path prefix → port of the service there. */
const routes = new Map<string, number>()

beforeAll(async () => {
  port = await freePort()
  service = await createTestService()
  front = createServer({ cert: testCertificate, key: testKey }, answer).listen(port, '127.0.0.1')
})
afterAll(async () => {
  front?.closeAllConnections()
  front?.close()
  await Promise.all(wires.map((wire) => wire.stop()))
  await service?.stop()
})

function answer(asked: IncomingMessage, response: ServerResponse): void {
  const { host = '', cookie = '' } = asked.headers
  const url = new URL(`https://${host}${asked.url}`)
  const [, target] = [...routes].find(([place]) => `${url.hostname}${url.pathname}`.startsWith(place)) ?? []
  if (target !== undefined) return pass(asked, response, target)
  const tossed = url.searchParams.get('toss')
  response.writeHead(200, { 'content-type': 'text/html', ...(tossed === null ? {} : { 'set-cookie': tossed }) })
  response.end(`<!doctype html><title>page</title><body>${cookie.replaceAll(/=[^;]*/g, '')}</body>`)
}

function pass(asked: IncomingMessage, response: ServerResponse, target: number): void {
  const { method, url: path, headers } = asked
  lastCookie = headers.cookie ?? ''
  const onward = request({ host: '127.0.0.1', port: target, method, path, headers }, (got) => {
    response.writeHead(got.statusCode ?? 502, got.headers)
    got.pipe(response)
  })
  asked.pipe(onward)
}

interface Site {
  readonly service: TestService
  readonly base: string
}

/** A service at a host of its own name, with the pages of these hosts trusted. */
async function serve(
  host: string,
  settings: Record<string, string> = {},
  pages: readonly string[] = [],
): Promise<Site> {
  const path = settings['BASE_PATH'] ?? '/api/auth'
  const made = await service.sibling({
    BASE_URL: `https://${host}:${port}`,
    TRUSTED_ORIGINS: pages.map((name) => `https://${name}:${port}`).join(),
    DATABASE_POOL: '2',
    ...settings,
  })
  const wire = await listenTo(made)
  wires.push(wire)
  routes.set(`${host}${path}`, wire.port)
  return { service: made, base: `https://${host}:${port}${path}` }
}

async function openPage(host: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`https://${host}:${port}/`)
  return page
}

const withBrowser = () => {
  beforeAll(async () => {
    browser = await openBrowser({ ignoreHTTPSErrors: true })
  })
  afterAll(() => browser?.stop())
}

interface Call {
  readonly url: string
  readonly body: object | null
}

/** A script of the page calls the service: the answer, or the browser's refusal. */
const call = (page: Page, { base }: Site, path: string, body: object | null = null) =>
  page.evaluate(
    async ({ url, body }: Call) => {
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      try {
        const response = await fetch(url, { credentials: 'include', ...(body === null ? {} : sent) })
        return { status: response.status, text: await response.text() }
      } catch {
        return { status: 0, text: 'refused' }
      }
    },
    { url: `${base}${path}`, body },
  )

let people = 0
async function signUp(page: Page, site: Site): Promise<string> {
  people += 1
  const email = `person-${people}@example.com`
  expect(await call(page, site, '/sign-up/email', { email, password: testPassword, name: 'Ann' })).toMatchObject({
    status: 200,
  })
  return email
}

const whoIs = async (page: Page, site: Site): Promise<string | null> =>
  JSON.parse((await call(page, site, '/get-session')).text)?.user.email ?? null

/** A name, the hosts of the service and of the page, settings, and whether the page can keep a session. */
type Kind = readonly [string, string, string, Record<string, string>, boolean]
const kinds: readonly Kind[] = [
  ['the same origin', 'id.one.test', 'id.one.test', { COOKIE_HOST_PREFIX: 'on' }, true],
  ['the same origin, strict', 'id.two.test', 'id.two.test', { COOKIE_SAME_SITE: 'strict' }, true],
  ['a sub-domain', 'id.three.test', 'app.three.test', {}, true],
  ['a sub-domain, strict', 'id.four.test', 'app.four.test', { COOKIE_SAME_SITE: 'strict' }, true],
  ['a sub-domain, shared', 'id.five.test', 'app.five.test', { COOKIE_DOMAIN: 'five.test' }, true],
  ['another site, lax', 'id.six.test', 'app.six-shop.test', {}, false],
  ['another site, strict', 'id.seven.test', 'app.seven-shop.test', { COOKIE_SAME_SITE: 'strict' }, false],
  ['another site, none', 'id.eight.test', 'app.eight-shop.test', { COOKIE_SAME_SITE: 'none' }, true],
  [
    'another site, none and __Host-',
    'id.nine.test',
    'app.nine-shop.test',
    { COOKIE_SAME_SITE: 'none', COOKIE_HOST_PREFIX: 'on' },
    true,
  ],
  ['a sub path of the application', 'ten.test', 'ten.test', { BASE_PATH: '/accounts/auth' }, true],
]

describe('a session', () => {
  withBrowser()

  it.each(kinds)('of a page of %s begins, lasts and ends', async (...given) => {
    const [, host, app, settings, isKept] = given
    const site = await serve(host, settings, [app])
    const page = await openPage(app)
    const email = await signUp(page, site)
    expect(await whoIs(page, site)).toBe(isKept ? email : null)
    expect(await call(page, site, '/sign-out', {})).toMatchObject({ status: isKept ? 200 : 400 })
    expect(await whoIs(page, site)).toBeNull()
    expect(await page.evaluate('document.cookie')).toBe('')
  })

  it.each(kinds)('of a page of %s changes between the accounts of its browser', async (...given) => {
    const [, host, app, settings, isKept] = given
    const [under, over] = [
      (name: string) => name.replace(/(\w+\.test)$/, 'many-$1'),
      { MULTI_SESSION: '3', LAST_LOGIN_METHOD: 'on' },
    ]
    const domain = settings['COOKIE_DOMAIN']
    const site = await serve(under(host), { ...settings, ...over, ...(domain && { COOKIE_DOMAIN: under(domain) }) }, [
      under(app),
    ])
    const page = await openPage(under(app))
    const [ann, bob] = [await signUp(page, site), await signUp(page, site)]
    const held = async () => {
      const { text } = await call(page, site, '/multi-session/list-device-sessions')
      return JSON.parse(text) as { session: { token: string }; user: { email: string } }[]
    }
    const all = isKept ? [ann, bob] : []
    expect((await held()).map(({ user }) => user.email).toSorted()).toEqual(all)
    for (const { session, user } of await held()) {
      await call(page, site, '/multi-session/set-active', { sessionToken: session.token })
      expect(await whoIs(page, site)).toBe(user.email)
    }
    // Scripts of pages read it where the browser shows them the cookie's host.
    const isShown = under(host) === under(app) || domain !== undefined
    expect(await page.evaluate('document.cookie')).toBe(isShown ? 'better-auth.last_used_login_method=email' : '')
    await call(page, site, '/sign-out', {})
    expect([await held(), await whoIs(page, site)]).toEqual([[], null])
  })

  it('reaches the servers of sub-domains with COOKIE_DOMAIN only', async () => {
    const hosts = ['own.test', 'shared.test']
    const seen = hosts.map(async (domain) => {
      const site = await serve(`id.${domain}`, domain === 'shared.test' ? { COOKIE_DOMAIN: domain } : {}, [
        `app.${domain}`,
      ])
      const page = await openPage(`app.${domain}`)
      await signUp(page, site)
      await page.reload()
      return (await page.textContent('body'))?.includes('session_token')
    })
    expect(await Promise.all(seen)).toEqual([false, true])
  })

  it('with COOKIE_DOMAIN replaces the one that the host alone had', async () => {
    const page = await openPage('app.moved.test')
    await signUp(page, await serve('id.moved.test', {}, ['app.moved.test']))
    const site = await serve('id.moved.test', { COOKIE_DOMAIN: 'moved.test' }, ['app.moved.test'])
    const email = await signUp(page, site)
    expect(await whoIs(page, site)).toBe(email)
  })
})

describe('another page', () => {
  withBrowser()

  /** A sub-domain's server sets a cookie of ours in the browser of whoever visits it. */
  const toss = async (page: Page, domain: string, pair: string, path = '/') => {
    const line = `${pair}; Domain=${domain}; Path=${path}; Secure; HttpOnly; SameSite=Lax`
    await page.goto(`https://evil.${domain}:${port}/?toss=${encodeURIComponent(line)}`)
  }
  /** Eve's own session, as a browser would send it. */
  const sessionOfEve = async ({ service: made }: Site, prefix: string) => {
    const eve = await made.person()
    const [name = ''] = [...eve.cookies.keys()].filter((key) => key === `${prefix}postern.session_token`)
    return `${name}=${eve.cookies.get(name)}`
  }

  it.each([
    ['__Secure-', {}, '/', null],
    ['__Secure-', { COOKIE_DOMAIN: 'toss-1.test' }, '/api/auth', null],
    ['__Host-', { COOKIE_HOST_PREFIX: 'on' }, '/', 'Ann'],
  ])('of a sibling sub-domain never makes %s sessions of Ann into its own (%j, path %s)', async (...given) => {
    const [prefix, settings, path, expected] = given
    const domain = `toss-${Object.keys(settings)[0] === 'COOKIE_DOMAIN' ? 1 : prefix.length}.test`
    const app = `app.${domain}`
    const site = await serve(`id.${domain}`, settings, [app])
    const page = await openPage(app)
    const email = await signUp(page, site)
    const visited = await browser.newPage()
    await toss(visited, domain, await sessionOfEve(site, prefix), path)
    expect(await whoIs(page, site)).toBe(expected === null ? null : email)
  })

  it('of a foreign origin cannot act with COOKIE_SAME_SITE=none, nor read', async () => {
    const site = await serve('id.none.test', { COOKIE_SAME_SITE: 'none' }, ['app.none-shop.test'])
    const page = await openPage('app.none-shop.test')
    const email = await signUp(page, site)
    // The site decides the partition, so the cookie is sent for every page of the trusted one's site.
    const evil = await openPage('evil.none-shop.test')
    expect(await call(evil, site, '/get-session')).toEqual({ status: 0, text: 'refused' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const answered = evil.waitForResponse((response) => response.url().endsWith('/sign-out'))
      await evil.evaluate(
        `fetch('${site.base}/sign-out', { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': '${type}' }, body: '{}' })`,
      )
      expect([(await answered).status(), lastCookie]).toEqual([403, expect.stringContaining('session_token=')])
    }
    expect(await whoIs(page, site)).toBe(email)
  })

  it('that links here brings no session with it under strict', async () => {
    const pages = ['app.link.test']
    const seen = async (COOKIE_SAME_SITE: string) => {
      const host = `${COOKIE_SAME_SITE}.link.test`
      const site = await serve(host, { COOKIE_SAME_SITE }, pages)
      await signUp(await openPage('app.link.test'), site)
      const page = await openPage('elsewhere.test')
      await page.evaluate(`location.href = '${site.base}/get-session'`)
      await page.waitForURL(/get-session$/)
      return page.textContent('body')
    }
    expect(await seen('strict')).toBe('null')
    expect(await seen('lax')).toContain('@example.com')
  })
})
