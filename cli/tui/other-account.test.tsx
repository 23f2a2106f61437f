import { expect, test } from 'vitest'
import { signUp } from '../testing/own-service.ts'
import { patience } from '../testing/patience.ts'
import { browsersOf } from './testing/kept.ts'
import { ada, bob, signedIn, thisProgram } from './testing/people.ts'
import type { RenderOptions } from './testing/render.tsx'
import { useScreens } from './testing/screens.ts'

const screens = useScreens()

/** Bob is signed in on the same machine, and Ada is used. */
async function start(options: RenderOptions) {
  const machine = await signUp(await signedIn(screens.own, 3), bob, 'Bob')
  await machine(`auth switch ${ada}`)
  return { machine, ui: screens.open(machine, options) }
}

const nameOf = async (email: string) => (await screens.sql`select name from users where email = ${email}`)[0]?.['name']

test('a dialog of one account is closed, and told, when another one takes its place', async () => {
  const { machine, ui } = await start({ screen: 'sessions' })
  await ui.shows('Firefox 2')
  ui.press(':', 'revoke all others', 'enter')
  await ui.shows('Revoke every session but this one?')
  await machine(`auth switch ${bob}`)
  await machine(`sign-out --account ${ada}`)
  await ui.store.poll()
  await ui.shows(`${ada} is no longer signed in`)
  ui.press('y', 'esc')
  await ui.hides('no longer signed in')
  await ui.shows('Signed out')
  ui.press('esc', 'y', 'enter')
  await ui.settled()
  expect(screens.writes()).toEqual(['POST /sign-out'])
  expect(await browsersOf(screens.own, bob)).toEqual([thisProgram])
})

test('a form that one account filled in is not sent by another, though nothing was told of a change', async () => {
  const { machine, ui } = await start({ screen: 'profile' })
  await ui.shows('Member since')
  ui.press('e')
  await ui.shows('Image URL')
  ui.press(' of Ada')
  await screens.sql`delete from sessions where user_id = (select id from users where email = ${ada})`
  // An answer is dropped when the form begins something meanwhile.
  const looksUntil = async (text: string) => {
    await expect.poll(() => ui.store.poll().then(ui.frame), { timeout: patience }).toContain(text)
  }
  await looksUntil('Signed out')
  ui.press('esc')
  await machine(`auth switch ${bob}`)
  await looksUntil(`postern  ·  ${bob}`)
  ui.press('enter', 'enter', 'enter')
  await ui.shows(`you began it as ${ada}, and you are ${bob} now`)
  expect(screens.writes()).toEqual([])
  expect(await nameOf(bob)).toBe('Bob')
})

test('what is done to several goes on as the account that began it', async () => {
  const { ui } = await start({ screen: 'sessions' })
  await ui.shows('Firefox 3')
  ui.press('j', 'space', 'space', 'space', 'D')
  await ui.shows('Revoke these 3 sessions?')
  const held = screens.own.hold('POST /revoke-session')
  ui.press('y')
  await held.answered
  const [account] = ui.store.state.accounts.filter(({ email }) => email === bob)
  await ui.store.accounts.choose(account!)
  await ui.store.load()
  held.release()
  await expect.poll(() => browsersOf(screens.own, ada)).toEqual([thisProgram])
  expect(await browsersOf(screens.own, bob)).toEqual([thisProgram])
})
