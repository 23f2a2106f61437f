import { quotedWord } from './shell-line.ts'
import { wrap } from './wrap.ts'

/**
 * Commands to copy inside a text. A shell command extends to the end of the text, a postern command to the end of its
 * words.
 */
const ofShell = String.raw`(?<=^|: )(?:chmod|chown|echo|export|mkdir|rm|unset) .+$`
const ofPostern = String.raw`(?<=^|\s)postern (?=[a-z-])${quotedWord}(?: ${quotedWord})*(?: < \S+)?`
const commands = new RegExp(`(${ofShell}|${ofPostern})`)

/** Wraps text between words to that many columns. Commands are never broken and get their own lines. */
export function wrapProse(text: string, columns: number): readonly string[] {
  if (text.length <= columns) return [text]
  return text.split(commands).flatMap((part, index) => {
    if (index % 2 === 1) return [part]
    const prose = part.replace(/^[;,]/, '').trim()
    return prose === '' ? [] : wrap(prose, columns)
  })
}

/** The same with a hanging indent: the first line stands behind `left` columns, and the others are indented by them. */
export const hangingProse = (text: string, left: number, columns: number): string =>
  below(wrapProse(text, columns - left), left)

/** The same for text that can contain names chosen by others, in which nothing counts as a command. */
export const hangingNames = (text: string, left: number, columns: number): string =>
  below(wrap(text, columns - left), left)

const below = (lines: readonly string[], left: number): string => lines.join(`\n${' '.repeat(left)}`)
