import { describe, expect, test } from 'vitest'
import { tuiCommand } from '../../commands/tui.ts'
import type { Context } from '../../context.ts'
import { keysHelp } from './key-topics.ts'
import { bindingsOf, footerOf, type KeyScope, keyHelp, keyLabel, keyScopes, numberedScreens, panels } from './keys.ts'

describe.each(keyScopes)('in %s', (scope: KeyScope) => {
  test('no key means two things', () => {
    const keys = bindingsOf(scope).flatMap((binding) => binding.keys)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  test('what the footer shows is a key of the scope, and the help has all of them', () => {
    const bindings = bindingsOf(scope)
    const intents = bindings.map(({ intent }) => intent)
    for (const { intent } of footerOf(scope)) expect(intents).toContain(intent)
    expect(keyHelp(scope)).toEqual([
      ...bindings.map(({ keys, label }) => ({ keys: keys.map(keyLabel).join(' '), label })),
      { keys: 'key (label)', label: 'not now: the key says why' },
      { keys: 'ctrl+c', label: 'quit at once' },
    ])
  })

  test('there is a way out that the footer shows', () => {
    const ways = ['quit', 'cancel', 'back']
    expect(footerOf(scope).some(({ intent }) => ways.includes(intent))).toBe(true)
  })
})

test('what destroys is on an upper-case key only', () => {
  const destroying = keyScopes.flatMap(bindingsOf).filter(({ intent }) => intent === 'remove')
  expect(new Set(destroying.flatMap(({ keys }) => keys))).toEqual(new Set(['D']))
})

test('a scope to type in has no letters as keys', () => {
  for (const scope of ['form', 'choosing', 'toggling', 'typing', 'search', 'typed-confirm'] as const) {
    for (const { keys } of bindingsOf(scope)) for (const key of keys) expect(key.length).toBeGreaterThan(1)
  }
})

test('every key of the documented table has its meaning', () => {
  const meanings = Object.fromEntries(
    bindingsOf('sessions').flatMap(({ keys, intent }) => keys.map((key) => [key, intent])),
  )
  expect(meanings).toMatchObject({
    up: 'up',
    k: 'up',
    down: 'down',
    j: 'down',
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
  expect(bindingsOf('profile').find(({ intent }) => intent === 'edit')?.keys).toEqual(['e'])
  expect(bindingsOf('accounts').find(({ intent }) => intent === 'create')?.keys).toEqual(['c'])
  const ofMembers = Object.fromEntries(bindingsOf('members').map(({ keys, intent }) => [keys[0], intent]))
  expect(ofMembers).toMatchObject({ tab: 'next-panel', r: 'role', t: 'team', c: 'create', D: 'remove', space: 'mark' })
})

test('the help topic names every key of every screen with a number', () => {
  const text = keysHelp()
  for (const scope of [...numberedScreens.map(({ screen }) => screen), ...panels] as const) {
    for (const { keys, label } of bindingsOf(scope)) {
      expect(text).toContain(`  ${keys.map(keyLabel).join(' ').padEnd(14)}${label}`)
    }
  }
})

test('the command can start on every screen with a number', () => {
  const [option] = tuiCommand({} as Context).options
  expect(option?.argChoices).toEqual(numberedScreens.map(({ screen }) => screen))
})
