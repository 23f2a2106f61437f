import { afterAll, expect, test, vi } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { organizationsAt } from '../testing/kept.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'

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
