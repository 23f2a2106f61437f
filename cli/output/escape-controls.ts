// One emoji sequence (joined, coloured, with its variation selector) or a keycap: the only places where an invisible
// character is part of a visible one.
const emoji =
  '\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?(?:\\u200D\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?)*|[0-9#*]\\uFE0F\\u20E3'
// Control and format characters (bidi, zero-width), line and paragraph separators, lone surrogates, and everything else
// that Unicode allows to be drawn as nothing.
const invisible = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}]'
// Arabic letters that join the next one, and marks that join two letters of Indic scripts (RFC 5892, appendix A.1 and
// A.2). Only there does a joiner change how a word looks, as in Persian. Elsewhere it would make two different names
// look alike.
const joining =
  '[\\u0620\\u0626\\u0628\\u062A-\\u062E\\u0633-\\u063F\\u0641-\\u0647\\u0649\\u064A\\u066E\\u066F\\u0678-\\u0687\\u069A-\\u06BF\\u06C1\\u06C2\\u06CC\\u06CE\\u06D0\\u06D1\\u06FA-\\u06FC\\u06FF]'
const virama = '[\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D4D\\u0DCA\\u1039\\u17D2]'
const arabic = '(?![\\u0621\\u0674])(?=\\p{L})\\p{Script=Arabic}'
// It looks for a joiner first: from each character of a long run of marks, looking back to its start would take minutes.
const joiner = `(?=[\\u200C\\u200D])(?:(?<=${joining}\\p{Mn}*)\\u200C(?=${arabic})|(?<=\\p{L}\\p{Mn}*${virama}).(?=\\p{L}))`
const pattern = new RegExp(`(?:${emoji})|(?!${joiner})${invisible}`, 'gu')
const hidden = new RegExp(`^${invisible}$`, 'u')
const anyHidden = new RegExp(invisible, 'u')

/**
 * Makes text from outside safe for a terminal: characters that would act or hide are shown by name (`\n`, `\u001b`,
 * `\u{202e}`).
 */
export const escapeControls = (text: string): string =>
  anyHidden.test(text) ? text.replaceAll(pattern, (found) => (hidden.test(found) ? named(found) : found)) : text

/**
 * Restores the characters of `original` that `escapeControls` had escaped, so that editing keeps those around the
 * change.
 */
export function restoreEscapes(text: string, original: string): string {
  const spelled = new Set([...original.matchAll(pattern)].map(([found]) => found).filter((found) => hidden.test(found)))
  return [...spelled].reduce((found, character) => found.replaceAll(named(character), character), text)
}

function named(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`
}

// C1, DEL, bidi, zero-width characters, separators and tags: JSON.stringify leaves them, but a terminal would act on or
// hide them.
export const unsafeCharacters = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** JSON that is safe to print: characters that a terminal would act on are escaped. */
export const jsonText = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, undefined, indent) ?? 'null').replaceAll(unsafeCharacters, escaped)

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
