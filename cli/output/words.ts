/** Role names as people read them: `admin, member`. */
export const roleText = (roles: readonly string[]): string => roles.join(', ')

/** `1,301`: a number for people. */
export const countText = (count: number): string => count.toLocaleString('en')

/** `Ada`, `Ada and Bob`, `Ada, Bob and Eve`. */
export function andText(words: readonly string[]): string {
  const last = words.slice(-1).join('')
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last
}

/** The text as a sentence, whether or not it ends as one. */
export const withFullStop = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

/** Whether both have the same words, in whatever order and however often. */
export const sameWords = (some: readonly string[], others: readonly string[]): boolean =>
  some.every((word) => others.includes(word)) && others.every((word) => some.includes(word))
