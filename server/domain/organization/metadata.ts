import sjson from 'secure-json-parse'
import { Failure } from '../../../shared/failure.ts'
import { inputProblem } from '../../../shared/input-problem.ts'

type Metadata = Readonly<Record<string, unknown>>
type Path = readonly [string, ...string[]]

const maxLength = 16_384
const maxDepth = 5
/** NUL and lone surrogates, as JSON writes them. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** Takes an object, or JSON text of one; answers the object. Refuses anything else, and what is too long or too deep; `path`: the field of it. */
export function parseMetadata(given: Metadata | string | null, path: Path): Metadata | null {
  const parsed = typeof given === 'string' ? parse(given, path) : given
  if (parsed === null) return null
  const isRecord = typeof parsed === 'object' && !Array.isArray(parsed)
  if (!isRecord) throw wrong(path, 'an object, or the JSON text of one')
  if (isDeeper(parsed, maxDepth)) throw wrong(path, `at most ${maxDepth} levels`)
  const text = JSON.stringify(parsed)
  if (text.length > maxLength) throw wrong(path, `at most ${maxLength} characters of JSON`)
  // The input was checked for characters that PostgreSQL cannot store, but not their escapes inside a JSON text.
  if (typeof given === 'string' && unstorable.test(text)) throw wrong(path, 'texts without NUL and lone surrogates')
  return parsed as Metadata
}

function parse(text: string, path: Path): unknown {
  try {
    return sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
  } catch (cause) {
    throw wrong(path, 'an object, or the JSON text of one', cause)
  }
}

const wrong = (path: Path, expected: string, cause?: unknown) =>
  new Failure('INVALID_BODY', { cause, details: [inputProblem(path, expected)] })

/** Stops at the limit: thousands of levels would overflow the stack. */
const isDeeper = (value: unknown, levels: number): boolean =>
  value !== null &&
  typeof value === 'object' &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))
