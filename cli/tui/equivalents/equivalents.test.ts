import type { Command } from 'commander'
import { beforeAll, expect, test } from 'vitest'
import { createContext } from '../../context.ts'
import { hostOf } from '../../process/own-host.ts'
import { createProgram } from '../../program.ts'
import { surplusIn, unknownIn } from '../../testing/named-commands.ts'
import { createRunner } from '../../testing/run-cli.ts'
import { keyLabel } from '../keymap/key-text.ts'
import { bindingsOf, keyGroups } from '../keymap/keymap.ts'
import { type KeyScope, numberedScreens, panels } from '../keymap/names.ts'
import { keymapWith } from '../keymap/remap.ts'
import { equivalentsOf } from './equivalents.ts'

let program: Command
beforeAll(async () => {
  program = await createProgram(createContext(hostOf(() => new AbortController().signal)))
})

const all = equivalentsOf(keyGroups)

test.each([...numberedScreens.map(({ screen }) => screen), 'everywhere'])(
  'on %s every entry has a command that is there, with flags and arguments that it takes',
  (screen) => {
    const rows = all.filter((row) => row.screen === screen)
    expect(rows.length).toBeGreaterThan(1)
    for (const { command } of rows) {
      expect(command).toMatch(/^postern [a-z]/)
      expect([command, unknownIn(program, command), surplusIn(program, command)]).toEqual([command, [], []])
    }
  },
)

const acts = [
  'create',
  'edit',
  'remove',
  'role',
  'team',
  'trusts',
  'trail',
  'webhooks',
  'pause',
  'test',
  'follow',
  'verify',
  'accept',
] as const

test.each([
  ...([
    'home',
    'accounts',
    'sessions',
    'profile',
    'links',
    'own-keys',
    'orgs',
    'admin',
    'trail',
    'trusts',
    'webhooks',
    'webhook',
    'team',
  ] as const),
  ...panels,
] satisfies KeyScope[])('every key of %s that does something at the service is told', (scope) => {
  const told = new Set(all.map(({ key }) => key))
  const keys = bindingsOf(keyGroups, scope).flatMap(({ intent, keys: [key = ''] }) =>
    acts.some((act) => act === intent) ? [keyLabel(key)] : [],
  )
  expect(keys.filter((key) => !told.has(key))).toEqual([])
})

test('acts on a list come after those on what is selected, and each value is a placeholder or an example', () => {
  const entries = all.filter(({ place }) => place === 'Teams').map(({ entry }) => entry)
  expect(entries.at(-1)).toBe('Create a team')
  const commands = all.map(({ command }) => command).join('\n')
  expect(commands).not.toMatch(/--role (?!ROLE)|role set USER (?!ROLE)|role view (?!ROLE)|PAUSED|BANNED/)
  const everywhere = all.filter(({ screen }) => screen === 'everywhere').map(({ entry }) => entry)
  expect(everywhere).toEqual(expect.arrayContaining(['Switch account', 'Work in']))
})

test('one screen has its own entries only, with the keys as they are', () => {
  const rows = equivalentsOf(keymapWith({ remove: 'X' }), 'orgs')
  expect(new Set(rows.map(({ screen }) => screen))).toEqual(new Set(['orgs']))
  expect(rows).toContainEqual({
    screen: 'orgs',
    place: 'Members',
    entry: 'Remove',
    key: 'X',
    command: 'postern member remove USER --org ORG',
  })
  expect(all.filter(({ screen }) => screen === 'orgs').map(({ command }) => command)).toEqual(
    rows.map(({ command }) => command),
  )
})

test('the command prints them without a terminal, in every form of output', async () => {
  const postern = createRunner()
  const { code, json } = await postern('tui --screen sessions --equivalents --json')
  expect(code).toBe(0)
  expect(json).toMatchObject({
    items: expect.arrayContaining([
      { screen: 'sessions', place: 'Sessions', entry: 'The list', key: null, command: 'postern session list' },
      { screen: 'sessions', place: 'Sessions', entry: 'Revoke', key: 'D', command: 'postern session revoke SESSION' },
    ]) as unknown,
  })
  const quiet = await postern('tui --equivalents --quiet')
  expect(quiet.stdout.trim().split('\n')).toEqual(all.map(({ command }) => command))
  expect((await postern('tui --screen nowhere --equivalents')).code).toBe(2)
  expect((await postern('tui --screen sessions')).code).toBe(14)
})
