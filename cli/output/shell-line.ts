/** Words as one line that a POSIX shell reads back as the same words. */
export const commandLine = (...words: readonly string[]): string => words.map(quote).join(' ')

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
