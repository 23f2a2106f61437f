import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useBrowser } from '../testing/browser.ts'
import { freePort } from '../testing/ports.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService, useWire } from '../testing/use-service.ts'

let trusted: Server
let foreign: Server
beforeAll(async () => {
  ;[trusted, foreign] = [await servePages(), await servePages()]
})
afterAll(() => {
  for (const server of [trusted, foreign]) server?.close()
})

const port = await freePort()
const origin = `http://localhost:${port}`
const base = `${origin}/api/auth`
const service = useTestService(() => ({ BASE_URL: origin, TRUSTED_ORIGINS: at('localhost', trusted) }))
useWire(service, port)
const browser = useBrowser()

/** Somebody's web site: an empty page, on any path. */
function servePages(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title><body></body>')
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

const at = (host: string, server: Server) => `http://${host}:${(server.address() as AddressInfo).port}`

interface Asked {
  readonly path: string
  readonly init?: RequestInit
}

/** What a script of the page gets from the service: the answer, or the browser's refusal. */
const ask = (page: Page, path: string, init: RequestInit = {}) =>
  page.evaluate(
    async ({ path, init }: Asked) => {
      try {
        const response = await fetch(path, { credentials: 'include', ...init })
        return { status: response.status, type: response.type, text: await response.text() }
      } catch (error) {
        return { refused: (error as Error).name }
      }
    },
    { path: `${base}${path}`, init },
  )

const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const email = 'ann@example.com'

/** A page of the trusted application where Ann is signed in. */
async function signedIn(): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(at('localhost', trusted))
  const person = { email, password: testPassword, name: 'Ann' }
  const { status } = (await ask(page, '/sign-in/email', json(person))) as { status: number }
  if (status !== 200) await ask(page, '/sign-up/email', json(person))
  return page
}

const session = async (page: Page) => JSON.parse((await ask(page, '/get-session')).text ?? 'null')
const countSessions = async () => (await service.deps.sql`select id from sessions`).length

it('lets a trusted page of the same site sign up, read its session and change its name', async () => {
  const page = await signedIn()
  expect((await session(page)).user.email).toBe(email)
  expect(await ask(page, '/update-user', json({ name: 'Anna' }))).toMatchObject({ status: 200, type: 'cors' })
  expect((await session(page)).user.name).toBe('Anna')
  expect(await page.evaluate('document.cookie')).toBe('')
})

describe.each([
  ['of the same site, which is sent the cookie', 'localhost'],
  ['of another site', '127.0.0.1'],
])('a foreign page %s', (_name, host) => {
  let ann: Page
  let evil: Page
  beforeAll(async () => {
    ann = await signedIn()
    evil = await browser.newPage()
    await evil.goto(at(host, foreign))
  })

  it('cannot read the session', async () => {
    expect(await ask(evil, '/get-session')).toEqual({ refused: 'TypeError' })
    expect(await ask(evil, '/list-sessions')).toEqual({ refused: 'TypeError' })
    expect(await ask(evil, '/get-session', { mode: 'no-cors' })).toMatchObject({ type: 'opaque', text: '' })
    expect((await session(ann)).user.email).toBe(email)
  })

  it('is sent the cookie only within the site', async () => {
    service.statements.forget()
    await ask(evil, '/get-session', { mode: 'no-cors' })
    expect(service.statements.list).toHaveLength(host === 'localhost' ? 1 : 0)
  })

  it.each<[string, RequestInit]>([
    ['JSON', json({})],
    ['a bearer header', { ...json({}), headers: { authorization: 'Bearer x' } }],
    ['JSON that looks like text', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['a form', { method: 'POST', body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['text, not asking for the answer', { method: 'POST', body: '{}', mode: 'no-cors' }],
    ['nothing, not asking for the answer', { method: 'POST', mode: 'no-cors' }],
  ])('cannot end a session with %s', async (_kind, init) => {
    const before = await countSessions()
    for (const path of ['/sign-out', '/revoke-sessions', '/revoke-other-sessions']) await ask(evil, path, init)
    expect(await countSessions()).toBe(before)
    expect((await session(ann)).user.email).toBe(email)
  })

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])(
    'cannot act by sending a form (%s), nor sign anybody in',
    async (enctype) => {
      const before = await countSessions()
      for (const path of ['/sign-out', '/revoke-sessions', '/sign-in/email', '/sign-up/email']) {
        const page = await browser.newPage()
        await page.goto(at(host, foreign))
        const answer = page.waitForResponse((response) => response.url() === `${base}${path}`)
        await page.evaluate(postForm(`${base}${path}`, enctype))
        expect((await answer).status()).toBe(403)
        await page.close()
      }
      expect(await countSessions()).toBe(before)
      expect((await session(ann)).user.email).toBe(email)
    },
  )

  it('cannot frame our pages', async () => {
    const text = await evil.evaluate(`(async () => {
      const frame = document.createElement('iframe')
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
      frame.src = ${JSON.stringify(`${base}/error`)}
      document.body.append(frame)
      await loaded
      return frame.contentDocument?.body?.textContent ?? 'out of reach'
    })()`)
    const frames = await Promise.all(evil.frames().map((frame) => frame.locator('#errorCode').count()))
    expect([text, frames.every((count) => count === 0)]).toEqual(['out of reach', true])
  })
})

/** Run in the page. A form of text/plain can be made to look like JSON. */
const postForm = (action: string, enctype: string) => `{
  const form = Object.assign(document.createElement('form'), { method: 'post' }, ${JSON.stringify({ action, enctype })})
  const name = ${JSON.stringify(`{"email":"${email}","password":"${testPassword}","name":"Eve","x":"`)}
  form.append(Object.assign(document.createElement('input'), { name, value: '"}' }))
  document.body.append(form)
  form.submit()
}`
