import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, useBrowser } from '../testing/browser.ts'
import { readMails } from '../testing/mails.ts'
import { freePort } from '../testing/ports.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService, useWire } from '../testing/use-service.ts'

const port = await freePort()
const application = `http://127.0.0.1:${await freePort()}`
const origin = `http://localhost:${port}`
const service = useTestService({
  BASE_URL: origin,
  SEND_VERIFICATION_ON_SIGN_UP: 'on',
  DELETE_USER_MODE: 'email',
  TRUSTED_ORIGINS: application,
})
useWire(service, port)

const newPassword = 'violet lantern under nine bridges'

/** The link of the newest mail of a kind. */
async function linkTo(email: string, kind: string): Promise<string> {
  const mails = await readMails(service)
  return mails.findLast((mail) => mail.kind === kind && mail.to === email)?.url ?? ''
}

const statusOfSignIn = async (email: string, password: string) =>
  (await service.visitor().post('/sign-in/email', { email, password })).status

describe.each([false, true])('a mailed link in a browser with JavaScript %s', (javaScriptEnabled) => {
  const browser = useBrowser({ javaScriptEnabled })
  let page: Page
  let complaints: readonly string[]
  let asked: readonly string[]
  beforeAll(async () => {
    ;({ page, complaints, asked } = await browser.watchPage())
  })

  /** A call of the browser's own, with its cookies. */
  const call = async (path: string, data: object): Promise<number> => {
    const headers = { origin }
    return (await page.request.post(`${origin}/api/auth${path}`, { data, headers })).status()
  }
  const signUp = async (name: string): Promise<string> => {
    const email = `${name}-${crypto.randomUUID()}@example.com`
    expect(await call('/sign-up/email', { email, password: testPassword, name })).toBe(200)
    return email
  }
  const heading = () => page.locator('h1').textContent()
  const pathOf = () => page.url().replace(`${origin}/api/auth`, '')

  it('verifies the address', async () => {
    const ann = await signUp('ann')
    await page.goto(await linkTo(ann, 'verify-email'))
    expect([pathOf(), await heading()]).toEqual(['/page/verified', 'Your address is verified'])
    const { user } = await (await page.request.get(`${origin}/api/auth/get-session?disableCookieCache=true`)).json()
    expect([user.email, user.emailVerified]).toEqual([ann, true])
  })

  it('leads on to an application of another origin after its form', async () => {
    // It leads on itself, to what the browser takes for a third origin.
    const pages = createServer(({ url, headers }, response) => {
      if (url === '/welcome')
        response.writeHead(302, { location: `http://localhost:${headers.host?.split(':')[1]}/in` })
      response.end('<h1>Welcome</h1>')
    })
    await once(pages.listen(Number(new URL(application).port), '127.0.0.1'), 'listening')
    try {
      const [email, callbackURL] = [`ann-${crypto.randomUUID()}@example.com`, `${application}/welcome`]
      await service.visitor().post('/sign-up/email', { email, password: testPassword, name: 'Ann', callbackURL })
      await page.goto(await linkTo(email, 'verify-email'))
      await page.getByLabel('Your password').fill(testPassword)
      await page.getByRole('button', { name: 'Verify my address' }).click()
      await page.waitForURL('**/in')
      expect(await heading()).toBe('Welcome')
    } finally {
      pages.close()
      pages.closeAllConnections()
    }
  })

  it('sets a new password by the form, once', async () => {
    const ann = await signUp('ann')
    expect(await call('/forget-password', { email: ann })).toBe(200)
    const link = await linkTo(ann, 'reset-password')
    await page.goto(link)
    expect(await heading()).toBe('Set a new password')
    await page.getByLabel('New password').fill(newPassword)
    await page.getByLabel('Repeat the password').fill(`${newPassword}!`)
    await page.getByRole('button').click()
    expect(await page.getByRole('alert').textContent()).toContain('not the same')
    expect(await page.getByLabel('New password').inputValue()).toBe('')
    await page.getByLabel('New password').fill(newPassword)
    await page.getByLabel('Repeat the password').fill(newPassword)
    await page.getByRole('button').click()
    expect([pathOf(), await heading()]).toEqual(['/page/password-changed', 'Your password was changed'])
    expect([await statusOfSignIn(ann, newPassword), await statusOfSignIn(ann, testPassword)]).toEqual([200, 401])
    await page.goto(link)
    expect([pathOf(), await heading()]).toEqual([
      '/page/reset-password?error=INVALID_TOKEN',
      'Your password was not changed this time',
    ])
  })

  it.each([
    ['short', 'short'],
    ['cut off in silence elsewhere', `${'x1'.repeat(64)}y`],
  ])('lets no password be sent that is %s, and cuts none', async (_name, password) => {
    await page.goto(`${origin}/api/auth/page/reset-password?token=abc`)
    const before = asked.length
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Repeat the password').fill(password)
    await page.getByRole('button').click()
    expect(await page.getByLabel('New password').inputValue()).toBe(password)
    expect(asked.slice(before)).toEqual([])
  })

  it('takes the longest password of any script, counted as the rules count', async () => {
    const ann = await signUp('ann')
    await call('/forget-password', { email: ann })
    await page.goto(await linkTo(ann, 'reset-password'))
    const password = '🦉🎻'.repeat(64)
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Repeat the password').fill(password)
    await page.getByRole('button').click()
    expect([pathOf(), await statusOfSignIn(ann, password)]).toEqual(['/page/password-changed', 200])
  })

  it('deletes the account in the session of its user, and nowhere else', async () => {
    const ann = await signUp('ann')
    expect(await call('/delete-user', {})).toBe(200)
    const link = await linkTo(ann, 'delete-account')
    const stranger = await openBrowser({ javaScriptEnabled })
    const other = await stranger.newPage()
    await other.goto(link)
    expect(await other.locator('main').textContent()).toMatch(
      /^Nothing was deleted this time.*--token-file - --url http\S+$/,
    )
    await stranger.stop()
    expect(await statusOfSignIn(ann, testPassword)).toBe(200)
    await page.goto(link)
    expect([pathOf(), await heading()]).toEqual(['/page/deleted', 'Your account was deleted'])
    expect(await statusOfSignIn(ann, testPassword)).toBe(401)
    await page.goto(link)
    expect([pathOf(), await heading()]).toEqual([
      '/page/deleted?error=failed_to_get_user_info',
      'Nothing was deleted this time',
    ])
  })

  it('asked nobody for anything but the service, and the policy had nothing to forbid', () => {
    // Who the token belongs to is not known to the page, so that it can name no user to a password manager.
    const expected = /favicon|status of 400|username fields/
    expect(complaints.filter((text) => !expected.test(text))).toEqual([])
    const known = [`${origin}/`, application, application.replace('127.0.0.1', 'localhost')]
    expect(asked.filter((url) => !known.some((start) => url.startsWith(start)))).toEqual([])
  })
})

it('shows itself in no frame of another page', async () => {
  const address = `${origin}/api/auth/page/reset-password?token=abc`
  const framing = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><iframe src="${address}"></iframe>`)
  }).listen(0, '127.0.0.1')
  await once(framing, 'listening')
  const browser = await openBrowser()
  const page = await browser.newPage()
  await page.goto(`http://localhost:${(framing.address() as AddressInfo).port}/`)
  const frame = page.frames()[1]
  expect([frame?.url(), await frame?.locator('form').count()]).toEqual(['chrome-error://chromewebdata/', 0])
  await browser.stop()
  framing.close()
})
