const maxDepth = 20
const maxKeys = 200

/** Where something stands that is not taken, and what is expected there. */
export interface Unstorable {
  readonly path: readonly string[]
  readonly expected: string
}

const here = (expected: string): Unstorable => ({ path: [], expected })

/** PostgreSQL takes neither NUL nor lone surrogates; deep or wide values only cost time. */
export function findUnstorable(value: unknown): Unstorable | null {
  let keys = 0
  const find = (part: unknown, depth: number): Unstorable | null => {
    if (typeof part === 'string') return isText(part) ? null : here('a text without NUL and lone surrogates')
    if (part === null || typeof part !== 'object') return null
    const entries = Object.entries(part)
    keys += entries.length
    if (depth >= maxDepth) return here(`at most ${maxDepth} levels`)
    if (keys > maxKeys) return here(`at most ${maxKeys} fields and entries in all`)
    for (const [key, inner] of entries) {
      if (!isText(key)) return here('names without NUL and lone surrogates')
      const found = find(inner, depth + 1)
      if (found) return { ...found, path: [key, ...found.path] }
    }
    return null
  }
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
  return isObject ? find(value, 0) : here('an object')
}

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
