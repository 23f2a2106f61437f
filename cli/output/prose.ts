import { quotedWord } from './shell-line.ts'
import { wrap } from './wrap.ts'

/** A command to copy, in what people read: one of a shell goes on to the end, one of this program to the next sentence. */
const ofShell = String.raw`(?<=^|: )(?:chmod|chown|echo|export|mkdir|rm|unset) .+$`
const ofPostern = String.raw`(?<=^|\s)postern (?=[a-z-])${quotedWord}(?: ${quotedWord})*(?: < \S+)?`
const commands = new RegExp(`(${ofShell}|${ofPostern})`)

/** The text in lines of at most that many columns, broken between words; a command is never broken: it gets a line of its own. */
export function proseLines(text: string, columns: number): readonly string[] {
  if (text.length <= columns) return [text]
  return text.split(commands).flatMap((part, index) => {
    if (index % 2 === 1) return [part]
    const prose = part.replace(/^[;,]/, '').trim()
    return prose === '' ? [] : wrap(prose, columns)
  })
}

/** The same behind something that takes so many columns, and as far in where it goes on below. */
export const hanging = (text: string, left: number, columns: number): string =>
  below(proseLines(text, columns - left), left)

/** The same of what holds no command, but perhaps names: broken between words alone. */
export const hangingNames = (text: string, left: number, columns: number): string =>
  below(wrap(text, columns - left), left)

const below = (lines: readonly string[], left: number): string => lines.join(`\n${' '.repeat(left)}`)
