import { describe, expect, test } from 'vitest'
import { tuiCommand } from '../../commands/tui.ts'
import type { Context } from '../../context.ts'
import { footerKeysOf, keyLabel, keySections } from './key-text.ts'
import { keysHelp, keyTopics } from './key-topics.ts'
import { bindingsOf, findBinding, isTextScope, type KeyGroup, keyGroups, keyScopes } from './keymap.ts'
import { type KeyScope, numberedScreens, panels } from './names.ts'

describe.each(keyScopes)('in %s', (scope: KeyScope) => {
  test('no key means two things', () => {
    const keys = bindingsOf(keyGroups, scope).flatMap((binding) => binding.keys)
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  test('what the footer shows is a key of the scope, and the help has all of them', () => {
    const bindings = bindingsOf(keyGroups, scope)
    const intents = bindings.map(({ intent }) => intent)
    for (const { intent } of footerKeysOf(keyGroups, scope)) expect(intents).toContain(intent)
    const listed = keySections(keyGroups, scope).flatMap(({ lines }) => lines.map(({ keys }) => keys))
    expect(listed.sort()).toEqual(
      [...bindings.map(({ keys }) => keys.map(keyLabel).join(' ')), 'ctrl+c', 'ctrl+z'].sort(),
    )
  })

  test('there is a way out that the footer shows', () => {
    const ways = ['quit', 'cancel', 'back']
    expect(footerKeysOf(keyGroups, scope).some(({ intent }) => ways.includes(intent))).toBe(true)
  })
})

test('what destroys is on an upper-case key only', () => {
  const destroying = keyScopes
    .flatMap((scope) => bindingsOf(keyGroups, scope))
    .filter(({ intent }) => intent === 'remove')
  expect(new Set(destroying.flatMap(({ keys }) => keys))).toEqual(new Set(['D']))
})

test('every numbered screen has its number for every user, and the help tells the same', () => {
  const led = [1, 2, 3, 4, 5, 6, 7].map((key) => findBinding(keyGroups, 'home', String(key))?.intent)
  expect(led).toEqual(numberedScreens.map(({ screen }) => `screen-${screen}`))
  const numbers = keySections(keyGroups, 'home')
    .flatMap(({ lines }) => lines)
    .filter(({ keys }) => /^\d$/.test(keys))
  expect(numbers).toMatchObject(numberedScreens.map(({ key: keys, title: label }) => ({ keys, label })))
})

test('a scope to type in has no letters as keys', () => {
  const typed = ['takeover', 'form', 'choosing', 'toggling', 'typing', 'search', 'typed-confirm'] as const
  expect(keyScopes.filter(isTextScope).sort()).toEqual([...typed].sort())
  for (const scope of typed) {
    for (const { keys } of bindingsOf(keyGroups, scope)) for (const key of keys) expect(key.length).toBeGreaterThan(1)
  }
})

test('every key of the documented table has its meaning', () => {
  const meanings = Object.fromEntries(
    bindingsOf(keyGroups, 'sessions').flatMap(({ keys, intent }) => keys.map((key) => [key, intent])),
  )
  expect(meanings).toMatchObject({
    up: 'up',
    k: 'up',
    down: 'down',
    j: 'down',
    'ctrl-u': 'page-up',
    'ctrl-d': 'page-down',
    g: 'first',
    G: 'last',
    enter: 'open',
    l: 'open',
    esc: 'back',
    h: 'back',
    q: 'quit',
    1: 'screen-home',
    2: 'screen-accounts',
    3: 'screen-sessions',
    4: 'screen-profile',
    5: 'screen-orgs',
    7: 'screen-requests',
    '/': 'filter',
    n: 'next-match',
    N: 'previous-match',
    ':': 'palette',
    '?': 'help',
    space: 'mark',
    x: 'actions',
    D: 'remove',
    y: 'copy-id',
    C: 'copy-command',
    R: 'refresh',
    a: 'switch-account',
    o: 'switch-organization',
    '!': 'read-only',
  })
  expect(bindingsOf(keyGroups, 'profile').find(({ intent }) => intent === 'edit')?.keys).toEqual(['e'])
  expect(bindingsOf(keyGroups, 'accounts').find(({ intent }) => intent === 'create')?.keys).toEqual(['c'])
  const marks = bindingsOf(keyGroups, 'members').flatMap(({ keys, intent }) =>
    /mark|sort/.test(intent) ? [[keys[0], intent]] : [],
  )
  expect(Object.fromEntries(marks)).toEqual({
    space: 'mark',
    v: 'mark-range',
    '*': 'mark-others',
    A: 'mark-all',
    s: 'sort',
    S: 'turn-sort',
  })
  const ofMembers = Object.fromEntries(bindingsOf(keyGroups, 'members').map(({ keys, intent }) => [keys[0], intent]))
  expect(ofMembers).toMatchObject({ tab: 'next-panel', r: 'role', t: 'team', c: 'create', D: 'remove', space: 'mark' })
})

test('the help tells the keys of a screen from those of lists and those that work everywhere', () => {
  const sections = keySections(keyGroups, 'members').map(
    ({ title, lines }) => [title, lines.map(({ label }) => label)] as const,
  )
  expect(sections.map(([title]) => title)).toEqual(['This screen', 'Lists', 'Everywhere'])
  const [own, lists, everywhere] = sections.map(([, labels]) => labels)
  expect(own).toEqual(expect.arrayContaining(['role', 'invite', 'next panel', 'copy id']))
  expect(lists).toEqual(expect.arrayContaining(['filter', 'mark', 'sort by next column', 'first']))
  expect(everywhere).toEqual(expect.arrayContaining(['refresh', 'back', 'quit', 'quit at once', 'Home']))
  const inner = keySections(keyGroups, 'members', false).flatMap(({ lines: shown }) => shown)
  expect(inner.find(({ keys }) => keys === 'q')?.label).toBe('back')
  expect(keySections(keyGroups, 'confirm').map(({ title }) => title)).toEqual(['This screen', 'Everywhere'])
})

test('the session that is shown is read again by R, and the way out at once is in every help', () => {
  expect(bindingsOf(keyGroups, 'session').find(({ intent }) => intent === 'refresh')?.keys).toEqual(['R'])
  expect(keysHelp()).toContain('  ctrl+c        quit at once')
})

test('the help topic names every key of every screen with a number', () => {
  const text = keysHelp()
  for (const scope of [...numberedScreens.map(({ screen }) => screen), ...panels] as const) {
    for (const { keys, label } of bindingsOf(keyGroups, scope)) {
      expect(text).toContain(`  ${keys.map(keyLabel).join(' ').padEnd(14)}${label}`)
    }
  }
})

test('every group of keys is in the help topic, but those of a window that names all of its own', () => {
  const own = [
    'typing',
    'choice',
    'letters',
    'answer',
    'typed',
    'scrolling',
    'reading',
    'narrowing',
    'offered',
  ] satisfies KeyGroup[]
  const told = keyTopics.flatMap(([, groups]) => groups)
  expect([...told, ...own].sort()).toEqual(Object.keys(keyGroups).sort())
})

test('the command can start on every screen with a number', () => {
  const [option] = tuiCommand({} as Context).options
  expect(option?.argChoices).toEqual(numberedScreens.map(({ screen }) => screen))
})
