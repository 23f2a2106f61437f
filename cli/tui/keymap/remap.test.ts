import { describe, expect, test } from 'vitest'
import { footerKeysOf, keySections } from './key-text.ts'
import { keysHelp } from './key-topics.ts'
import { bindingsOf, findBinding, keyGroups, keyScopes } from './keymap.ts'
import { changeableActions, keymapWith } from './remap.ts'

test('without a change it is the built-in table, and the dialogs follow it', () => {
  expect(keymapWith({})).toBe(keyGroups)
  expect(keymapWith({ palette: ':' })).toEqual(keyGroups)
})

test('a key of the config file replaces the built-in one wherever the action has one', () => {
  const keymap = keymapWith({ remove: 'X', 'copy-id': 'ctrl-y Y' })
  const scopes = keyScopes.filter((scope) => bindingsOf(keyGroups, scope).some(({ intent }) => intent === 'remove'))
  expect(scopes.length).toBeGreaterThan(8)
  for (const scope of scopes) {
    expect(findBinding(keymap, scope, 'X')?.intent).toBe('remove')
    expect(findBinding(keymap, scope, 'D')).toBeUndefined()
  }
  expect(footerKeysOf(keymap, 'members')).toContainEqual(expect.objectContaining({ key: 'X', label: 'remove' }))
  expect(footerKeysOf(keymap, 'secret')).toContainEqual(expect.objectContaining({ key: 'ctrl+y', label: 'copy it' }))
  const lines = keySections(keymap, 'members').flatMap((section) => section.lines)
  expect(lines).toContainEqual(expect.objectContaining({ keys: 'ctrl+y Y', label: 'copy id' }))
  expect(keysHelp(() => ({ undo: 'ctrl-y' }))).toContain('  ctrl+y        undo the last change')
})

test('letters move in menus too, and the key of the help closes it', () => {
  const keymap = keymapWith({ up: 'up i', down: 'down m', accept: 'ctrl-a', help: 'ctrl-g', quit: 'Q' })
  expect(bindingsOf(keymap, 'picker').flatMap(({ keys }) => keys)).toEqual([
    'up',
    'down',
    'pageup',
    'pagedown',
    'enter',
    'esc',
    'i',
    'm',
    'Q',
  ])
  expect(findBinding(keymap, 'help', 'ctrl-g')?.intent).toBe('cancel')
  expect(findBinding(keymap, 'help', 'm')?.intent).toBe('down')
  expect(footerKeysOf(keymapWith({ up: 'i', accept: 'ctrl-a' }), 'sessions')).toContainEqual(
    expect.objectContaining({ key: 'i↓', label: 'move' }),
  )
})

describe('it refuses', () => {
  test.each([
    [{ fly: 'f' }, 'No action fly has keys that can be changed', 'Actions: up, down, page-up'],
    [{ 'screen-home': '0' }, 'No action screen-home has keys', 'Actions: '],
    [{ cancel: 'x' }, 'No action cancel has keys', 'Actions: '],
    [{ undo: '' }, 'tui.keys.undo has no key ""', 'A key is a character, up, down'],
    [{ undo: 'u ctrl-shift-u' }, 'tui.keys.undo has no key "ctrl-shift-u"', 'ctrl- and a letter'],
    [{ undo: 'ctrl-c' }, 'tui.keys.undo has no key "ctrl-c"', 'except c, h, i, j, m and z'],
    [{ undo: 'ctrl-z' }, 'tui.keys.undo has no key "ctrl-z"', 'except c, h, i, j, m and z'],
    [{ undo: 'ctrl-m' }, 'tui.keys.undo has no key "ctrl-m"', 'except c, h, i, j, m and z'],
    [
      { create: 'x' },
      'tui.keys.create: x already means actions on the same screen',
      'postern config unset tui.keys.create',
    ],
    [{ undo: '3' }, 'tui.keys.undo: 3 already means screen-sessions', 'Choose another key. The built-in'],
    [{ 'copy-id': 'esc' }, 'tui.keys.copy-id: esc already means back', 'Choose another key'],
    [{ open: 'o', 'switch-organization': 'O', create: 'enter' }, 'enter already means open', 'Choose another key'],
  ])('%o', (changes, message, hint) => {
    expect(() => keymapWith(changes)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), hint: expect.stringContaining(hint) }),
    )
  })
})

test('two keys can be exchanged', () => {
  const keymap = keymapWith({ create: 'e', edit: 'c' })
  expect(findBinding(keymap, 'teams', 'e')?.intent).toBe('create')
  expect(findBinding(keymap, 'teams', 'c')?.intent).toBe('edit')
})

test('every action that it names can have a key of its own', () => {
  for (const action of changeableActions) expect(() => keymapWith({ [action]: 'ctrl-t' })).not.toThrow()
})
