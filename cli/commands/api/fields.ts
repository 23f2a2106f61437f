import { resolve } from 'node:path'
import { parseJson } from '../../client/json.ts'
import { usageError } from '../../output/cli-error.ts'
import { type InputStream, readSecret } from '../../settings/secret.ts'

interface Given {
  readonly field?: readonly string[]
  readonly typedField?: readonly string[]
}

/** One `-f` or `-F`: its value, or the file (`-` for stdin) that holds it. */
export interface RequestField {
  readonly flag: '-f' | '-F'
  readonly key: string
  readonly text: string
  /** Absolute. */
  readonly file?: string
}

/** Repeated flags, in order. */
export const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value]

/** The fields of `-f` (text) and `-F` (JSON, or text of a file or of stdin), checked; no file is read yet. */
export const fieldsOf = ({ field = [], typedField = [] }: Given): readonly RequestField[] => [
  ...field.map((pair) => split(pair, '-f')),
  ...typedField.map((pair) => located(split(pair, '-F'))),
]

/** What the fields come to, files and stdin read. */
export async function readFields(
  fields: readonly RequestField[],
  stdin: InputStream,
): Promise<Record<string, unknown>> {
  const pairs: [string, unknown][] = []
  for (const field of fields) pairs.push([field.key, await valueOf(field, stdin)])
  return Object.fromEntries(pairs)
}

function split(pair: string, flag: RequestField['flag']): RequestField {
  const at = pair.indexOf('=')
  if (at < 1) throw usageError(`${flag} takes key=value, not ${pair}`, undefined, [flag])
  return { flag, key: pair.slice(0, at), text: pair.slice(at + 1) }
}

function located(field: RequestField): RequestField {
  const { text } = field
  if (text === '-' || text === '@-') return { ...field, file: '-' }
  return text.startsWith('@') ? { ...field, file: resolve(text.slice(1)) } : field
}

async function valueOf({ flag, key, text, file }: RequestField, stdin: InputStream): Promise<unknown> {
  if (file !== undefined) return readSecret(file, `-F ${key}`, stdin)
  if (flag === '-f') return text
  try {
    return parseJson(text)
  } catch {
    throw usageError(`-F ${key} is not JSON: ${text}`, `For text use -f ${key}=…`, ['-F'])
  }
}
