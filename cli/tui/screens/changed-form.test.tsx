import { expect, test } from 'vitest'
import { testPassword } from '../../../server/testing/service.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()

/** The form about Ada's profile, and what changes her name elsewhere. */
async function openProfile() {
  const ui = screens.open(await signedIn(screens.own), { screen: 'profile' })
  await ui.shows('Ada Lovelace')
  ui.press('e')
  await ui.shows('❯ Name')
  const rename = async () => {
    await screens.sql`update users set name = 'Ada King'`
    await ui.store.load()
    await expect.poll(() => ui.store.state.me?.user.name).toBe('Ada King')
  }
  return { ui, rename }
}

const picture = 'https://example.com/ada.png'

const profile = async () => (await screens.sql`select name, image from users`)[0]

test('a field that nobody touched follows a change elsewhere, and is not sent back', async () => {
  const { ui, rename } = await openProfile()
  ui.press('tab', picture)
  await ui.shows(picture)
  await rename()
  expect(await ui.shows('Ada King')).toContain(`account edit --image ${picture}`)
  ui.press(...Array(3).fill('enter'))
  await ui.shows('Updated ada@example.com')
  expect(await profile()).toEqual({ name: 'Ada King', image: picture })
})

test('a draft keeps what was typed and no more', async () => {
  const { ui, rename } = await openProfile()
  ui.press('tab', picture)
  await ui.shows(picture)
  ui.press('esc')
  await ui.shows('Your draft is kept')
  await rename()
  ui.press('e')
  await ui.shows('❯ Name')
  expect(await ui.shows(picture)).toContain('Ada King')
})

test('a draft gives way where what it was typed over has changed', async () => {
  const { ui, rename } = await openProfile()
  ui.press('\u0015', 'Ada Byron')
  await ui.shows('Ada Byron')
  ui.press('esc')
  await ui.shows('Your draft is kept')
  await rename()
  ui.press('e')
  await ui.shows('❯ Name')
  expect(await ui.shows('Ada King')).not.toContain('Ada Byron')
})

test('a draft comes back whole to who signs in again after the session ended while it was typed', async () => {
  const { ui } = await openProfile()
  ui.press('\u0015', 'Ada Byron')
  await ui.shows('Ada Byron')
  await screens.sql`delete from sessions`
  await ui.store.load()
  await ui.shows('Signed out')
  ui.press('esc')
  await ui.hides('Signed out')
  ui.press('esc')
  await ui.shows('Your draft is kept')
  ui.press('enter')
  await ui.shows('❯ Password')
  ui.press(`${testPassword}\r`)
  await ui.shows('Signed in as ada@example.com')
  ui.press('4')
  await ui.shows('Ada Lovelace')
  ui.press('e')
  expect(await ui.shows('❯ Name')).toContain('Ada Byron')
})
