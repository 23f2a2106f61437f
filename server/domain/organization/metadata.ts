import sjson from 'secure-json-parse'
import { Failure } from '../../../shared/failure.ts'

type Metadata = Readonly<Record<string, unknown>>

const longest = 16_384
const deepest = 5
/** NUL and lone surrogates, as JSON writes them. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** An object, or JSON text of one; stored as an object. Refuses what is no object, too long or too deep. */
export function parseMetadata(given: Metadata | string | null): Metadata | null {
  const parsed = typeof given === 'string' ? parse(given) : given
  if (parsed === null) return null
  const isRecord = typeof parsed === 'object' && !Array.isArray(parsed)
  if (!isRecord || JSON.stringify(parsed).length > longest || isDeeper(parsed, deepest))
    throw new Failure('INVALID_BODY')
  return parsed as Metadata
}

function parse(text: string): unknown {
  try {
    const value: unknown = sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
    // Escapes of what PostgreSQL cannot keep came through as plain text until now.
    if (unstorable.test(JSON.stringify(value))) throw new Failure('INVALID_BODY')
    return value
  } catch (cause) {
    throw new Failure('INVALID_BODY', { cause })
  }
}

/** Looks no further than it has to: thousands of levels would be too many for the stack. */
const isDeeper = (value: unknown, levels: number): boolean =>
  value !== null &&
  typeof value === 'object' &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))
