import { expect, test } from 'vitest'
import { acmeAt, doneByBob, openAcme, tabTo } from '../testing/acme.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })

/** Revokes a session, and leaves its screen before the service has answered. */
async function leaveRevocation() {
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
  return { ui, held }
}

test('who has left the screen of what is removed stays where they are', async () => {
  const { ui, held } = await leaveRevocation()
  held.release()
  await ui.shows('Revoked')
  expect(await ui.hides('Firefox 1')).toContain('Sessions')
  expect(ui.frame()).not.toContain('Ada Lovelace')
})

test('what is under way on one screen is not begun again on another', async () => {
  const { ui, held } = await leaveRevocation()
  ui.press('D')
  await ui.shows('Revoke this session?')
  ui.press('y')
  await ui.shows('Revoke: already in progress')
  held.release()
  await ui.shows('Revoked')
  expect(screens.writes()).toEqual(['POST /revoke-session'])
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
  await ui.shows('❯ Email')
  ui.press('new@example')
  await ui.shows('new@example')
  held.release()
  expect(await ui.shows('Removed ')).toContain('new@example')
})

test('what fails meanwhile waits behind a secret that is shown once', async () => {
  const acme = await acmeAt(screens.own)
  await doneByBob(acme, '../key/create', { name: 'old', role: 'admin' })
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  screens.own.relayBy(async (call, _request, ask) => {
    if (call !== 'POST /key/revoke') return ask()
    await answered
    return Response.json({ code: 'BUSY', message: 'Too busy for that' }, { status: 400 })
  })
  const ui = await openAcme(screens, acme, { size: { columns: 120, rows: 30 } })
  await tabTo(ui, 'Keys')
  await ui.shows('❯  old')
  ui.press('D')
  await ui.shows('Revoke the key old?')
  ui.press('y')
  await ui.shows('Revoke…')
  ui.press('c')
  await ui.shows('It is shown once and not stored.')
  ui.press('deploy\r', 'right', 'space')
  await ui.shows('postern key create deploy --role admin')
  ui.press(...Array(5).fill('enter'))
  await ui.shows('This is shown once')
  answer()
  await expect.poll(() => ui.store.activity.isBusy()).toBe(false)
  await ui.shows('This is shown once')
  ui.press('esc')
  await ui.shows('Too busy for that')
})

test('a screen does not complain of a missing sign-in before the end of the session is told', async () => {
  const ui = screens.open(await signedIn(screens.own), { screen: 'sessions' })
  await ui.shows('this one')
  await screens.sql`delete from sessions`
  const frames: string[] = []
  const unsubscribe = ui.store.subscribe(() => void frames.push(ui.frame()))
  ui.press('R')
  await ui.shows('Signed out')
  unsubscribe()
  expect(frames.join('')).not.toContain('Not signed in')
  expect(ui.store.state.requests.map(({ status }) => status)).toContain(401)
})
