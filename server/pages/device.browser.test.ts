import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, useBrowser } from '../testing/browser.ts'
import { ageDevices, startWaiting, type Waiting } from '../testing/device.ts'
import { freePort } from '../testing/ports.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService, useWire } from '../testing/use-service.ts'

const port = await freePort()
const origin = `http://localhost:${port}`
const service = useTestService({ BASE_URL: origin })
useWire(service, port)
/** The machine that asks, where it waits for the browser. */
let terminal: Server
let local: string
const brought: URL[] = []
beforeAll(async () => {
  terminal = createServer((request, response) => {
    brought.push(new URL(request.url ?? '', local))
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Done</title><h1>Back</h1>')
  }).listen(0, '127.0.0.1')
  await once(terminal, 'listening')
  local = `http://127.0.0.1:${(terminal.address() as AddressInfo).port}/done`
})
afterAll(() => terminal?.close())

describe.each([false, true])('a device sign-in in a browser with JavaScript %s', (javaScriptEnabled) => {
  const browser = useBrowser({ javaScriptEnabled, viewport: { width: 360, height: 640 } })
  let page: Page
  let complaints: readonly string[]
  let asked: readonly string[]
  beforeAll(async () => {
    ;({ page, complaints, asked } = await browser.watchPage())
  })

  const heading = () => page.locator('h1').textContent()
  const pathOf = () => page.url().replace(`${origin}/api/auth`, '')
  const cookies = async () => (await page.context().cookies()).map(({ name }) => name)
  const type = async ({ userCode }: Pick<Waiting, 'userCode'>) => {
    await page.goto(`${origin}/api/auth/page/device`)
    await page.getByLabel('Code').fill(userCode.toLowerCase())
    await page.getByRole('button', { name: 'Continue' }).click()
  }

  it('goes from the code over a password to the approval, and leaves the browser empty', async () => {
    const ann = await service.person()
    const waiting = await startWaiting(service)
    await page.goto(waiting.link)
    expect(await page.getByLabel('Code').inputValue()).toBe('')
    await type(waiting)
    expect([pathOf(), await heading()]).toEqual(['/page/device/request', 'Who are you?'])
    await page.getByLabel('Email').fill(ann.email)
    await page.getByLabel('Password').fill('a wrong passphrase')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('address or the password is wrong')
    await page.getByLabel('Password').fill(testPassword)
    await page.getByRole('button', { name: 'Continue' }).click()
    expect([pathOf(), await heading()]).toEqual(['/page/device/request', 'Is this you?'])
    await page.getByRole('button', { name: 'Approve' }).click()
    expect([await heading(), await cookies()]).toEqual(['Approved', []])
    expect((await waiting.poll()).status).toBe(200)
    // The page of the answer, asked for again, sends the decision again: it is over.
    await page.reload()
    expect(await heading()).toBe('No request is waiting here')
  })

  it('can be done with the keyboard alone, where Enter refuses', async () => {
    const ann = await service.person()
    const { keyboard } = page
    /** A page puts the focus where it is wanted a moment after it was loaded. */
    const focused = (name: string) => page.locator(`${name}:focus`).waitFor()
    const identify = async (waiting: Waiting) => {
      await page.goto(`${origin}/api/auth/page/device`)
      await focused('[name=user_code]')
      await keyboard.type(waiting.userCode)
      await keyboard.press('Enter')
      await page.waitForURL('**/request')
      await keyboard.press('Tab')
      await keyboard.type(ann.email)
      await keyboard.press('Tab')
      await keyboard.type(testPassword)
      await keyboard.press('Enter')
      await focused('[value=refuse]')
    }
    const first = await startWaiting(service)
    await identify(first)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Refused' }).waitFor()
    expect((await first.poll()).body.error).toBe('access_denied')
    const second = await startWaiting(service)
    await identify(second)
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    expect((await second.poll()).status).toBe(200)
  })

  it('is led back to the machine that asked, by itself', async () => {
    const ann = await service.person()
    const waiting = await startWaiting(service, { redirect_uri: local, state: 'of-this-terminal' })
    await page.goto(waiting.link)
    expect(await page.getByLabel('Code').inputValue()).toBe(waiting.userCode)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Email').fill(ann.email)
    await page.getByLabel('Password').fill(testPassword)
    await page.getByRole('button', { name: 'Continue' }).click()
    expect((await waiting.poll()).body.error).toBe('authorization_pending')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(`${local}?*`)
    const { searchParams } = brought.findLast(({ pathname }) => pathname === '/done')!
    expect(searchParams.get('state')).toBe('of-this-terminal')
    await ageDevices(service, 60)
    expect((await waiting.poll({ code: searchParams.get('code') ?? '' })).status).toBe(200)
    expect(await cookies()).toEqual([])
  })

  it('is claimed by the first of two browsers, and the other can do nothing', async () => {
    const ann = await service.person()
    const waiting = await startWaiting(service)
    await type(waiting)
    const other = await openBrowser({ javaScriptEnabled })
    const second = await other.newPage()
    await second.goto(`${origin}/api/auth/page/device`)
    await second.getByLabel('Code').fill(waiting.userCode)
    await second.getByRole('button', { name: 'Continue' }).click()
    expect(await second.getByRole('alert').textContent()).toContain('entered in another browser')
    await second.goto(`${origin}/api/auth/page/device/request`)
    expect(await second.locator('h1').textContent()).toBe('No request is waiting here')
    await other.stop()
    await page.getByLabel('Email').fill(ann.email)
    await page.getByLabel('Password').fill(testPassword)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    expect((await waiting.poll()).status).toBe(200)
  })

  it('fits a telephone: nothing is wider than its screen, and what is touched is large', async () => {
    const machine = service.visitor('2001:db8:1111:2222:3333:4444:5555:6666')
    const waiting = await startWaiting(service, { client_id: 'x'.repeat(128), scope: 'y'.repeat(200) }, machine)
    await type(waiting)
    for (const at of ['/page/device', '/page/device/request']) {
      await page.goto(`${origin}/api/auth${at}`)
      const [main, ...touched] = await Promise.all(
        [page.locator('main'), ...(await page.locator('button, input:not([type=hidden])').all())].map((each) =>
          each.boundingBox(),
        ),
      )
      expect([main!.x >= 0, main!.x + main!.width <= 360]).toEqual([true, true])
      for (const box of touched) expect([box!.height >= 44, box!.x + box!.width <= 360]).toEqual([true, true])
    }
  })

  it('asked nobody but the service and that machine, and the policy had nothing to forbid', () => {
    const expected = /favicon|status of 40[0139]|username fields/
    expect(complaints.filter((text) => !expected.test(text))).toEqual([])
    expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('http://127.0.0.1:'))).toEqual([])
  })
})
