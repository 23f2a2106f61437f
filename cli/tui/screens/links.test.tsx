import { describe, expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import { personAt } from '../../../server/testing/social.ts'
import { continueAt, FormBrowser, type Page, refuseAt, typeCode } from '../../testing/form-browser.ts'
import { startProviderService } from '../../testing/provider-service.ts'
import { ada, signedIn, verify } from '../testing/people.ts'
import type { RenderOptions, Screen } from '../testing/render.tsx'
import { useScreensOf } from '../testing/screens.ts'

// The form waits seconds between two requests.
vi.setConfig({ testTimeout: 120_000 * slack })

const screens = useScreensOf(() => startProviderService(['GOOGLE']))

/** Opens Ada's linked accounts. */
async function open(options: RenderOptions = {}, link: () => Promise<unknown> = () => Promise.resolve()) {
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  await link()
  const ui = screens.open(machine, { screen: 'profile', size: { columns: 120, rows: 30 }, ...options })
  await ui.shows('Linked accounts')
  ui.press('G', 'enter')
  await ui.shows('Provider')
  return ui
}

const linked = async (): Promise<readonly string[]> => {
  const rows = await screens.sql<{ providerId: string }[]>`select provider_id from accounts order by created_at, id`
  return rows.map(({ providerId }) => providerId)
}

/** Acts in a browser with the code on the screen. */
async function inBrowser(ui: Screen, decide: (browser: FormBrowser, page: Page) => Promise<unknown>) {
  const [userCode = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(await ui.shows('/api/auth/page/device')) ?? []
  const browser = new FormBrowser()
  await decide(browser, await typeCode(browser, screens.own.url, userCode))
}

const start = async (ui: Screen) => {
  ui.press('c')
  const picker = await ui.shows('Google')
  expect(picker).toContain('Another, by its name')
  // Only what is on at this service.
  expect(picker).not.toContain('GitHub')
  ui.press('another\r')
  await ui.shows('postern account link add')
}

describe('linked accounts', () => {
  test('are listed, and one is removed after a yes, with its command', async () => {
    let google = ''
    const ui = await open({}, async () => {
      google = await screens.own.linkGoogle(ada)
    })
    expect(await ui.shows('Google')).toContain('Password')
    ui.press('j', 'D')
    expect(await ui.shows(`Remove Google ${google}?`)).toContain('postern account link remove google')
    ui.press('n')
    await ui.hides(`Remove Google ${google}?`)
    expect(await linked()).toEqual(['credential', 'google'])
    ui.press('D')
    await ui.shows(`Remove Google ${google}?`)
    ui.press('y')
    await ui.shows(`Removed Google ${google}`)
    expect(await linked()).toEqual(['credential'])
  })

  test('the last one stays, and the screen says why', async () => {
    const ui = await open()
    ui.press('D')
    await ui.shows('It is your only way to sign in')
    expect(screens.writes()).toEqual([])
  })

  test('tokens are refreshed, but not those of a password', async () => {
    const ui = await open({}, () => screens.own.linkGoogle(ada))
    ui.press('x')
    expect(await ui.shows('Refresh its tokens')).toContain('A password has no provider tokens')
    ui.press('esc')
    await ui.hides('Refresh its tokens')
    ui.press('j', 'x')
    await ui.shows('Refresh its tokens')
    const before = await screens.sql`select access_token, tokens_version from accounts where provider_id = 'google'`
    ui.press('enter')
    await ui.shows('Refreshed the tokens of Google')
    const after = await screens.sql`select access_token, tokens_version from accounts where provider_id = 'google'`
    expect(after).not.toEqual(before)
  })

  test('one more is linked in a browser, by an address, a code and the time that is left', async () => {
    const ui = await open()
    await start(ui)
    ui.press('Not One\r')
    await ui.shows('A provider is a word like google or github')
    ui.press(...Array(7).fill('backspace'), 'google\r')
    const person = personAt({ email: ada })
    await inBrowser(ui, (browser, page) => continueAt(screens.own.provider, browser, page, { person, action: 'link' }))
    await ui.shows(`Linked Google ${person.sub}`)
    expect(await linked()).toEqual(['credential', 'google'])
  })

  test('what is refused in the browser, given up or not offered leaves all as it was', async () => {
    const ui = await open()
    ui.press('c')
    await ui.shows('Google')
    ui.press('goog\r')
    await ui.shows('postern account link add google')
    ui.press('\r')
    await ui.shows('/api/auth/page/device')
    ui.press('esc')
    await ui.hides('/api/auth/page/device')
    await ui.shows('Cancelled')
    ui.press('\r')
    await inBrowser(ui, (browser, page) => browser.submit(page, 'decision', { decision: 'refuse' }))
    await ui.shows('The link was refused in the browser')
    ui.press('esc', ...Array(6).fill('backspace'), 'kick\r')
    await ui.shows('This service does not support sign-in with kick')
    expect(await linked()).toEqual(['credential'])
  })

  test('what the provider refuses ends the waiting, and the form asks once more by enter or takes another name', async () => {
    const ui = await open()
    await start(ui)
    ui.press('google\r')
    await inBrowser(ui, (browser, page) => refuseAt(screens.own.url, browser, page))
    await ui.shows('The link was refused at Google')
    ui.press('esc', '\r')
    await ui.shows('/api/auth/page/device')
    ui.press('esc')
    await ui.shows('Cancelled')
    ui.press(...Array(6).fill('backspace'), 'kick')
    await ui.shows('postern account link add kick')
    expect(await linked()).toEqual(['credential'])
  })

  test('the providers are said to load until they are known', async () => {
    const ui = await open()
    const late = screens.own.hold('GET /provider/list')
    ui.press('c')
    expect(await ui.shows('Loading…')).not.toContain('Nothing here yet')
    late.release()
    expect(await ui.shows('Google')).not.toContain('Loading…')
  })

  test('the providers that a typed command leads to are searched anew', async () => {
    const ui = await open()
    ui.press(':', 'link an')
    await ui.shows('❯ Link an account')
    ui.press('enter')
    expect(await ui.shows('Google')).toContain('Another, by its name')
  })

  test('what comes over the waiting takes nothing but itself away when it is chosen', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const ui = screens.open(await signedIn(screens.own, 2), { screen: 'sessions', size: { columns: 120, rows: 30 } })
    await ui.shows('Firefox 2')
    let asked = 0
    screens.own.relayBy(async (call, _request, ask) => {
      if (call !== 'POST /revoke-session') return ask()
      asked += 1
      if (asked === 1) return ask()
      await answered
      return Response.json({ code: 'BUSY', message: 'Too busy for that' }, { status: 400 })
    })
    ui.press('j', 'space', 'space', 'D')
    await ui.shows('Revoke these 2 sessions?')
    ui.press('y')
    await expect.poll(() => asked).toBe(2)
    ui.press(':', 'link an')
    await ui.shows('❯ Link an account')
    ui.press('enter')
    await ui.shows('Another, by its name')
    ui.press('goog\r')
    await ui.shows('postern account link add google')
    ui.press('\r')
    await ui.shows('/api/auth/page/device')
    answer()
    expect(await ui.shows('Too busy for that')).toContain('done')
    ui.press('enter')
    await ui.hides('Too busy for that')
    expect(await ui.shows('/api/auth/page/device')).toContain('esc')
    ui.press('esc')
    await ui.shows('Cancelled')
  })

  test('nothing is changed in read-only mode', async () => {
    const ui = await open({ isReadOnly: true }, () => screens.own.linkGoogle(ada))
    ui.press('c')
    await ui.shows('read-only mode is on')
    expect(screens.writes()).toEqual([])
  })
})
