import { expect, test } from 'vitest'
import { acmeAt, openAcme } from '../testing/acme.ts'
import type { Screen } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()

/** Presses and releases the left button where the text stands. */
function click(ui: Screen, text: string): void {
  const lines = ui.frame().split('\n')
  const line = lines.findIndex((one) => one.includes(text))
  const at = `${(lines[line]?.indexOf(text) ?? 0) + 1};${line + 1}`
  ui.press(`\u001b[<0;${at}M\u001b[<0;${at}m`)
}

async function typedInvitation(email: string) {
  const acme = await acmeAt(screens.own)
  const ui = await openAcme(screens, acme, { size: { columns: 160, rows: 24 } })
  ui.press('c')
  await ui.shows('❯ Email')
  ui.press(email)
  await ui.shows(email)
  return ui
}

test('a form that a click leaves keeps what was typed', async () => {
  const ui = await typedInvitation('new@example.com')
  click(ui, '5 Orgs')
  await ui.hides('Invite somebody')
  ui.press('enter')
  await ui.shows('[Members')
  ui.press('c')
  expect(await ui.shows('❯ Email')).toContain('new@example.com')
})

test('a result leads nobody away who has left its form meanwhile, and drops the draft', async () => {
  const ui = await typedInvitation('new@example.com')
  const held = screens.own.hold('POST /organization/invite-member')
  ui.press('enter', 'enter', 'enter')
  await ui.shows('Asking the service')
  click(ui, '5 Orgs')
  await ui.hides('Invite somebody')
  ui.press('c')
  await ui.shows('❯ Name')
  ui.press('Globex')
  await ui.shows('Globex')
  held.release()
  expect(await ui.shows('Invited new@example.com')).toContain('Globex')
  ui.press('esc')
  await ui.shows('❯ Acme')
  ui.press('enter')
  await ui.shows('[Members')
  ui.press('c')
  expect(await ui.shows('❯ Email')).not.toContain('new@example.com')
})

test('a draft that was emptied does not come back', async () => {
  const ui = await typedInvitation('new@example.com')
  ui.press('esc')
  await ui.shows('Your draft is kept')
  ui.press('c')
  expect(await ui.shows('❯ Email')).toContain('new@example.com')
  ui.press('\u0015')
  await ui.hides('new@example.com')
  ui.press('esc')
  await ui.hides('Invite somebody')
  ui.press('c')
  expect(await ui.shows('❯ Email')).not.toContain('new@example.com')
})
