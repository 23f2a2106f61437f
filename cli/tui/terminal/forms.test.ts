import { afterAll, expect, test, vi } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { organizationsAt } from '../testing/kept.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { windowSizes } from '../testing/window-sizes.ts'

// Four sizes in one terminal.
vi.setConfig({ testTimeout: 120_000 })

const screens = useScreens()
let pty: Pty | undefined
afterAll(() => pty?.close())

test('an empty field has an example, a suggestion is replaced by typing, and a field is checked when it is left', async () => {
  const { env } = await signedIn(screens.own)
  const fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
  const terminal = startPty(process.execPath, [fixture], { env })
  pty = terminal
  await terminal.shows('Ada Lovelace')
  terminal.type('5')
  await terminal.shows('You are in no organization yet')
  for (const [columns, rows] of [
    [40, 12],
    [80, 24],
    [120, 40],
    [200, 50],
  ] as const) {
    terminal.resize(columns, rows)
    terminal.type('c')
    const empty = await terminal.shows('❯ Name')
    expect(empty).toMatch(/Logo URL +like https:/)
    expect(empty.split('\n')).toHaveLength(rows)
    terminal.type(`Acme ${columns}`)
    await terminal.shows(`acme-${columns}`)
    terminal.type('\t')
    await terminal.shows('❯ Slug')
    terminal.type('no slug\t')
    const left = await terminal.shows('A slug has')
    expect(left).toMatch(/ Slug +no slug/)
    expect(await terminal.shows('❯ Logo URL')).toContain('A slug has')
    terminal.type('\u001b[Z\u0015')
    await terminal.hides('A slug has')
    terminal.type(`slug-${columns}\t\t\r`)
    await terminal.shows(`Created Acme ${columns}`)
  }
  expect((await organizationsAt(screens.own)).map(({ slug }) => slug)).toEqual([
    'slug-120',
    'slug-200',
    'slug-40',
    'slug-80',
  ])
})

test('a text of thousands of letters is one change, whether a terminal marks it as pasted or not', async () => {
  const fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
  const { env } = await signedIn(screens.own)
  const terminal = startPty(process.execPath, [fixture], { env })
  pty = terminal
  await terminal.shows('Ada Lovelace')
  terminal.type('4')
  await terminal.shows('Member since')
  terminal.type('e')
  await terminal.shows('❯ Name')
  const letters = Array.from({ length: 6000 }, (_, index) => index % 10).join('')
  for (const [columns, rows] of windowSizes) {
    terminal.resize(columns, rows)
    for (const [before, after] of [
      ['', ''],
      ['\u001b[200~', '\u001b[201~'],
    ]) {
      terminal.type('\u0015')
      await terminal.hides('Lovelace')
      const painted = () => terminal.raw().split('\u001b[?2026l').length
      const from = painted()
      terminal.type(`${before}<${letters}>${after}`)
      expect((await terminal.shows('789>')).split('\n')).toHaveLength(rows)
      expect(painted() - from).toBeLessThan(20)
      terminal.type('\u0001')
      const whole = await terminal.shows('Name      <0123456')
      // Only the largest window has room for the whole command.
      expect(columns < 200 || whole.replaceAll(/\s/g, '').includes(`<${letters}>`)).toBe(true)
    }
  }
})
