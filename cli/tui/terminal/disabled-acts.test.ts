import { afterEach, expect, test } from 'vitest'
import type { Pty } from '../../testing/pty.ts'
import { acmeAt } from '../testing/acme.ts'
import { bob } from '../testing/people.ts'
import { unfolded } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

/** The selected row, and all that is shown, without the ends of lines. */
const selected = async (label: string) => {
  await pty.shows(`❯ ${label}`)
  return unfolded(await pty.screen())
}

const reason = 'the last owner has to stay; make another one first'

/** Whether the reason is whole on the screen with an act that is allowed selected, and with one that is not. */
async function tellsReason(): Promise<readonly boolean[]> {
  const allowed = await selected('Change roles')
  pty.type('\u001b[B\u001b[B\u001b[B')
  return [allowed, await selected('Remove')].map((text) => text.includes(reason))
}

test.each([
  [40, 12],
  [80, 24],
])('the selected act of a menu tells its whole reason, in a dialog and on a screen: %i×%i', async (columns, rows) => {
  const acme = await acmeAt(screens.own)
  await screens.sql`update members set roles = '{member}' where user_id = (select id from users where email = ${bob})`
  pty = startTui({ columns, rows, env: acme.machine.env })
  await pty.shows('Ada Lovelace')
  pty.type('5')
  await pty.shows('Acme')
  pty.type('\r')
  await pty.shows('[Members')
  await pty.shows('❯  Ada Lovelace')
  pty.type('x')
  expect(await tellsReason()).toEqual([false, true])
  pty.type('\u001b')
  await pty.hides('❯ Remove')
  pty.type('\r')
  await pty.shows('› Ada Lovelace')
  expect(await tellsReason()).toEqual([false, true])
})
