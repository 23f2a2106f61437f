import { expect, test } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import { acmeAt, createTeam, inviteTo, openAcme, ownTeamsOnly, tabTo } from '../testing/acme.ts'
import { membersOf, sessionsOf } from '../testing/kept.ts'
import { bob, eve, signedIn } from '../testing/people.ts'
import type { Screen } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens(ownTeamsOnly)
const wide = { columns: 120, rows: 30 }

/** The text of the frame, whatever the spacing. */
const textOf = (ui: Screen): string => ui.frame().replaceAll(/\s+/g, ' ')

/** The text right of the dividing line. */
const paneOf = (ui: Screen): string =>
  ui
    .frame()
    .split('\n')
    .flatMap((line) => line.split('│').slice(1))
    .join('\n')
    .replaceAll(/\s+/g, ' ')

test('the selected session is beside its list, and follows the selection; a narrower window goes without', async () => {
  const ui = screens.open(await signedIn(screens.own, 2), { screen: 'sessions', size: wide })
  await ui.shows('Firefox 2')
  const [own, first] = await sessionsOf(screens.own)
  await expect.poll(() => paneOf(ui)).toContain(`ID ${own?.id}`)
  await expect.poll(() => paneOf(ui)).toContain('Current yes: revoking it signs you out')
  ui.press('j')
  await expect.poll(() => paneOf(ui)).toContain(`ID ${first?.id}`)
  expect(ui.frame()).toContain('Sessions  ')
  ui.resize({ columns: 119, rows: 30 })
  await ui.hides('│')
  expect(ui.frame()).toContain('❯  Firefox 1')
  ui.press('enter')
  await ui.shows('Sessions › Session')
  await expect.poll(() => textOf(ui)).toContain(`ID ${first?.id}`)
  expect(textOf(ui)).toContain('Client Firefox 1')
})

test('each list of an organization has it, told as on the screen that enter opens', async () => {
  const acme = await acmeAt(screens.own)
  await createTeam(acme, 'Design')
  await inviteTo(acme, 'zoe@example.com')
  const ui = await openAcme(screens, acme, { size: wide })
  ui.press('G')
  await expect.poll(() => paneOf(ui)).toContain(`Email ${eve} Roles member Can view it Teams none`)
  await tabTo(ui, 'Invitations')
  await expect.poll(() => paneOf(ui)).toContain(`Status pending Roles member Teams none Invited by Bob Ross ${bob}`)
  await tabTo(ui, 'Teams')
  await expect.poll(() => paneOf(ui)).toContain('Design Members nobody')
  await tabTo(ui, 'Roles')
  expect(await ui.shows('[Roles 3]')).toContain('Members 3')
  await expect
    .poll(() => paneOf(ui))
    .toContain('Owner yes: only owners give this role Held by 2: Ada Lovelace, Bob Ross')
  ui.press('5')
  await expect.poll(() => paneOf(ui)).toContain('Slug acme')
  const lines = ui.frame().split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(wide.columns)
})

test('requests, users and events have it too', async () => {
  const ada = await adminOf(screens.own)
  const ui = screens.open(ada, { screen: 'admin', size: wide })
  await ui.shows('1 user')
  await expect.poll(() => paneOf(ui)).toContain('Email ada@example.com (verified) Name Ada')
  ui.press('t')
  await expect.poll(() => paneOf(ui)).toMatch(/Event [a-z-]+ When/)
  ui.press('7')
  await expect.poll(() => paneOf(ui)).toMatch(/Request GET .* curl -sS/)
})

test('enter on a role tells what it may and who holds it, and leads to the member', async () => {
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme)
  await tabTo(ui, 'Roles')
  ui.press('j', 'C')
  await ui.shows('Copied the command: postern role view admin --org acme')
  ui.press('k', 'enter')
  await ui.shows('Acme › owner')
  await expect.poll(() => textOf(ui)).toContain('team create, update, delete')
  // After what can be done to the role.
  ui.press('j', 'j', 'j', 'enter')
  await ui.shows('owner › Bob Ross')
  await expect.poll(() => textOf(ui)).toContain('Roles owner')
})

test('a member of a team is opened by enter, gets other roles and is removed there', async () => {
  const acme = await acmeAt(screens.own)
  await createTeam(acme, 'Design')
  await acme.machine(`team member add ${eve} --team Design --org acme`)
  const ui = await openAcme(screens, acme)
  await tabTo(ui, 'Teams')
  ui.press('enter')
  await ui.shows('Eve Moss')
  ui.press('enter')
  await ui.shows('Design › Eve Moss')
  await expect.poll(() => textOf(ui)).toContain('Teams Design')
  expect(ui.frame()).toContain(`postern team member remove ${eve} --team Design`)
  ui.press('r', 'right', 'space', 'enter')
  await expect.poll(() => textOf(ui)).toContain('Roles member, admin')
  ui.press('D', 'y')
  await ui.shows('Nobody is in this team yet')
  expect((await membersOf(screens.own, acme.id)).map(({ email }) => email)).not.toContain(eve)
})
