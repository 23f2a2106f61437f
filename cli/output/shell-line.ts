/** Words as one line that a POSIX shell reads back as the same words. */
export const commandLine = (...words: readonly string[]): string => words.map(quote).join(' ')

/** A word of such a line, as a pattern; a sign at its end belongs to the sentence around it. */
export const quotedWord = String.raw`(?:'[^']*'|\\'|[^\s'\\;|<:,]|[:,](?=\S))+`

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
