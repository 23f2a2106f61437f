import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { useBrowser } from '../testing/browser.ts'
import { freePort } from '../testing/ports.ts'
import { useTestService, useWire } from '../testing/use-service.ts'
import { payloads } from './testing/payloads.ts'

const port = await freePort()
const origin = `http://localhost:${port}`
useWire(useTestService({ BASE_URL: origin }), port)

const addressOf = (error: string) => `${origin}/api/auth/error?${new URLSearchParams({ error }).toString()}`

describe.each([true, false])('the error page with JavaScript %s', (javaScriptEnabled) => {
  const browser = useBrowser({ javaScriptEnabled })
  let page: Page
  let complaints: readonly string[]
  let asked: readonly string[]
  beforeAll(async () => {
    ;({ page, complaints, asked } = await browser.watchPage())
  })

  it('keeps its style: the policy names the hash that the browser computes', async () => {
    await page.goto(addressOf('no_code'))
    const width = await page.evaluate('getComputedStyle(document.querySelector("main")).maxWidth')
    expect([width, await page.locator('#errorCode').textContent()]).toEqual(['512px', 'no_code'])
  })

  it.each(payloads)('runs and shows nothing of %s', async (payload) => {
    await page.goto(addressOf(payload))
    const elements = await page.evaluate('[...document.querySelectorAll("body *")].map(({ tagName }) => tagName)')
    expect(elements).toEqual(['MAIN', 'H1', 'P', 'P', 'CODE', 'P', 'A'])
    expect(await page.locator('#errorCode').textContent()).toBe('Unknown')
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  it('asked nobody for anything but itself, and the policy had nothing to forbid', () => {
    expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([])
    expect(asked.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
  })
})
