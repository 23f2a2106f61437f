import type { ActKey } from '../../flows/resource.ts'
import { type Binding, bindingsOf, groupNames, groupsOf, type KeyGroup, type Keymap, keyGroups } from './keymap.ts'
import { type Intent, type KeyScope } from './names.ts'

const shown: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
}

export const keyLabel = (key: string): string =>
  shown[key] ?? key.replace(/^(ctrl|alt|shift)-/, (_, name: string) => `${name}+`)

export const keyOf = (keymap: Keymap, group: KeyGroup, intent: Intent): string =>
  keyLabel(keymap[group].find((binding) => binding.intent === intent)?.keys[0] ?? '')

/** Adds to a choice the key that does the same on its screen. */
export const withKey = <C extends object>(
  keymap: Keymap,
  [scope, intent]: readonly [KeyScope, Intent],
  choice: C,
): C & { readonly key?: string } => {
  const key = bindingsOf(keymap, scope).find((binding) => binding.intent === intent)?.keys[0]
  return key === undefined ? choice : { ...choice, key }
}

/** The key of an act, wherever it is offered. */
export const keyOfAct = (keymap: Keymap, [builtIn, intent]: ActKey): string =>
  groupNames.flatMap((group) => {
    const at = keyGroups[group].findIndex(({ keys, ...binding }) => binding.intent === intent && keys[0] === builtIn)
    return keymap[group][at]?.keys[0] ?? []
  })[0] ?? builtIn

interface ShownKey {
  readonly intent: Intent
  readonly key: string
  readonly label: string
  readonly isEssential?: boolean
}

/** The footer's keys. Up and down share one entry. */
export function footerKeysOf(keymap: Keymap, scope: KeyScope): readonly ShownKey[] {
  const bindings = bindingsOf(keymap, scope)
  const up = bindings.find(({ intent }) => intent === 'up')?.keys[0] ?? ''
  return bindings
    .filter((binding) => binding.inFooter)
    .map(({ intent, keys: [key = ''], label }) =>
      intent === 'down'
        ? { intent, key: keyLabel(up) + keyLabel(key), label: 'move' }
        : { intent, key: keyLabel(key), label, isEssential: intent === 'filter' },
    )
}

/**
 * The footer's keys of a screen. At the bottom of the stack `q` quits, on other screens escape goes back. Only the one
 * that applies is listed.
 */
export const screenFooterKeysOf = (keymap: Keymap, scope: KeyScope, isAtTop: boolean): readonly ShownKey[] =>
  footerKeysOf(keymap, scope).filter(({ intent }) => intent !== (isAtTop ? 'back' : 'quit'))

interface KeyLine {
  readonly intent: Intent
  readonly keys: string
  readonly label: string
}

interface TextSection {
  readonly title: string
  readonly lines: readonly Omit<KeyLine, 'intent'>[]
}

interface KeySection {
  readonly title: string
  readonly lines: readonly KeyLine[]
}

const inLists: readonly KeyGroup[] = ['move', 'find', 'marks']
const everywhere: readonly KeyGroup[] = ['reload', 'shell', 'always']

/** What a mouse does. The terminal selects text itself while shift is held. */
export const mouseLines: readonly (readonly [act: string, label: string])[] = [
  ['click', 'select'],
  ['click again', 'open'],
  ['click a tab', 'open that screen or panel'],
  ['wheel', 'move in the list, or scroll'],
  ['drag the line', 'make the details wider or narrower'],
  ['shift+drag', 'select text in the terminal, to copy it'],
]

export const mouseSection: TextSection = {
  title: 'Mouse',
  lines: mouseLines.map(([keys, label]) => ({ keys, label })),
}

/**
 * The keys for the help: the screen's own, those of lists, and those that work everywhere. The key that quits goes back
 * on all but the first screen.
 */
export function keySections(keymap: Keymap, scope: KeyScope, isAtTop = true): readonly KeySection[] {
  const groups = [...groupsOf(scope), 'always' as const]
  const own = groups.filter((group) => !inLists.includes(group) && !everywhere.includes(group))
  const sections = [
    { title: 'This screen', groups: own },
    { title: 'Lists', groups: groups.filter((group) => inLists.includes(group)) },
    { title: 'Everywhere', groups: groups.filter((group) => everywhere.includes(group)) },
  ]
  return sections.flatMap(({ title, groups: names }) => {
    const lines = names.flatMap((name) => keymap[name]).map((binding) => lineOf(isAtTop ? binding : goingBack(binding)))
    return lines.length > 0 ? [{ title, lines }] : []
  })
}

const goingBack = (binding: Binding): Binding => (binding.intent === 'quit' ? { ...binding, label: 'back' } : binding)

const lineOf = ({ intent, keys, label }: Binding): KeyLine => ({ intent, keys: keys.map(keyLabel).join(' '), label })
