import { parseJson } from '../../client/json.ts'
import { usage } from '../../refusal.ts'
import { type Input, readSecret } from '../../secret.ts'

interface Given {
  readonly field?: readonly string[]
  readonly typedField?: readonly string[]
}

/** Repeated flags, in order. */
export const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value]

/** The fields of `-f` (text) and `-F` (JSON, or text of a file or of stdin). */
export async function readFields(
  { field = [], typedField = [] }: Given,
  stdin: Input,
): Promise<Record<string, unknown>> {
  const fields: [string, unknown][] = field.map((pair) => split(pair, '-f'))
  for (const pair of typedField) {
    const [key, text] = split(pair, '-F')
    fields.push([key, await typed(key, text, stdin)])
  }
  return Object.fromEntries(fields)
}

function split(pair: string, flag: string): [key: string, value: string] {
  const at = pair.indexOf('=')
  if (at < 1) throw usage(`${flag} takes key=value, not ${pair}`, undefined, [flag])
  return [pair.slice(0, at), pair.slice(at + 1)]
}

async function typed(key: string, text: string, stdin: Input): Promise<unknown> {
  if (text === '-' || text.startsWith('@')) return readSecret(text.replace(/^@/, ''), `-F ${key}`, stdin)
  try {
    return parseJson(text)
  } catch {
    throw usage(`-F ${key} is not JSON: ${text}`, `For text use -f ${key}=…`, ['-F'])
  }
}
