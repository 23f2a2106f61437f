import { expect, it } from 'vitest'
import { useBrowser } from '../testing/browser.ts'
import { freePort } from '../testing/ports.ts'
import { useTestService, useWire } from '../testing/use-service.ts'

const port = await freePort()
const origin = `http://localhost:${port}`
useWire(useTestService({ BASE_URL: origin, API_REFERENCE: 'on' }), port)
const browser = useBrowser()

it('shows every noun and its calls, and makes a call, with nothing from elsewhere', async () => {
  const { page, complaints, asked } = await browser.watchPage()
  await page.goto(`${origin}/api/auth/reference`)
  await page.locator('#operations-tag-organization').click()
  await page.locator('#operations-tag-service').click()
  await page.locator('#operations-service-ok').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.locator('#operations-service-ok .live-responses-table .response .microlight').first().waitFor()
  expect(await page.locator('#operations-service-ok .live-responses-table').textContent()).toContain('"ok": true')
  expect(complaints).toEqual([])
  expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([])
})
