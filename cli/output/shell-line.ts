/** Joins words into one line that a POSIX shell splits into the same words. */
export const commandLine = (...words: readonly string[]): string => words.map(quote).join(' ')

/** Regular expression for one word of such a line. Punctuation at its end belongs to the surrounding sentence. */
export const quotedWord = String.raw`(?:'[^']*'|\\'|[^\s'\\;|<:,]|[:,](?=\S))+`

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
