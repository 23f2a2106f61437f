import { type Binding, bindingsOf, groupsOf, type KeyGroup, keyGroups } from './keymap.ts'
import { type Intent, type KeyScope } from './names.ts'

const shown: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
}

/** The label of a key. */
export const keyLabel = (key: string): string =>
  shown[key] ?? key.replace(/^(ctrl|alt|shift)-/, (_, name: string) => `${name}+`)

/** The label of the first key of an intent that works everywhere. */
export const keyOf = (intent: Intent): string =>
  keyLabel(keyGroups.shell.find((binding) => binding.intent === intent)?.keys[0] ?? '')

/** Adds to a choice the key that does the same on its screen. */
export const withKey = <C extends object>(
  scope: KeyScope,
  intent: Intent,
  choice: C,
): C & { readonly key?: string } => {
  const key = bindingsOf(scope).find((binding) => binding.intent === intent)?.keys[0]
  return key === undefined ? choice : { ...choice, key }
}

export interface ShownKey {
  readonly intent: Intent
  readonly key: string
  readonly label: string
  readonly isEssential?: boolean
}

/** The footer's keys. Up and down share one entry. */
export const footerKeysOf = (scope: KeyScope): readonly ShownKey[] =>
  bindingsOf(scope)
    .filter((binding) => binding.inFooter)
    .map(({ intent, keys, label }) =>
      intent === 'down'
        ? { intent, key: '↑↓', label: 'move' }
        : { intent, key: keyLabel(keys[0] ?? ''), label, isEssential: intent === 'filter' },
    )

/**
 * The footer's keys of a screen. At the bottom of the stack `q` quits, on other screens escape goes back. Only the one
 * that applies is listed.
 */
export const screenFooterKeysOf = (scope: KeyScope, isAtTop: boolean): readonly ShownKey[] =>
  footerKeysOf(scope).filter(({ intent }) => intent !== (isAtTop ? 'back' : 'quit'))

interface KeyLine {
  readonly intent: Intent
  readonly keys: string
  readonly label: string
}

export interface TextSection {
  readonly title: string
  readonly lines: readonly Omit<KeyLine, 'intent'>[]
}

export interface KeySection {
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

/** The keys for the help: the screen's own, those of lists, and those that work everywhere. */
export function keySections(scope: KeyScope): readonly KeySection[] {
  const groups = [...groupsOf(scope), 'always' as const]
  const own = groups.filter((group) => !inLists.includes(group) && !everywhere.includes(group))
  const sections = [
    { title: 'This screen', groups: own },
    { title: 'Lists', groups: groups.filter((group) => inLists.includes(group)) },
    { title: 'Everywhere', groups: groups.filter((group) => everywhere.includes(group)) },
  ]
  return sections.flatMap(({ title, groups: names }) => {
    const lines = names.flatMap((name): readonly Binding[] => keyGroups[name]).map(lineOf)
    return lines.length > 0 ? [{ title, lines }] : []
  })
}

const lineOf = ({ intent, keys, label }: Binding): KeyLine => ({ intent, keys: keys.map(keyLabel).join(' '), label })
