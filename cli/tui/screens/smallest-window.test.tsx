import { expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import { adminOf } from '../../testing/admin.ts'
import { eve, signedIn } from '../testing/people.ts'
import type { Screen } from '../testing/render.tsx'
import { useScreens } from '../testing/screens.ts'
import { machineOfAll, walks } from '../testing/walks.ts'

// Every screen is opened in one window, in every size.
vi.setConfig({ testTimeout: 120_000 * slack })

const screens = useScreens({ DEFAULT_TEAM: 'off' })
const large = { columns: 120, rows: 40 }
/** The smallest, and those around which something moves or gives way. */
const sizes = [
  { columns: 40, rows: 10 },
  { columns: 40, rows: 12 },
  { columns: 59, rows: 11 },
  { columns: 100, rows: 10 },
  { columns: 60, rows: 15 },
  { columns: 80, rows: 24 },
]

async function faultsOf(ui: Screen, name: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const size of sizes) {
    ui.resize(size)
    await ui.settled()
    found.push(...ui.overpainted().map((fault) => `${name} at ${size.columns}×${size.rows}: ${fault}`))
  }
  ui.resize(large)
  return found
}

test('on no screen and in no window two lines are painted over one another', async () => {
  const ui = screens.open(await machineOfAll(screens.own), { size: large })
  await ui.shows('you are in 1')
  const found: string[] = []
  for (const { name, way, whole, leave } of walks) {
    for (const step of way)
      if (typeof step === 'string') ui.press(step)
      else await ui.shows(step.see)
    for (const text of whole) await ui.shows(text)
    found.push(...(await faultsOf(ui, name)))
    if (leave !== undefined) {
      ui.press(leave)
      await ui.shows('? help')
    }
  }
  expect(found).toEqual([])
})

test.each(sizes)('at $columns×$rows a severe question shows what is typed, and that it is wrong', async (size) => {
  const ui = screens.open(await adminOf(screens.own), { screen: 'admin', size })
  await screens.service.person({ email: eve, name: 'Eve Moss' })
  ui.press('R')
  await ui.shows('eve@')
  ui.press('g', 'enter', 'D')
  await ui.shows('to confirm')
  ui.press('zzz')
  expect(await ui.shows('zzz')).toContain('Type eve@example.com')
  ui.press('enter')
  expect((await ui.shows('This does not')).replaceAll(/[\s│]+/g, ' ')).toContain(
    'This does not match, so nothing was done',
  )
  expect([ui.frame().includes('zzz'), ui.overpainted()]).toEqual([true, []])
})

test.each(sizes)('at $columns×$rows the sign-in with a browser shows the address and the code', async (size) => {
  const ui = screens.open(screens.own.machine(), { screen: 'accounts', size })
  await ui.shows('Sign in with a browser')
  ui.press('/', 'browser', 'enter', 'enter')
  await ui.shows('Provider')
  ui.press('git')
  await ui.shows('git')
  ui.press('backspace', 'backspace', 'backspace', 'enter')
  const frame = await ui.shows('and type')
  expect(frame).toMatch(/and type \w{4}-\w{4}/)
  ui.press('y')
  const copied = await ui.shows('Copied the address')
  expect(copied).toMatch(/and type \w{4}-\w{4}/)
  expect(copied.replaceAll(/\s/g, '')).toContain(`${ui.copied.at(-1)}`)
  expect(ui.overpainted()).toEqual([])
  // Otherwise it is asked for until the machine's files are gone.
  ui.press('esc')
  await ui.hides('and type')
})

const smallest = { columns: 40, rows: 10 }

test('a failure that is longer than the window is scrolled, and the footer offers that only then', async () => {
  const machine = await adminOf(screens.own)
  await machine('webhook create https://nowhere.invalid/hook --platform')
  const ui = screens.open(machine, { screen: 'admin', size: large })
  await ui.shows('w webhooks')
  ui.press('w')
  await ui.shows('❯  active')
  ui.press('t')
  expect(await ui.shows('That did not work')).not.toContain('move   esc close')
  ui.resize(smallest)
  await ui.shows('That did not work  (1–4 of')
  expect(ui.frame()).toContain('↑↓ move   esc close')
  ui.press('G')
  await ui.shows('WEBHOOK_NOT_DELIVERED')
  ui.press('g')
  await ui.shows('(1–4 of')
})

test('a request is scrolled to its end by keys and by the wheel', async () => {
  const ui = screens.open(await signedIn(screens.own), { screen: 'requests', size: smallest })
  await ui.shows('postern whoami')
  ui.press('enter')
  expect(await ui.shows('1–4 of')).toMatch(/Request +(GET|POST)/)
  ui.press('j')
  await ui.shows('2–5 of')
  ui.press('\u001b[<65;10;4M')
  await ui.shows('5–8 of')
  ui.press('G')
  await expect.poll(ui.frame).toMatch(/–(\d+) of \1\n/)
  ui.press('g')
  await ui.shows('1–4 of')
})

test.each([
  ['12 more details', smallest],
  ['with those that have no room here', { columns: 80, rows: 24 }],
])('what says "%s" opens all facts about a user', async (sign, size) => {
  const ui = screens.open(await adminOf(screens.own), { screen: 'admin', size })
  await ui.shows('❯ ada@')
  ui.press('enter')
  expect(await ui.shows(sign)).not.toContain('ID  ')
  ui.press('G', 'enter')
  await ui.shows('esc close')
  ui.press('G')
  await ui.shows('ID  ')
  ui.press('esc')
  await ui.shows('❯ All details')
})

test('a value that is longer than its line is read whole among all details', async () => {
  const ada = await screens.own.person('Ada')
  await ada('org create Acme --slug acme')
  const ui = screens.open(ada, { screen: 'orgs', size: { columns: 80, rows: 24 } })
  await ui.shows('❯ Acme')
  ui.press('enter')
  await ui.shows('[Members 1]')
  ui.press(...Array(5).fill('tab'))
  expect(await ui.shows('[Settings]')).not.toContain('All details')
  await ada(['org', 'edit', 'acme', '--metadata', JSON.stringify({ note: `${'word '.repeat(30)}end` })])
  ui.press('R')
  await ui.shows('All details')
  expect(ui.frame()).not.toContain('end"')
  ui.press('G', 'enter')
  expect(await ui.shows('end"')).toContain('esc close')
})
