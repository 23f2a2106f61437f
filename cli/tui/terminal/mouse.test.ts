import { afterEach, describe, expect, test } from 'vitest'
import type { Pty, PtyOptions } from '../../testing/pty.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'
import { parseMouse } from './mouse.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

async function open(options: PtyOptions = {}): Promise<void> {
  const { env } = await signedIn(screens.own, 30, 'Browser')
  pty = startTui({ ...options, env: { ...env, ...options.env } })
  await pty.shows('Ada Lovelace')
}

/** Presses and releases the left button where the text stands. */
async function click(text: string): Promise<void> {
  const lines = (await pty.shows(text)).split('\n')
  const line = lines.findIndex((one) => one.includes(text))
  const at = `${(lines[line]?.indexOf(text) ?? 0) + 1};${line + 1}`
  pty.type(`\u001b[<0;${at}M\u001b[<0;${at}m`)
}

const selected = async () => /❯ +(Browser \d+)/.exec(await pty.screen())?.[1]

test.each([
  ['\u001b[<0;10;5M', { kind: 'press', column: 9, line: 4 }],
  ['\u001b[<0;10;5m', { kind: 'release', column: 9, line: 4 }],
  ['\u001b[<32;1000;1M', { kind: 'drag', column: 999, line: 0 }],
  ['\u001b[<64;1;1M', { kind: 'wheel-up', column: 0, line: 0 }],
  ['\u001b[<65;1;1M', { kind: 'wheel-down', column: 0, line: 0 }],
  ['\u001b[<16;2;2M', { kind: 'press', column: 1, line: 1 }],
  ['\u001b[<2;10;5M', undefined],
])('%j is told as %j', (text, report) => expect(parseMouse(text)).toEqual(report))

describe.each(sizesToStart)('at %i×%i', (columns, rows) => {
  test('a click selects, a click on the selected item opens it, and the wheel moves', async () => {
    await open({ columns, rows })
    pty.type('3')
    await click('Browser 2')
    await expect.poll(selected).toBe('Browser 2')
    await click('❯  Browser 2')
    await pty.shows('Sessions › Session')
    await pty.shows('Browser 2')
    pty.type('\u001b')
    await pty.hides('Sessions › Session')
    pty.type('\u001b[<65;5;6M')
    await expect.poll(selected).toBe('Browser 5')
    pty.type('\u001b[<64;5;6M')
    await expect.poll(selected).toBe('Browser 2')
  })
})

// Narrower windows show no details beside a list.
test.each([
  [120, 40],
  [200, 50],
])('at %i×%i a drag moves the line between list and details, on every screen', async (columns, rows) => {
  await open({ columns, rows })
  pty.type('3')
  const before = (await pty.shows('│')).split('\n')[10]?.indexOf('│') ?? 0
  pty.type(`\u001b[<0;${before + 1};11M\u001b[<32;${before - 9};11M\u001b[<0;${before - 9};11m`)
  await expect.poll(async () => (await pty.screen()).split('\n')[10]?.indexOf('│')).toBe(before - 10)
  pty.type('5')
  await pty.hides('Browser')
  pty.type('3')
  await pty.shows('Browser 2')
  expect((await pty.screen()).split('\n')[10]?.indexOf('│')).toBe(before - 10)
})

/** The lines of the box in the foreground. */
const boxed = async () => (await pty.screen()).split('\n').flatMap((line) => /│ (.*) │/.exec(line)?.[1] ?? [])
const pickedIn = async () => (await boxed()).find((line) => line.startsWith('❯'))?.slice(2)

/** Turns the wheel where the text stands. */
async function wheel(text: string, by: 'up' | 'down'): Promise<void> {
  const lines = (await pty.shows(text)).split('\n')
  const line = lines.findIndex((one) => one.includes(text))
  pty.type(`\u001b[<${by === 'up' ? 64 : 65};${(lines[line]?.indexOf(text) ?? 0) + 1};${line + 1}M`)
}

test('a click picks from a menu: once selects, again runs, and the wheel moves', async () => {
  await open()
  pty.type('3x')
  await pty.shows('╭')
  expect(await pickedIn()).toMatch(/^Revoke {2}/)
  await click('Revoke all others')
  await expect.poll(pickedIn).toContain('Revoke all others')
  expect(await boxed()).toHaveLength(4)
  await wheel('Revoke all others', 'down')
  await expect.poll(pickedIn).toContain('Revoke all, including this one')
  await wheel('Revoke all others', 'up')
  await expect.poll(pickedIn).toMatch(/^Revoke {2}/)
  await click('Revoke all others')
  await expect.poll(pickedIn).toContain('Revoke all others')
  await click('❯ Revoke all others')
  await pty.shows('y yes')
})

test('the wheel scrolls the help and the details beside a list', async () => {
  await open({ columns: 120, rows: 15 })
  pty.type('3')
  const topOfPane = async () => /Device.*│ (\w+)/.exec(await pty.screen())?.[1]
  await expect.poll(topOfPane).toBe('postern')
  await wheel('Client', 'down')
  await expect.poll(topOfPane).not.toBe('postern')
  await wheel('Current', 'up')
  await expect.poll(topOfPane).toBe('postern')
  expect(await selected()).toBeUndefined()
  pty.type('?')
  await pty.shows('This screen')
  await wheel('actions', 'down')
  await pty.hides('This screen')
  await wheel('copy as command', 'up')
  await pty.shows('This screen')
})

test('a click on Home selects, and again leads there', async () => {
  await open()
  await pty.shows('you are in 0')
  await pty.hides('Checking for news')
  await click('where you are signed in')
  await pty.shows('❯ Sessions')
  await click('where you are signed in')
  expect(await pty.shows('Browser 2')).toContain('Device')
})

test('a click opens a numbered screen, a panel of an organization, and a screen on the path', async () => {
  const machine = await signedIn(screens.own)
  expect((await machine('org create Acme --slug acme')).code).toBe(0)
  pty = startTui({ env: machine.env })
  await pty.shows('Ada Lovelace')
  for (const [columns, rows] of [
    [80, 24],
    [120, 40],
    [200, 50],
  ] as const) {
    pty.resize(columns, rows)
    // The tabs are as wide as the window lets them.
    await pty.shows(columns > 80 ? '7 Requests' : '7 Req')
    await click(columns > 80 ? '5 Orgs' : '5 Org')
    await pty.shows('❯ Acme')
    await click('❯ Acme')
    await pty.shows('[Members 1]')
    await click('Roles 3')
    await pty.shows('[Roles 3]')
    await click('Members 1')
    await pty.shows('[Members 1]')
    await click('Orgs ›')
    await pty.hides('[Members 1]')
  }
  pty.resize(40, 12)
  await pty.hides('7 Req')
  await click('❯ Acme')
  await click('1 of 6, tab')
  await pty.shows('[Invitations 0]')
  await click('Orgs ›')
  await pty.hides('Invitations')
})

test('off by the config file', async () => {
  const machine = await signedIn(screens.own)
  expect((await machine('config set mouse off')).code).toBe(0)
  pty = startTui({ env: machine.env })
  await pty.shows('Ada Lovelace')
  expect(pty.raw()).not.toContain('\u001b[?1002h')
})

test('off by the environment, and then a report means nothing', async () => {
  await open({ env: { POSTERN_MOUSE: 'off' } })
  expect(pty.raw()).not.toContain('\u001b[?1002h')
  pty.type('?')
  const help = await pty.shows('Keys of this screen')
  pty.type('G')
  await pty.hides('This screen')
  expect(help + (await pty.screen())).not.toContain('Mouse')
})

test('the help tells how to select text while the mouse is on', async () => {
  await open({ rows: 24 })
  expect(pty.raw()).toContain('\u001b[?1002h\u001b[?1006h')
  pty.type('?')
  await pty.shows('Keys of this screen')
  pty.type('G')
  expect(await pty.shows('shift+drag')).toContain('select text in the terminal, to copy it')
})
