import { afterAll, expect, test, vi } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { acmeAt } from '../testing/acme.ts'
import { eve } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

// Four sizes in one terminal, each with two changes.
vi.setConfig({ testTimeout: 120_000 })

const screens = useScreens()
let pty: Pty | undefined
afterAll(() => pty?.close())

test('in every size the notice of a change tells the key, and the key undoes it', async () => {
  const { machine } = await acmeAt(screens.own)
  const fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
  const terminal = startPty(process.execPath, [fixture], { env: machine.env })
  pty = terminal
  await terminal.shows('Ada Lovelace')
  terminal.type('5')
  await terminal.shows('Acme')
  terminal.type('\r')
  await terminal.shows('[Members')
  for (const [columns, rows] of [
    [40, 12],
    [80, 24],
    [120, 40],
    [200, 50],
  ] as const) {
    terminal.resize(columns, rows)
    terminal.type('Gr')
    await terminal.shows('[ ] admin')
    terminal.type('\u001b[C ')
    await terminal.shows('[x] admin')
    terminal.type('\r')
    const told = await terminal.shows('undoes it')
    expect(told.replaceAll(/\s+/g, ' ')).toContain(`${eve} is member, admin. u undoes it`)
    expect(told.split('\n').length).toBe(rows)
    terminal.type('u')
    await terminal.shows('Undone')
    // Wide enough for the column of roles, which tells that the list was read again.
    terminal.resize(200, 50)
    await expect.poll(() => terminal.screen()).toMatch(/eve@example.com +member {2}/)
  }
})
