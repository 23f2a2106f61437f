import { afterEach, expect, test } from 'vitest'
import type { Pty } from '../../testing/pty.ts'
import { ada, signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

test.each(sizesToStart)('at %i×%i keys typed ahead are dropped when a list cannot be loaded', async (columns, rows) => {
  const { env } = await signedIn(screens.own, 1)
  pty = startTui({ columns, rows, env })
  await pty.shows('? help')
  pty.type('2')
  await pty.shows(`❯ ${ada}`)
  const body = new TransformStream<Uint8Array, Uint8Array>()
  screens.own.replace('GET /list-sessions', new Response(body.readable, { status: 403 }))
  pty.type('3j4')
  await pty.shows('Asking')
  await body.writable.close()
  await pty.shows('tries again')
  pty.type('?')
  expect(await pty.shows('Keys of this screen')).toMatch(/^ Sessions/m)
})
