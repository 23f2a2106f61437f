import { createReadStream } from 'node:fs'
import { CliError, usageError } from '../output/cli-error.ts'
import { hasReplacements } from '../process/decoded-text.ts'
import { unreadableHint, whyUnreadable } from '../process/file-faults.ts'
import { type Input, readAll, stdinOf } from '../process/stdin.ts'

/** A longer list takes minutes and may be a mistake, such as a pipe that never ends. */
export const maxLines = 10_000
const maxBytes = 2 * 1024 * 1024

export const tooLong = (source: string, hint = `Split the list first: split -l ${maxLines}`): CliError =>
  usageError(`${source} is too long: at most ${maxLines} lines and ${maxBytes / 1024 / 1024} MiB at once`, hint)

/** Replaces the argument `-` by the lines of stdin. Blank lines are skipped. */
export async function expandStdinLines(host: Input, words: readonly string[]): Promise<string[]> {
  if (!words.includes('-')) return [...words]
  if (words.filter((word) => word === '-').length > 1) throw usageError('stdin (-) can be given only once')
  const all = await readAll(stdinOf(host), maxBytes, () => tooLong('stdin (-)'))
  if (hasReplacements(all)) throw usageError('stdin (-) is not UTF-8 text', 'Save the list as UTF-8')
  const lines = all.split(/\r?\n/).map((line) => line.trim())
  const given = lines.filter((line) => line !== '')
  if (given.length > maxLines) throw tooLong('stdin (-)')
  return words.flatMap((word) => (word === '-' ? given : [word]))
}

/** Only the first part would keep the header. */
export const splitCsv = 'Split the file, and repeat the header in each part'

/** The text of a CSV file, or of stdin for `-`. */
export async function readCsvText(path: string, host: Input): Promise<string> {
  const source = path === '-' ? stdinOf(host) : createReadStream(path)
  try {
    const text = await readAll(source, maxBytes, () => tooLong(nameOfSource(path), splitCsv))
    if (hasReplacements(text))
      throw usageError(`${nameOfSource(path)} is not UTF-8 text`, 'Save it as CSV UTF-8', ['--csv'])
    return text
  } catch (error) {
    if (error instanceof CliError) throw error
    const why = whyUnreadable(error as NodeJS.ErrnoException)
    throw usageError(`--csv cannot be read: ${path} (${why})`, `${unreadableHint}, or - for stdin`, ['--csv'])
  }
}

export const nameOfSource = (path: string): string => (path === '-' ? 'stdin (-)' : path)
