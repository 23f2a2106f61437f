import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useBrowser } from '../testing/browser.ts'
import { startWaiting } from '../testing/device.ts'
import { startOpenIdProvider } from '../testing/openid-provider.ts'
import { freePort } from '../testing/ports.ts'
import { personAt } from '../testing/social.ts'
import { useStarted, useTestService, useWire } from '../testing/use-service.ts'

const port = await freePort()
const origin = `http://localhost:${port}`
const provider = useStarted(() => startOpenIdProvider({ redirectUris: [`${origin}/api/auth/callback/google`] }))
const service = useTestService(() => ({ BASE_URL: origin, ...provider.settings('GOOGLE') }))
useWire(service, port)

const googleScript = 'https://accounts.google.com/gsi/client'
const cookies = async (page: Page) => (await page.context().cookies(origin)).map(({ name }) => name)

async function type(page: Page, userCode: string): Promise<void> {
  await page.goto(`${origin}/api/auth/page/device`)
  await page.getByLabel('Code').fill(userCode)
  await page.getByRole('button', { name: 'Continue' }).click()
}

describe.each([false, true])('a provider, in a browser with JavaScript %s', (javaScriptEnabled) => {
  const browser = useBrowser({ javaScriptEnabled })

  it('is gone to, and come back from, to the approval', async () => {
    const ann = personAt()
    const page = await browser.newPage()
    // How this provider knows who sits in front of it; nobody has to press anything there.
    await page.setExtraHTTPHeaders({ 'x-person': ann.sub })
    await page.route(googleScript, (route) => route.abort())
    // Makes her known there; nothing is asked.
    await provider.visit(origin, ann)
    const waiting = await startWaiting(service, { provider: 'google' })
    await type(page, waiting.userCode)
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await page.getByText('Is this you?').waitFor()
    expect(await page.locator('main').textContent()).toContain(ann.email)
    expect(await cookies(page)).toEqual(['postern.device_claim'])
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    expect([(await waiting.poll()).status, await cookies(page)]).toEqual([200, []])
  })
})

/** Whatever is to happen later happens at once, and when it should have is noted. */
const hurry = `
window.delays = []
const later = window.setTimeout
window.setTimeout = (work, delay, ...rest) => { window.delays.push(delay); return later(work, 0, ...rest) }
`

/** In place of Google's script: shows itself after a number of tries, and then says who it is. */
const stub = (unseen: number, token: string, reason = 'auto_cancel') => `
window.prompts = []
window.google = { accounts: { id: {
  initialize: (options) => { window.options = options },
  prompt: (tell) => {
    window.prompts.push(1)
    if (window.prompts.length <= ${unseen}) return tell({ isSkippedMoment: () => true, getSkippedReason: () => '${reason}' })
    if (${JSON.stringify(token)}) window.options.callback({ credential: ${JSON.stringify(token)} })
  },
} } }
`

describe('Google One Tap in a browser', () => {
  const browser = useBrowser()
  let page: Page
  /** Of every page that was opened. */
  const complaints: (readonly string[])[] = []
  const open = async () => {
    const watched = await browser.watchPage()
    page = watched.page
    complaints.push(watched.complaints)
    await page.addInitScript(hurry)
    return startWaiting(service)
  }
  const count = () => page.evaluate('window.prompts?.length ?? 0')

  it('asks again while it is not shown, five times, each time twice as late, and the token approves for this claim', async () => {
    const ann = personAt()
    const waiting = await open()
    let script = ''
    await page.route(googleScript, (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
    script = stub(5, '')
    await type(page, waiting.userCode)
    await expect.poll(count).toBe(5)
    expect(await page.evaluate('window.delays')).toEqual([1000, 2000, 4000, 8000])
    const nonce = await page.evaluate('window.options.nonce')
    script = stub(0, await provider.sign({ ...ann, nonce: String(nonce) }))
    await page.reload()
    await page.getByText('Is this you?').waitFor()
    expect(await page.locator('main').textContent()).toContain(ann.email)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    expect([(await waiting.poll()).status, await cookies(page)]).toEqual([200, []])
  })

  it.each(['user_cancel', 'tap_outside'])('does not come back to somebody who closed it: %s', async (reason) => {
    const waiting = await open()
    const body = stub(5, '', reason)
    await page.route(googleScript, (route) => route.fulfill({ contentType: 'text/javascript', body }))
    await type(page, waiting.userCode)
    await expect.poll(count).toBe(1)
    expect(await page.evaluate('window.delays')).toEqual([])
  })

  it('is tried again where its script does not come, and nothing else stops working', async () => {
    const waiting = await open()
    let asked = 0
    await page.route(googleScript, (route) => {
      asked += 1
      return route.abort()
    })
    await type(page, waiting.userCode)
    await expect.poll(() => asked).toBe(5)
    expect(await page.evaluate('window.delays')).toEqual([1000, 2000, 4000, 8000])
    expect(await page.getByRole('button', { name: 'Continue with Google' }).count()).toBe(1)
  })

  it('lets nothing else run, load or be reached', async () => {
    const waiting = await open()
    await page.route(googleScript, (route) => route.fulfill({ contentType: 'text/javascript', body: stub(5, '') }))
    await type(page, waiting.userCode)
    await expect.poll(count).toBe(5)
    const ran = await page.evaluate(`(async () => {
      const add = (text, src) => new Promise((done) => {
        const script = document.createElement('script')
        if (src) script.src = src
        else script.textContent = text
        script.onload = () => done(true)
        script.onerror = () => done(false)
        document.body.append(script)
        if (!src) done(window.hit === 1)
      })
      const fetched = await fetch('/api/auth/ok').then(() => true, () => false)
      return [await add('window.hit = 1'), await add('', 'https://accounts.google.com/gsi/other'), await add('', '/x.js'), fetched]
    })()`)
    expect(ran).toEqual([false, false, false, false])
  })

  it('was complained of by the browser only where it was kept from something', () => {
    const expected = /favicon|ERR_FAILED|Content Security Policy|username fields/
    expect(complaints.flat().filter((text) => !expected.test(text))).toEqual([])
  })
})
