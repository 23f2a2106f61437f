import { afterEach, expect, test } from 'vitest'
import type { PaintedText, Pty } from '../../testing/pty.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { windowSizes } from '../testing/window-sizes.ts'
import { themes } from '../themes.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

const numberOf = (colour = '') => Number.parseInt(colour.slice(1), 16)
test.each(['dark', 'light', 'high-contrast'] as const)(
  '%s paints the whole frame on its own background, in every size',
  async (name) => {
    const { env } = await signedIn(screens.own)
    // It only grows: in a smaller window the frame before would pass for a new one.
    const terminal = startTui({
      columns: 40,
      rows: 12,
      env: { ...env, COLORTERM: 'truecolor', POSTERN_THEME: name },
    })
    pty = terminal
    await terminal.shows('? help')
    const { background, tones } = themes[name]
    const known = new Set([undefined, ...Object.values(tones).map(({ color }) => numberOf(color))])
    for (const [columns, rows] of windowSizes) {
      terminal.resize(columns, rows)
      await terminal.shows('? help')
      // All lines of the frame, so that none keeps the background of the terminal. The last line of the window is free.
      const whole = { backgrounds: [numberOf(background)], width: columns }
      const lines = async () => (await terminal.painted()).slice(0, rows - 1).map(aboutLine)
      await expect.poll(lines).toEqual(Array.from({ length: rows - 1 }, () => whole))
      for (const { foreground, text } of (await terminal.painted()).flat())
        expect([text, known.has(foreground)]).toEqual([text, true])
    }
  },
)

const aboutLine = (line: readonly PaintedText[]) => ({
  backgrounds: [...new Set(line.map((run) => run.background))],
  width: line.reduce((sum, { width }) => sum + width, 0),
})

test("the terminal's own colours are all 16 and no background, in every size", async () => {
  const { env } = await signedIn(screens.own)
  pty = startTui({ columns: 40, rows: 12, env: { ...env, COLORTERM: 'truecolor' } })
  for (const [columns, rows] of windowSizes) {
    pty.resize(columns, rows)
    await pty.shows('? help')
    const runs = (await pty.painted()).flat()
    expect(runs.filter(({ background }) => background !== undefined)).toEqual([])
    const colours = runs.flatMap(({ foreground = [] }) => foreground)
    expect(Math.max(...colours)).toBeLessThan(16)
  }
})

test('the config file chooses it too, and NO_COLOR wins', async () => {
  const machine = await signedIn(screens.own)
  expect((await machine('config set theme pink')).stderr).toContain('Themes: terminal, dark, light, high-contrast')
  expect((await machine('config set theme light')).code).toBe(0)
  pty = startTui({ env: { ...machine.env, COLORTERM: 'truecolor' } })
  await pty.shows('Ada Lovelace')
  expect((await pty.painted())[0]?.[0]?.background).toBe(0xffffff)
  pty.close()
  pty = startTui({ env: { ...machine.env, COLORTERM: 'truecolor', NO_COLOR: '1' } })
  await pty.shows('Ada Lovelace')
  const runs = (await pty.painted()).flat()
  expect(runs.filter((run) => run.background !== undefined || run.foreground !== undefined)).toEqual([])
})
