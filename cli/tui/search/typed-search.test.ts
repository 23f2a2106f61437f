import { afterEach, describe, expect, test } from 'vitest'
import type { Pty } from '../../testing/pty.ts'
import { acmeAt, showAcme } from '../testing/acme.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

/** The underlined letters of the window. */
const marked = async () =>
  (await pty.painted())
    .flat()
    .flatMap((run) => (run.isUnderlined ? run.text : []))
    .join('')

describe.each(sizesToStart)('at %i×%i', (columns, rows) => {
  test('a list and the palette find by letters of the words, underline them, and put the best first', async () => {
    const { machine } = await acmeAt(screens.own)
    pty = startTui({ columns, rows, env: machine.env })
    await showAcme(pty)
    pty.type('/evmos')
    await pty.shows('1 of 3')
    await expect.poll(marked).toBe('EvMos')
    pty.type('\u001b')
    await pty.shows('Bob Ross')
    pty.type(':')
    await pty.shows('Command')
    pty.type('bross')
    await expect.poll(marked).toBe('BRoss')
    pty.type('\r')
    await pty.shows('Acme › Bob Ross')
  })
})
