import sjson from 'secure-json-parse'
import { Failure } from '../../../shared/failure.ts'

type Metadata = Readonly<Record<string, unknown>>

const maxLength = 16_384
const maxDepth = 5
/** NUL and lone surrogates, as JSON writes them. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** Takes an object, or JSON text of one; answers the object. Refuses anything else, and what is too long or too deep. */
export function parseMetadata(given: Metadata | string | null): Metadata | null {
  const parsed = typeof given === 'string' ? parse(given) : given
  if (parsed === null) return null
  const isRecord = typeof parsed === 'object' && !Array.isArray(parsed)
  if (!isRecord || JSON.stringify(parsed).length > maxLength || isDeeper(parsed, maxDepth))
    throw new Failure('INVALID_BODY')
  return parsed as Metadata
}

function parse(text: string): unknown {
  try {
    const value: unknown = sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
    // The input was checked for characters that PostgreSQL cannot store, but not their escapes inside this text.
    if (unstorable.test(JSON.stringify(value))) throw new Failure('INVALID_BODY')
    return value
  } catch (cause) {
    throw new Failure('INVALID_BODY', { cause })
  }
}

/** Stops at the limit: thousands of levels would overflow the stack. */
const isDeeper = (value: unknown, levels: number): boolean =>
  value !== null &&
  typeof value === 'object' &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))
