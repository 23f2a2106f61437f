import { afterEach, expect, test } from 'vitest'
import type { Pty } from '../../testing/pty.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import type { LineTerminal } from './line-terminal.ts'
import { chooseFromMenu } from './menu.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

test('a list is read in pages after its question, narrowed by typed text, and keeps its numbers', async () => {
  const { env } = await signedIn(screens.own, 45, 'Browser')
  pty = startTui({ columns: 120, rows: 50, env: { ...env, POSTERN_ACCESSIBLE: '1' } })
  await pty.shows('Number:')
  pty.type('sessi\n')
  await pty.shows('type part of a name.\n9 choices.\n1. Home')
  const narrowed = await pty.shows('an empty answer reads the whole list.\nMatches: 1 of 9.\n3. Sessions\n')
  expect(narrowed).not.toContain('1. Sessions')
  pty.type('3\n')
  const first = await pty.shows('20. Browser 19')
  expect(first).toMatch(/Choose a number[^]*an empty answer reads on[^]*1 to 20 of[^]*Browser 1,/)
  pty.type('\n')
  await pty.shows('21 to 40 of')
  await pty.shows('40. Browser 39')
  pty.type('\n')
  await pty.shows('an empty answer begins again.\n41 to 46 of 46')
  pty.type('browser 1\n')
  await pty.shows('Matches: 11 of')
  expect(await pty.shows('20. Browser 19')).toMatch(
    /Matches: 11 of \d+\.\n2\. Browser 1,[^]*\n11\. Browser 10,[^]*\n20\. /,
  )
  pty.type('browser 44\n')
  await pty.shows('45. Browser 44')
  pty.type('nothing like it\n')
  await pty.shows('Nothing matches. Type a number')
  pty.type('45\n')
  await pty.shows('Client: Browser 44')
})

test('an item is chosen by its number, however long the list is', async () => {
  const chosen: number[] = []
  const items = Array.from({ length: 10_001 }, (_, at) => ({ label: 'One', run: async () => void chosen.push(at + 1) }))
  const answers = ['10001', '0']
  const terminal = { say: () => {}, ask: async () => answers.shift() } as unknown as LineTerminal
  await chooseFromMenu(terminal, items)
  expect(chosen).toEqual([10_001])
})
