/** Joins words into one line that a POSIX shell splits into the same words. */
export const commandLine = (...words: readonly string[]): string => words.map(quote).join(' ')

/** The words that a POSIX shell makes of the line, with nothing filled in. Undefined if a quote is not closed. */
export const splitLine = (line: string): readonly string[] | undefined =>
  wholeLine.test(line) ? (line.match(words) ?? []).map((word) => word.replaceAll(parts, unquoted)) : undefined

const part = String.raw`'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]`
const parts = new RegExp(part, 'gs')
const words = new RegExp(`(?:${part})+`, 'gs')
const wholeLine = new RegExp(`^(?:\\s|${part})*$`, 's')

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1)
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\(["\\$`])/g, '$1')
  return text.replace(/^\\/, '')
}

/** Regular expression for one word of such a line. Punctuation at its end belongs to the surrounding sentence. */
export const quotedWord = String.raw`(?:'[^']*'|\\'|[^\s'\\;|<:,]|[:,](?=\S))+`

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))

/** One word of a POSIX shell, always in quotes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
