import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../server/testing/browser.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../server/testing/openid-provider.ts'
import { freePort } from '../../server/testing/ports.ts'
import { personAt } from '../../server/testing/social.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { runBuilt } from './built.ts'
import { type OwnService, startOwnService } from './own-service.ts'
import { type Pty, startPty } from './pty.ts'
import { bin } from './real-service.ts'

let provider: OpenIdProvider
let own: OwnService
let origin: string
let browser: OpenBrowser
let pty: Pty | undefined
beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  provider = await startOpenIdProvider({ redirectUris: [`${origin}/api/auth/callback/google`] })
  own = await startOwnService({ PORT: String(port), BASE_URL: origin, ...provider.settings('GOOGLE') })
})
afterAll(async () => {
  await own?.stop()
  await provider?.stop()
})
// The provider remembers whoever signed in there before.
beforeEach(async () => {
  browser = await openBrowser()
})
afterEach(async () => {
  pty?.close()
  await browser?.stop()
})

/** A machine with a screen, whose browser is the one of this test. */
function machine() {
  const home = temporaryFolder('screen')
  const [program, noted] = [join(home, 'browser'), join(home, 'opened')]
  writeFileSync(program, `#!/bin/sh\nprintf '%s' "$1" > '${noted}.part'\nmv '${noted}.part' '${noted}'\n`, {
    mode: 0o755,
  })
  const env = {
    HOME: home,
    DISPLAY: ':0',
    BROWSER: program,
    POSTERN_URL: origin,
    POSTERN_STATE_DIR: join(home, 'state'),
    POSTERN_CONFIG_DIR: join(home, 'config'),
  }
  const opened = async () => {
    await expect.poll(() => existsSync(noted)).toBe(true)
    return readFileSync(noted, 'utf8')
  }
  return { env, opened }
}

/** Signs in at the provider and approves, as somebody whom it knows. */
async function approve(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
}

async function pageOf(sub: string): Promise<Page> {
  const page = await browser.newPage()
  await page.setExtraHTTPHeaders({ 'x-person': sub })
  await page.route('https://accounts.google.com/**', (route) => route.abort())
  return page
}

describe('postern sign-in --provider google', () => {
  it('opens a page, which leads back to the terminal that asked', async () => {
    const [ann, { env, opened }] = [personAt(), machine()]
    await provider.visit(origin, ann)
    pty = startPty(process.execPath, [bin, 'sign-in', '--provider', 'google'], { env, columns: 120 })
    const page = await pageOf(ann.sub)
    await page.goto(await opened())
    const shown = await pty.shows('Waiting')
    // The code that the page shows is the one that the terminal told.
    expect(shown).toContain(`it shows ${await page.getByLabel('Code').inputValue()}`)
    await approve(page)
    await page.getByText('You can close this page and go back to the terminal.').waitFor()
    expect((await pty.exit).exitCode).toBe(0)
    expect((await runBuilt(['whoami'], { env })).stdout).toBe(`${ann.email} (Ann)\n`)
    // The browser is signed in to nothing by it.
    expect((await page.context().cookies(origin)).map(({ name }) => name)).not.toContain('postern.session_token')
  })

  it('takes the printed code as well, typed in any browser', async () => {
    const [ann, { env }] = [personAt(), machine()]
    await provider.visit(origin, ann)
    const argv = ['sign-in', '--provider', 'google', '--no-open']
    pty = startPty(process.execPath, [bin, ...argv], { env, columns: 120 })
    const shown = await pty.shows('Waiting')
    const page = await pageOf(ann.sub)
    await page.goto(/http\S+/.exec(shown)?.[0] ?? '')
    await page.getByLabel('Code').fill(/type (\S+)/.exec(shown)?.[1] ?? '')
    await approve(page)
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    expect((await pty.exit).exitCode).toBe(0)
    expect((await runBuilt(['whoami'], { env })).stdout).toBe(`${ann.email} (Ann)\n`)
  })
})
