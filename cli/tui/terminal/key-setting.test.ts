import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { dialogueWith } from '../../testing/line-dialogue.ts'
import type { Pty } from '../../testing/pty.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { acmeAt } from '../testing/acme.ts'
import { signedIn } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { useTui } from '../testing/use-tui.ts'
import { windowSizes } from '../testing/window-sizes.ts'

const screens = useScreens()
const startTui = useTui()
let pty: Pty
afterEach(() => pty?.close())

const start = ({ env }: Runner, more: Readonly<Record<string, string>> = {}) => {
  pty = startTui({ columns: 140, rows: 40, env: { ...env, ...more } })
}

async function set(machine: Runner, setting: string, key: string): Promise<void> {
  expect((await machine(['config', 'set', setting, key])).code).toBe(0)
}

test('keys of the config file work, and footer, menu, help, palette and notices show them', async () => {
  const { machine } = await acmeAt(screens.own)
  for (const [action, key] of [
    ['remove', 'X'],
    ['role', 'ctrl-r'],
    ['undo', 'z'],
    ['palette', 'ctrl-p :'],
    ['help', 'ctrl-g'],
    ['accept', 'b'],
    ['up', 'up i'],
  ] as const)
    await set(machine, `tui.keys.${action}`, key)
  start(machine)
  await pty.shows('Acme')
  pty.type('5')
  await pty.shows('❯ Acme')
  pty.type('\r')
  const members = await pty.shows('eve@example.com')
  expect(members).toMatch(/ctrl\+r role .*X remove/)
  expect(members).toContain('ctrl+g help')
  pty.type('Gii')
  await pty.shows('❯  Ada')
  pty.type('G')
  await pty.shows('❯  Eve')
  pty.type('x')
  expect(await pty.shows('Change roles')).toMatch(/Change roles +ctrl\+r +postern member role set/)
  pty.type('X')
  await pty.shows('Remove eve@example.com from the organization?')
  pty.type('n')
  await pty.hides('Remove eve@example.com from the organization?')
  pty.type('\u0007')
  expect(await pty.shows('Keys of this screen')).toMatch(/X +remove/)
  pty.type('\u0007')
  await pty.hides('Keys of this screen')
  pty.type('\u0010')
  await pty.shows('Command')
  pty.type('remove')
  expect(await pty.shows(': remove')).toMatch(/Remove +X {2}postern member remove/)
  pty.type('\u001b')
  await pty.hides('Command')
  pty.type('\u0012')
  await pty.shows('[x] member')
  pty.type('\u001b[C \r')
  expect(await pty.shows('z undoes it')).toContain('postern member role set')
  pty.type('z')
  await pty.shows('Undone')
})

test('in every size footer, menu and help show the keys as they are', async () => {
  const { machine } = await acmeAt(screens.own)
  await set(machine, 'tui.keys.role', 'ctrl-r')
  await set(machine, 'tui.keys.help', 'ctrl-g')
  start(machine)
  await pty.shows('Acme')
  pty.type('5')
  await pty.shows('❯ Acme')
  pty.type('\r')
  await pty.shows('eve@example.com')
  for (const [columns, rows] of windowSizes) {
    pty.resize(columns, rows)
    await pty.shows('ctrl+g help')
    pty.type('x')
    expect(await pty.shows('Change roles')).toMatch(/Change roles +ctrl\+r/)
    pty.type('\u001b')
    await pty.hides('Change roles')
    pty.type('\u0007')
    await pty.shows('Keys of this screen')
    pty.type('/role')
    expect(await pty.shows('/ role')).toMatch(/ctrl\+r +role/)
    pty.type('\u001b\u001b')
    await pty.hides('Keys of this screen')
  }
})

test('config refuses unknown actions, keys that do not exist and keys that mean something else, and can unset', async () => {
  const machine = await signedIn(screens.own)
  const refusal = async (setting: string, key: string) => {
    const { code, stderr } = await machine(['config', 'set', setting, key])
    expect(code).toBe(2)
    return stderr
  }
  expect(await refusal('tui.keys.fly', 'f')).toContain('No action fly has keys that can be changed')
  expect(await refusal('tui.keys.undo', 'ctrl-shift-z')).toContain('tui.keys.undo has no key "ctrl-shift-z"')
  expect(await refusal('tui.keys.undo', 'x')).toContain('x already means actions on the same screen')
  await set(machine, 'tui.keys.actions', 'X')
  await set(machine, 'tui.keys.undo', 'x')
  expect((await machine('config list --ndjson')).stdout).toContain('{"setting":"tui.keys.undo","value":"x"}')
  expect((await machine('help keys')).stdout).toMatch(/ {2}x +undo the last change/)
  expect((await machine('config unset tui.keys.undo')).code).toBe(0)
  expect((await machine('config get tui.keys.undo')).code).toBe(6)
})

test('a file with a key that means two things is refused before the terminal changes', async () => {
  const machine = await signedIn(screens.own)
  await set(machine, 'theme', 'dark')
  const path = join(machine.env['POSTERN_CONFIG_DIR'] ?? '', 'config.json')
  const config = JSON.parse(readFileSync(path, 'utf8')) as { settings: object }
  writeFileSync(path, JSON.stringify({ ...config, settings: { ...config.settings, 'tui.keys.create': 'q' } }))
  for (const more of [{}, { POSTERN_ACCESSIBLE: '1' }]) {
    start(machine, more)
    expect((await pty.exit).exitCode).toBe(1)
    expect(await pty.screen()).toContain('failed: tui.keys.create: q already means quit on the same screen')
    expect(pty.raw()).not.toContain('\u001b[?1049h')
    pty.close()
  }
})

test('the accessible mode names and takes the key that undoes', async () => {
  const machine = await signedIn(screens.own)
  await set(machine, 'tui.keys.undo', 'z')
  start(machine, { POSTERN_ACCESSIBLE: '1' })
  const { answer } = dialogueWith(pty)
  for (const [question, text] of [
    ['Number:', '4'],
    ['Number:', '1'],
    ['Name [Ada Lovelace]:', 'Ada King'],
    ['Image URL:', ''],
    ['removes it]:', ''],
  ] as const) {
    await answer(question, text)
  }
  await pty.shows('z instead of a number undoes it.')
  await answer('Number:', 'z')
  expect(await pty.shows('Undone: ')).toContain('z instead of a number undoes it.')
})
