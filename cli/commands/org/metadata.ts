import { readFile } from 'node:fs/promises'
import { parseJson } from '../../client/json.ts'
import { usage } from '../../refusal.ts'
import { whyUnreadable } from '../../unreadable.ts'

export const metadataOption = ['--metadata <json>', 'a JSON object, or @file that holds one'] as const

type Metadata = Record<string, unknown>

/** What `--metadata` gives: a JSON object, from the word itself or from a file. */
export async function metadataOf(word: string): Promise<Metadata> {
  const text = word.startsWith('@') ? await textOf(word.slice(1)) : word
  const value = parsed(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Metadata
  throw usage('--metadata is not a JSON object', `For example: --metadata '{"plan":"pro"}'`, ['--metadata'])
}

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw usage(`--metadata cannot be read: ${path} (${whyUnreadable(cause)})`, undefined, ['--metadata'])
  })

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
