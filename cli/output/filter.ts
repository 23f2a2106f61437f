// One pictographic sequence (joined, coloured, with its emoji selector) or a keycap: the only places where an invisible character is part of a visible one.
const emoji =
  '\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?(?:\\u200D\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?)*|[0-9#*]\\uFE0F\\u20E3'
// Controls, formats (bidi, zero-width), line and paragraph separators, lone surrogates, and all else that Unicode says may be drawn as nothing.
const invisible = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}]'
const pattern = new RegExp(`(?:${emoji})|${invisible}`, 'gu')
const hidden = new RegExp(`^${invisible}$`, 'u')

/** Text from outside as a terminal may get it: whatever would act or hide is shown by name (`\n`, `\u001b`, `\u{202e}`). */
export const visible = (text: string): string =>
  text.replaceAll(pattern, (found) => (hidden.test(found) ? named(found) : found))

/** The text with what `visible` spelled out of `original` as it was there: what a person edits keeps the characters around. */
export function respelled(text: string, original: string): string {
  const spelled = new Set([...original.matchAll(pattern)].map(([found]) => found).filter((found) => hidden.test(found)))
  return [...spelled].reduce((found, character) => found.replaceAll(named(character), character), text)
}

function named(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`
}
