/** Scripts with letters that look like those of another one. */
const lookAlikes = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const,
)

/**
 * The scripts of a word that mixes letters which may look alike, such as a Latin name with a Cyrillic `а` in it; empty if
 * there is none. Words of different scripts beside each other are common. See UTS 39 section 5.1.
 */
export function mixedScripts(text: string): readonly string[] {
  const words = text.split(/[^\p{L}\p{M}]+/u)
  const scripts = words.map((word) => lookAlikes.filter(([, letter]) => letter.test(word)).map(([script]) => script))
  return scripts.find(({ length }) => length > 1) ?? []
}
