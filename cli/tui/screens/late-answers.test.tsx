import { expect, test } from 'vitest'
import { acmeAt, openAcme } from '../testing/acme.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()

test('who has left the screen of what is removed stays where they are', async () => {
  const ui = screens.open(await signedIn(screens.own, 1), { screen: 'sessions' })
  await ui.shows('Firefox 1')
  ui.press('j', 'enter')
  await ui.shows('Sessions › Session')
  const held = screens.own.hold('POST /revoke-session')
  ui.press('D')
  await ui.shows('Revoke this session?')
  ui.press('y')
  await held.answered
  ui.press('esc')
  await ui.hides('Sessions › Session')
  held.release()
  await ui.shows('Revoked')
  expect(await ui.hides('Firefox 1')).toContain('Sessions')
  expect(ui.frame()).not.toContain('Ada Lovelace')
})

test('a form that was opened meanwhile stays', async () => {
  const ui = await openAcme(screens, await acmeAt(screens.own))
  await ui.shows('Eve Moss')
  ui.press('j', 'j', 'enter')
  await ui.shows('Acme › Eve Moss')
  const held = screens.own.hold('POST /organization/remove-member')
  ui.press('D')
  await ui.shows('Remove ')
  ui.press('y')
  await held.answered
  ui.press('esc')
  await ui.hides('Acme › Eve Moss')
  ui.press('c')
  await ui.shows('❯ E-mail')
  ui.press('new@example')
  await ui.shows('new@example')
  held.release()
  expect(await ui.shows('Removed ')).toContain('new@example')
})
