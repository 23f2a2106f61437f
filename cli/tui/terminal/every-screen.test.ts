import { afterAll, expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import type { Pty } from '../../testing/pty.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { machineOfAll, type Walk, walks } from '../testing/walks.ts'
import { windowSizes } from '../testing/window-sizes.ts'

// Every screen is opened in one terminal, in every size.
vi.setConfig({ testTimeout: 300_000 * slack })

const screens = useScreens({ DEFAULT_TEAM: 'off' })
let pty: Pty | undefined
afterAll(() => pty?.close())
const startTui = useTui()

const lastLine = (frame: string): string => frame.split('\n').findLast((line) => line.trim() !== '') ?? ''

/** What is wrong with a window: something cut that has to be read, a footer without a way out, nothing selected. */
function faultsIn(frame: string, { whole, isStill = false, leave }: Walk): readonly string[] {
  const isWayOut = (leave === undefined ? /\? help +(esc|q) \w+$/ : /(esc|n) (close|cancel|no)/).test(lastLine(frame))
  return [
    ...whole.filter((text) => !frame.replaceAll(/\s+/g, ' ').includes(text)).map((text) => `cut: ${text}`),
    ...(isWayOut ? [] : [`footer: ${lastLine(frame)}`]),
    ...(isStill || frame.includes('❯') ? [] : ['nothing is selected']),
  ]
}

test('on every screen and in every size nothing is cut that tells rows apart, and footer and focus are seen', async () => {
  const { env } = await machineOfAll(screens.own)
  const terminal = startTui({ columns: 120, rows: 40, env })
  pty = terminal
  await terminal.shows('you are in 1')
  const found: string[] = []
  for (const walk of walks) {
    for (const step of walk.way)
      if (typeof step === 'string') terminal.type(step)
      else await terminal.shows(step.see)
    for (const text of walk.whole) await terminal.shows(text)
    for (const [columns, rows] of windowSizes) {
      terminal.resize(columns, rows)
      const faults = async () => faultsIn(await terminal.screen(), walk)
      const left = await expect
        .poll(faults, { timeout: 3000 * slack })
        .toEqual([])
        .then(() => [], faults)
      found.push(...left.map((fault) => `${walk.name} at ${columns}×${rows}: ${fault}`))
    }
    terminal.resize(120, 40)
    if (walk.leave !== undefined) {
      terminal.type(walk.leave)
      await terminal.shows('? help')
    }
  }
  expect(found).toEqual([])
})
