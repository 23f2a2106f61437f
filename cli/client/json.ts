import parse from 'secure-json-parse'

const maxDepth = 50
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The parser for all JSON from outside. Drops keys that could pollute a prototype and refuses nesting deeper than 50.
 * Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  const value: unknown = parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
  return cleaned(value, 0)
}

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) throw new SyntaxError(`JSON is nested deeper than ${maxDepth}`)
  for (const [key, child] of Object.entries(value)) {
    if (!Array.isArray(value) && forbidden.has(key)) Reflect.deleteProperty(value, key)
    else cleaned(child, depth + 1)
  }
  return value
}

export const isRecord = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a JSON object; undefined if it is none. */
export function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
