import { afterEach, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../testing/bundle.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { themes } from '../themes.ts'

const screens = useScreens()
let fixture: string
let pty: Pty
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty?.close())

async function paintedWith(more: Readonly<Record<string, string>>) {
  const { env } = await signedIn(screens.own)
  pty = startPty(process.execPath, [fixture], { env: { ...env, COLORTERM: 'truecolor', ...more } })
  await pty.shows('Ada Lovelace')
  return pty.painted()
}

const numberOf = (colour = '') => Number.parseInt(colour.slice(1), 16)
/** All lines of the frame, so that none keeps the background of the terminal. The last line of the window is free. */
const inFrame = 23

test.each(['dark', 'light', 'high-contrast'] as const)(
  '%s paints the whole frame on its own background',
  async (name) => {
    const lines = await paintedWith({ POSTERN_THEME: name })
    const { background, tones } = themes[name]
    for (const line of lines.slice(0, inFrame)) {
      expect(new Set(line.map((run) => run.background))).toEqual(new Set([numberOf(background)]))
      expect(line.reduce((sum, { width }) => sum + width, 0)).toBe(80)
    }
    const known = new Set([undefined, ...Object.values(tones).map(({ color }) => numberOf(color))])
    for (const { foreground, text } of lines.flat()) expect([text, known.has(foreground)]).toEqual([text, true])
  },
)

test('the config file chooses it too, and NO_COLOR wins', async () => {
  const machine = await signedIn(screens.own)
  expect((await machine('config set theme pink')).stderr).toContain('Themes: terminal, dark, light, high-contrast')
  expect((await machine('config set theme light')).code).toBe(0)
  pty = startPty(process.execPath, [fixture], { env: { ...machine.env, COLORTERM: 'truecolor' } })
  await pty.shows('Ada Lovelace')
  expect((await pty.painted())[0]?.[0]?.background).toBe(0xffffff)
  pty.close()
  pty = startPty(process.execPath, [fixture], { env: { ...machine.env, COLORTERM: 'truecolor', NO_COLOR: '1' } })
  await pty.shows('Ada Lovelace')
  const runs = (await pty.painted()).flat()
  expect(runs.filter((run) => run.background !== undefined || run.foreground !== undefined)).toEqual([])
})
