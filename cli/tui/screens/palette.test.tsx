import { expect, test } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import { acmeAt, openAcme } from '../testing/acme.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()

test('the palette has what other screens offer without a selection', async () => {
  const ui = screens.open(await adminOf(screens.own), { screen: 'sessions' })
  await ui.shows('this one')
  await expect.poll(() => ui.store.state.isAdmin).toBe(true)
  for (const [typed, line] of [
    ['audit trail of', 'Audit trail of the service'],
    ['create user', 'postern admin user create'],
    ['link', 'Link an account'],
    ['browser', 'postern sign-in --device'],
  ] as const) {
    ui.press(':', typed)
    await ui.shows(line)
    ui.press('esc')
    await ui.hides('Command')
  }
})

test('the palette finds acts by the words of their command, also those of an organization', async () => {
  const ui = await openAcme(screens, await acmeAt(screens.own), { size: { columns: 120, rows: 40 } })
  await ui.shows('Keys 0')
  for (const [typed, line] of [
    ['key trust list', 'CI jobs that sign in without a key'],
    ['trust create', 'Trust a CI provider'],
    ['role create', 'Create a role'],
    ['member role set', 'Change roles'],
    ['trail', 'Activity'],
    ['audit', 'Activity'],
  ] as const) {
    ui.press(':', typed)
    await ui.shows(`: ${typed}`)
    expect(await ui.shows(`❯ ${line}`)).toContain('postern')
    ui.press('esc')
    await ui.hides('Command')
  }
})

test('the palette opened before the profile is loaded gets what belongs to it, and Enter waits for that', async () => {
  const machine = await signedIn(screens.own)
  const held = screens.own.hold('GET /get-session')
  const ui = screens.open(machine)
  await held.answered
  ui.press(':', 'linked accounts', 'enter')
  expect(await ui.shows(': linked accounts')).toContain('Loading…')
  held.release()
  await ui.shows('Home › Linked accounts')
})
