import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../server/testing/browser.ts'
import type { Person } from '../../server/testing/openid-provider.ts'
import { proveAddress } from '../../server/testing/prove-address.ts'
import { testPassword } from '../../server/testing/service.ts'
import { personAt } from '../../server/testing/social.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { type ProviderService, startProviderService } from './provider-service.ts'
import { type Pty, startPty } from './pty.ts'
import { bin } from './real-service.ts'

const openId = 'openid email profile'
let own: ProviderService
let browser: OpenBrowser
let page: Page
let terminal: Pty
beforeAll(async () => {
  own = await startProviderService(['GOOGLE', 'GITLAB', 'MICROSOFT', 'APPLE'], {
    GITLAB_SCOPES: openId,
    MICROSOFT_SCOPES: openId,
    APPLE_SCOPES: openId,
  })
})
afterAll(() => own?.stop())
beforeEach(async () => {
  browser = await openBrowser({ viewport: { width: 400, height: 800 } })
  page = await browser.newPage()
})
afterEach(async () => {
  terminal?.close()
  await browser?.stop()
})

/** A shell on a machine where nobody is signed in, and where no browser is. */
function openShell(): Pty {
  const home = temporaryFolder('shell')
  const env = {
    HOME: home,
    PS1: '$ ',
    NO_COLOR: '1',
    POSTERN_URL: own.url,
    POSTERN_STATE_DIR: join(home, 'state'),
    POSTERN_CONFIG_DIR: join(home, 'config'),
  }
  terminal = startPty('/bin/sh', [], { columns: 110, rows: 40, env })
  terminal.type(`postern() { '${process.execPath}' '${bin}' "$@"; }; clear\r`)
  return terminal
}

/** The page and the code that the terminal shows. */
async function shownIn(shell: Pty): Promise<{ url: string; code: string }> {
  const screen = await shell.shows('Waiting,')
  const [, url = '', code = ''] = /Open (\S+)\s+and type ([A-Z]{4}-[A-Z]{4})/.exec(screen) ?? []
  return { url, code }
}

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

async function typeCode({ url, code }: { url: string; code: string }): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Code').fill(code)
  await press('Continue')
}

/** Signs in at the provider, and agrees there. */
async function agreeAt({ sub }: Person): Promise<void> {
  await page.getByLabel('Account').fill(sub)
  await press('Sign in')
  await press('Agree')
}

/** Waits for a page of that heading: after a click the one before may be there for a while. */
const isBack = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const ownCookies = async () => (await page.context().cookies(`${own.url}/api/auth/page/device`)).map(({ name }) => name)

function known(fields: Partial<Person> = {}): Person {
  const person = personAt({ tid: '72f988bf-86f1-41af-91ab-2d7cd011db47', xms_edov: true, ...fields })
  own.provider.know(person)
  return person
}

const name = { google: 'Google', gitlab: 'GitLab', microsoft: 'Microsoft', apple: 'Apple' }

describe('sign-in --provider', () => {
  it.each(['google', 'gitlab', 'microsoft', 'apple'] as const)(
    'goes over %s to whoami in the same terminal',
    async (id) => {
      const person = known()
      const shell = openShell()
      shell.type(`postern sign-in --provider ${id} --no-open\r`)
      await typeCode(await shownIn(shell))
      await isBack('Who are you?')
      await press(`Continue with ${name[id]}`)
      await agreeAt(person)
      await isBack('Is this you?')
      await press('Approve')
      await isBack('Approved')
      expect(await ownCookies()).toEqual([])
      await shell.shows(`Signed in as ${person.email}`)
      shell.type('clear; postern whoami\r')
      await shell.shows(`${person.email} (`)
    },
  )

  it('knows the same person at the second time, on another machine', async () => {
    const person = known()
    for (const round of ['first', 'second']) {
      const shell = openShell()
      shell.type('postern sign-in --provider google --no-open\r')
      await typeCode(await shownIn(shell))
      await press('Continue with Google')
      // At the second time the provider knows who it is, and that it may tell.
      if (round === 'first') await agreeAt(person)
      await isBack('Is this you?')
      await press('Approve')
      await shell.shows(`Signed in as ${person.email}`)
      shell.close()
    }
    const found = await own.service.deps.sql`select id from users where email = ${person.email ?? ''}`
    expect(found).toHaveLength(1)
  })

  it('survives a wrong code and a refusal at the provider, and ends with one on the page', async () => {
    const person = known()
    const shell = openShell()
    shell.type('postern sign-in --provider google --no-open\r')
    const shown = await shownIn(shell)
    await typeCode({ ...shown, code: 'BBBB-BBBB' })
    expect(await page.getByRole('alert').textContent()).toContain('No sign-in is waiting for this code')
    await page.getByLabel('Code').fill(shown.code.toLowerCase())
    await press('Continue')
    await press('Continue with Google')
    await page.getByLabel('Account').fill(person.sub)
    await press('Sign in')
    await press('Refuse')
    await isBack('Who are you?')
    await page.getByRole('alert').waitFor()
    await press('I did not start this: refuse')
    await isBack('Refused')
    expect(await ownCookies()).toEqual([])
    await shell.shows('The sign-in was refused in the browser')
    shell.type('clear; postern whoami\r')
    await shell.shows('Not signed in')
  })
})

describe('account link', () => {
  it('adds an account in a browser that is not signed in, and takes it away again', async () => {
    const ann = await own.service.person()
    await proveAddress(own.service.deps.sql, ann.email)
    const person = known({ email: ann.email })
    const shell = openShell()
    shell.type(`printf %s '${testPassword}' | postern sign-in --email ${ann.email} --password-file -\r`)
    await shell.shows(`Signed in as ${ann.email}`)
    shell.type('clear; postern account link add google --no-open\r')
    await typeCode(await shownIn(shell))
    await isBack('Link an account at Google?')
    expect(await page.locator('main').textContent()).not.toContain(ann.email)
    await press('Continue with Google')
    await agreeAt(person)
    await isBack('Linked')
    expect(await ownCookies()).toEqual([])
    await shell.shows(`Linked Google ${person.sub}`)
    shell.type('clear; postern account link remove google\r')
    await shell.shows('Remove Google')
    shell.type('y\r')
    await shell.shows(`Removed Google ${person.sub}`)
    shell.type('clear; postern account link list\r')
    expect(await shell.shows('Password')).not.toContain('Google')
  })
})
