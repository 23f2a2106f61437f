import type { Key } from 'ink'

const named = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const satisfies readonly (readonly [keyof Key, string])[]

/** The key's name in the keymap: `up`, `enter`, `shift-tab`, `space`, `ctrl-u`, or the character itself. */
export function keyName(input: string, key: Key): string {
  if (key.tab) return key.shift ? 'shift-tab' : 'tab'
  const special = named.find(([flag]) => key[flag])
  if (special) return special[1]
  if (key.meta) return `alt-${input}`
  if (key.ctrl) return `ctrl-${input}`
  return input === ' ' ? 'space' : input
}
