import { expect, test } from 'vitest'
import { acmeAt, openAcme, tabTo } from '../testing/acme.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { windowSizes } from '../testing/window-sizes.ts'

const screens = useScreens()

test.each(windowSizes)(
  'what was typed into a form is there again after esc, until it is sent: %i×%i',
  async (columns, rows) => {
    const ui = await openAcme(screens, await acmeAt(screens.own), { size: { columns, rows } })
    await tabTo(ui, 'Invitations')
    ui.press('c', 'new@example.com', 'esc')
    await ui.shows('Your draft is kept')
    ui.press('c')
    expect(await ui.shows('new@example.com')).toMatch(/E-mail +new@example/)
    ui.press('enter', 'enter', 'enter')
    await ui.shows('nvited new@example.com')
    ui.press('c')
    await ui.shows('or send')
    expect(await screens.sql`select email from invitations`).toEqual([{ email: 'new@example.com' }])
    expect(ui.frame()).not.toMatch(/E-mail +new@example/)
  },
)

test('a password is never part of a draft', async () => {
  const ui = screens.open(await signedIn(screens.own), { screen: 'profile' })
  await ui.shows('Change the password')
  ui.press(':', 'change the password', 'enter')
  await ui.shows('Current password')
  ui.press('secret words', 'esc')
  await ui.shows('Member since')
  ui.press(':', 'change the password', 'enter')
  await ui.shows('Current password')
  expect(ui.frame()).not.toMatch(/[•*●]{3}/)
})
