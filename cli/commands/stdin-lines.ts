import { usageError } from '../output/cli-error.ts'
import { type InputStream, readAll } from '../settings/secret.ts'

/** The arguments with `-` replaced by the lines of stdin; blank lines are skipped. */
export async function linesOf(stdin: InputStream, words: readonly string[]): Promise<string[]> {
  if (!words.includes('-')) return [...words]
  if (words.filter((word) => word === '-').length > 1) throw usageError('stdin (-) can be named once only')
  const lines = (await readAll(stdin)).split(/\r?\n/).map((line) => line.trim())
  const given = lines.filter((line) => line !== '')
  return words.flatMap((word) => (word === '-' ? given : [word]))
}
