import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { useBrowser } from '../testing/browser.ts'
import { startWaiting } from '../testing/device.ts'
import { freePort } from '../testing/ports.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService, useWire } from '../testing/use-service.ts'

const port = await freePort()
const pages = `http://localhost:${port}/api/auth`
const github = { GITHUB_CLIENT_ID: 'us', GITHUB_CLIENT_SECRET: 'a-secret-of-github' }
const service = useTestService({ BASE_URL: `http://localhost:${port}`, ...github })
useWire(service, port)

/** What axe-core finds wrong: labels, contrast, landmarks, names, order. */
async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** To look at them: SCREENSHOTS=FOLDER npx vitest run --project browser server/pages/accessibility */
const folder = process.env.SCREENSHOTS

describe.each([
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)('the pages at %i pixels in %s colours', (width, colorScheme) => {
  let page: Page
  const complaints: string[] = []
  const browser = useBrowser({ colorScheme, viewport: { width, height: 720 } })
  beforeAll(async () => {
    page = await browser.newPage()
    page.on('console', (message) => {
      if (/^(?:error|warning)$/.test(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
  })

  /** What is shown, what is wrong with it, and by how much it is too wide. */
  async function look(): Promise<object> {
    const heading = await page.locator('h1').textContent()
    if (folder) await page.screenshot({ path: `${folder}/${heading}-${width}-${colorScheme}.png`, fullPage: true })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    return { heading, problems: await problemsOf(page), overflow, complaints }
  }
  const sound = (heading: string) => ({ heading, problems: [], overflow: 0, complaints: [] })

  const go = (path: string) => page.goto(`${pages}${path}`)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  it('of a device sign-in are sound, from the code to the approval', async () => {
    const [ann, waiting] = [await service.person(), await startWaiting(service)]
    await go('/page/device')
    expect(await look()).toEqual(sound('Sign in on another machine'))
    await page.getByLabel('Code').fill(waiting.userCode)
    await press('Continue')
    expect(await look()).toEqual(sound('Who are you?'))
    await page.getByLabel('Email').fill(ann.email)
    await page.getByLabel('Password').fill(testPassword)
    await press('Continue')
    expect(await look()).toEqual(sound('Is this you?'))
    await press('Approve')
    expect(await look()).toEqual(sound('Approved'))
  })

  it('of refusals, of errors and of a new password are sound', async () => {
    const [ann, waiting] = [await service.person(), await startWaiting(service)]
    await go('/page/device')
    await page.getByLabel('Code').fill(waiting.userCode)
    await press('Continue')
    await page.getByLabel('Email').fill(ann.email)
    await page.getByLabel('Password').fill(testPassword)
    await press('Continue')
    await press('Refuse')
    expect(await look()).toEqual(sound('Refused'))
    await go('/error?error=account_not_linked')
    expect(await look()).toEqual(sound('This did not work'))
    await go('/page/reset-password?token=x')
    expect(await look()).toEqual(sound('Set a new password'))
  })
})
