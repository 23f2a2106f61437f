import { afterEach, describe, expect, test } from 'vitest'
import type { FakeService } from '../testing/fake-service.ts'
import { type RenderOptions, renderTui, type Screen } from '../testing/render.tsx'
import { signedIn } from '../testing/signed-in.ts'

let screen: Screen
afterEach(() => screen.close())

/** Ada, who signs in with a password and with these. */
function linked(...providers: readonly string[]): FakeService {
  const service = signedIn(0)
  const email = 'ada@example.com'
  service.links.push(
    { id: 'a0', provider: 'credential', accountId: 'u-ada', scopes: [], email },
    ...providers.map((provider, index) => ({
      id: `a${index + 1}`,
      provider,
      accountId: `${provider}-123`,
      scopes: ['email'],
      email,
    })),
  )
  return service
}

async function open(options: RenderOptions): Promise<Screen> {
  screen = renderTui({ screen: 'profile', ...options })
  await screen.shows('Linked accounts')
  screen.press('G', 'enter')
  await screen.shows('Provider')
  return screen
}

describe('linked accounts', () => {
  test('are listed, and one is removed after a yes, with its command', async () => {
    const ui = await open({ service: linked('google', 'github') })
    expect(await ui.shows('github-123')).toContain('Password')
    ui.press('j', 'D')
    expect(await ui.shows('Remove Google google-123?')).toContain('postern account link remove google:google-123')
    ui.press('n')
    await ui.hides('Remove Google google-123?')
    expect(ui.service.links).toHaveLength(3)
    ui.press('D')
    await ui.shows('Remove Google google-123?')
    ui.press('y')
    await ui.shows('Removed Google google-123')
    await ui.hides('google-123 ')
    expect(ui.service.links.map(({ provider }) => provider)).toEqual(['credential', 'github'])
  })

  test('the last one stays, and the screen says why', async () => {
    const ui = await open({ service: linked() })
    ui.press('D')
    await ui.shows('It is the only way in which you sign in')
    expect(ui.service.asked).not.toContain('POST /unlink-account')
  })

  test('tokens are refreshed, but not those of a password', async () => {
    const ui = await open({ service: linked('google') })
    ui.press('x')
    expect(await ui.shows('Refresh its tokens')).toContain('A password has no tokens of a provider')
    ui.press('esc')
    await ui.hides('Refresh its tokens')
    ui.press('j', 'x')
    await ui.shows('Refresh its tokens')
    ui.press('j', 'enter')
    await ui.shows('Refreshed the tokens of Google google-123')
  })

  test('one more is linked in a browser, by an address, a code and the time that is left', async () => {
    const ui = await open({ service: linked() })
    ui.press('c')
    await ui.shows('postern account link add')
    ui.press('Not One\r')
    await ui.shows('A provider is a word like google or github')
    ui.press(...Array(7).fill('backspace'), 'google\r')
    expect(await ui.shows('BCDF-GHJK')).toContain('http://localhost:4100/api/auth/page/device')
    ui.service.isLinkMade = true
    await ui.shows('Linked Google 4711')
    await ui.shows('Provider')
    expect(ui.service.links.map(({ provider }) => provider)).toEqual(['credential', 'google'])
  })

  test('what is refused in the browser, given up or not offered leaves all as it was', async () => {
    const ui = await open({ service: linked() })
    ui.press('c')
    await ui.shows('postern account link add')
    ui.press('google\r')
    await ui.shows('BCDF-GHJK')
    ui.press('esc')
    await ui.hides('BCDF-GHJK')
    await ui.shows('Cancelled')
    ui.press('\r')
    await ui.shows('BCDF-GHJK')
    ui.service.isLinkMade = false
    await ui.shows('The link was refused in the browser')
    ui.press('esc', ...Array(6).fill('backspace'), 'kick\r')
    await ui.shows('This service has no sign-in with kick')
    expect(ui.service.links).toHaveLength(1)
  })

  test('nothing is changed in read-only mode', async () => {
    const ui = await open({ service: linked('google'), isReadOnly: true })
    ui.press('c')
    expect(await ui.shows('read-only mode is on')).not.toContain('postern account link add')
  })
})
