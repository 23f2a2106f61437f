import { expect, test } from 'vitest'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()

test('a command that is too long for the clipboard is not copied in part, and the notice says so', async () => {
  const ui = screens.open(await signedIn(screens.own), { screen: 'orgs' })
  await ui.shows('You are in no organization yet')
  ui.press('c')
  await ui.shows('❯ Name')
  ui.press('Acme\r', '\r', '\r', `{"plan":"${'x'.repeat(9000)}"}`, '\r')
  await ui.shows('Created Acme (acme)')
  ui.press('7', '/', 'org create', 'enter', 'C')
  await ui.shows("Not copied, since a terminal's clipboard is too small for the command")
  expect(ui.copied).toEqual([])
})
