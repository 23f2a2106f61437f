import { createReadStream } from 'node:fs'
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts'
import { CliError, usageError } from '../output/cli-error.ts'
import { hasReplacements } from '../process/decoded-text.ts'
import { unreadableHint, whyUnreadable } from '../process/file-faults.ts'
import { type Input, readAll, stdinOf } from '../process/stdin.ts'

const maxLength = 65_536

/** What is read, in the words of the command that reads it. */
export interface Wanted {
  /** The flag, argument or variable that says where it is: `--password-file`, `LINK`. */
  readonly name: string
  /** `password`, `link`. */
  readonly what: string
  /** How the command is told to read a file: `--password-file FILE`. */
  readonly inFile: string
  /** A person is asked for it when it is left out. */
  readonly isAsked?: boolean
  /** The next step when there is nothing, if it is not the usual one. */
  readonly whenEmpty?: string | undefined
}

/**
 * Reads a secret from a file or stdin (`-`), without one trailing newline. Bytes that are not UTF-8 are refused: a
 * password with other characters in their place would be stored, and nobody could type it.
 */
export async function readSecret(path: string, wanted: Wanted, host: Input): Promise<string> {
  const { name, what, isAsked, whenEmpty } = wanted
  if (path === '-' && host.stdin.isTTY)
    throw usageError(
      `${name} - would show what is typed`,
      isAsked ? `Leave ${name} out to be asked` : pipeOrFile(wanted),
      [name],
    )
  const secret = await textOf(path, wanted, host)
  if (secret !== '') return secret
  if (path === '-') throw usageError(`stdin has no ${what}`, whenEmpty ?? pipeOrFile(wanted), [name])
  throw usageError(`${name} ${path} is empty`, whenEmpty ?? `Put the ${what} into it, in one line`, [name])
}

async function textOf(path: string, wanted: Wanted, host: Input): Promise<string> {
  const { name, what } = wanted
  const text =
    path === '-'
      ? await readAll(stdinOf(host), maxLength, () => tooLarge('-', wanted))
      : await readSecretFile(path, wanted)
  if (hasReplacements(text))
    throw usageError(`${nameOfSource(path, name)} is not UTF-8 text`, `Save the ${what} as UTF-8`, [name])
  return withoutByteOrderMark(text).replace(/\r?\n$/, '')
}

const nameOfSource = (path: string, name: string): string => (path === '-' ? 'stdin' : `${name} ${path}`)

const pipeOrFile = ({ what, inFile }: Wanted): string => `Pipe the ${what} in, or name a file: ${inFile}`

const tooLarge = (path: string, { name, what }: Wanted): CliError =>
  usageError(
    `${nameOfSource(path, name)} is too large: at most ${maxLength / 1024} KiB`,
    `It has to hold the ${what} and nothing else`,
    [name],
  )

/** Reads no further than a secret can be long: a file may be a device or a pipe that never ends. */
const readSecretFile = (path: string, wanted: Wanted): Promise<string> =>
  readAll(createReadStream(path), maxLength, () => tooLarge(path, wanted)).catch((cause: unknown) => {
    if (cause instanceof CliError) throw cause
    const why = whyUnreadable(cause as NodeJS.ErrnoException)
    throw usageError(`${wanted.name} cannot be read: ${path} (${why})`, `${unreadableHint}, or - for stdin`, [
      wanted.name,
    ])
  })
