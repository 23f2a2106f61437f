import { usageError } from '../../output/cli-error.ts'
import { keySettingPrefix } from '../../settings/config-file.ts'
import { type Binding, bindingsOf, groupNames, type KeyGroup, type Keymap, keyGroups, keyScopes } from './keymap.ts'
import { type Intent } from './names.ts'

/** Texts of the config file, by action: `{ palette: 'ctrl-p :' }`. */
export type KeyChanges = Readonly<Record<string, string>>

/** Groups that no setting changes: texts and answers need their keys, and the documents name the numbers. */
const fixed: ReadonlySet<KeyGroup> = new Set<KeyGroup>([
  'form',
  'options',
  'switch',
  'line',
  'typing',
  'choice',
  'letters',
  'answer',
  'typed',
  'reading',
  'told',
  'always',
  'offered',
])

const openGroups = groupNames.filter((group) => !fixed.has(group))

const isChangeable = (intent: Intent): boolean => !intent.startsWith('screen-') && intent !== 'cancel'

/** The actions whose keys can be changed, in the order of the help. */
export const changeableActions: readonly Intent[] = [
  ...new Set(openGroups.flatMap((group) => keyGroups[group].map(({ intent }) => intent)).filter(isChangeable)),
]

/** The built-in keys with those of the config file in their place. Exit 2 if one is unknown or means two things. */
export function keymapWith(changes: KeyChanges): Keymap {
  const changed = new Map(Object.entries(changes).map(([action, text]) => [actionOf(action), keysOf(action, text)]))
  if (changed.size === 0) return keyGroups
  const bindingOf = (binding: Binding): Binding => ({ ...binding, keys: changed.get(binding.intent) ?? binding.keys })
  const open = openGroups.map((group) => [group, keyGroups[group].map(bindingOf)] as const)
  const keymap = followed({ ...keyGroups, ...Object.fromEntries(open) })
  refuseConflicts(keymap, changed)
  return keymap
}

/**
 * Keys of dialogs that are the same as those of lists: letters move in a menu too, and the key of the help closes it.
 */
function followed(keymap: Keymap): Keymap {
  const keysIn = (group: KeyGroup, intent: Intent) =>
    keymap[group].flatMap((binding) => (binding.intent === intent ? binding.keys : []))
  const quitting = keysIn('shell', 'quit')
  const letters = new Map<Intent, readonly string[]>([
    ['up', keysIn('move', 'up')],
    ['down', keysIn('move', 'down')],
    ['cancel', quitting],
  ])
  const closing = [...new Set(['esc', ...quitting, 'enter', ...keysIn('shell', 'help')])]
  return {
    ...keymap,
    letters: keyGroups.letters.map((binding) => ({
      ...binding,
      keys: letters.get(binding.intent)?.filter(isLetter) ?? [],
    })),
    reading: keyGroups.reading.map((binding) => ({ ...binding, keys: closing })),
  }
}

const isLetter = (key: string): boolean => key.length === 1

function actionOf(text: string): Intent {
  const action = changeableActions.find((name) => name === text)
  if (action) return action
  const setting = keySettingPrefix + text
  throw usageError(
    `No action ${text} has keys that can be changed`,
    `Actions: ${changeableActions.join(', ')}. To remove the setting: postern config unset ${setting}`,
    [setting],
  )
}

const keyNames: ReadonlySet<string> = new Set(
  'up down left right pageup pagedown home end enter esc tab shift-tab space backspace'.split(' '),
)

/** What a setting takes. */
export const keyForms = `A key is a character, ${[...keyNames].join(', ')}, or ctrl- and a letter except c, h, i, j, m and z.`

/**
 * A terminal sends the same for Ctrl and H, I, J or M as for backspace, tab and enter. Ctrl+C always quits, Ctrl+Z
 * suspends.
 */
const isKey = (text: string): boolean =>
  keyNames.has(text) || /^ctrl-[abd-gk-ln-y]$/.test(text) || /^[^\p{C}\p{Z}\p{M}]$/u.test(text)

function keysOf(action: string, text: string): readonly string[] {
  const keys = text.split(' ').filter((key) => key !== '')
  const setting = keySettingPrefix + action
  const [wrong = keys.length === 0 ? text : undefined] = keys.filter((key) => !isKey(key))
  if (wrong === undefined) return [...new Set(keys)]
  throw usageError(`${setting} has no key ${JSON.stringify(wrong)}`, `${keyForms} ${builtInAgain(setting)}`, [setting])
}

function refuseConflicts(keymap: Keymap, changed: ReadonlyMap<Intent, readonly string[]>): void {
  // The keys of actions work in a menu too.
  const inMenus = openGroups.map((group) => [...actsIn(keymap, group), ...bindingsOf(keymap, 'picker')])
  for (const bindings of [...keyScopes.map((scope) => bindingsOf(keymap, scope)), ...inMenus]) {
    const [key, intents] = [...intentsByKey(bindings)].find(([, meant]) => meant.size > 1) ?? []
    if (key !== undefined && intents) throw conflict(key, [...intents], changed)
  }
}

const commonGroups: ReadonlySet<KeyGroup> = new Set<KeyGroup>([
  ...(['move', 'find', 'selection', 'marks', 'panels', 'reload', 'shell'] as const),
  ...(['scrolling', 'narrowing', 'waiting', 'revealed'] as const),
])

const actsIn = (keymap: Keymap, group: KeyGroup): readonly Binding[] => (commonGroups.has(group) ? [] : keymap[group])

function intentsByKey(bindings: readonly Binding[]): ReadonlyMap<string, ReadonlySet<Intent>> {
  const found = new Map<string, Set<Intent>>()
  for (const { keys, intent } of bindings)
    for (const key of keys) found.set(key, (found.get(key) ?? new Set()).add(intent))
  return found
}

const builtInAgain = (setting: string): string => `The built-in one again: postern config unset ${setting}`

function conflict(key: string, intents: readonly Intent[], changed: ReadonlyMap<Intent, readonly string[]>): Error {
  const [mine] = intents.filter((intent) => changed.has(intent))
  const others = intents.filter((intent) => intent !== mine)
  const setting = keySettingPrefix + mine
  const isMovable = others.every((one) => changeableActions.includes(one))
  const orMove = isMovable ? `, or first give ${others.join(' and ')} another one` : ''
  return usageError(
    `${setting}: ${key} already means ${others.join(' and ')} on the same screen`,
    `Choose another key${orMove}. ${builtInAgain(setting)}`,
    [setting],
  )
}
