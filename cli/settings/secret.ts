import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type CliError, usageError } from '../output/cli-error.ts'
import { unreadableHint, whyUnreadable } from './unreadable.ts'

const maxLength = 65_536

/** Reads a secret from a file or stdin (`-`), without one trailing newline. */
export async function readSecret(path: string, flag: string, host: Input): Promise<string> {
  if (path === '-' && host.stdin.isTTY)
    throw usageError(`${flag} - would show what is typed`, `Leave ${flag} out to be asked`, [flag])
  const text =
    path === '-' ? await readAll(stdinOf(host), maxLength, () => tooLarge('-', flag)) : await readSecretFile(path, flag)
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw usageError(`${flag} ${path} is empty`, 'Put the secret into it, in one line', [flag])
  return secret
}

export type InputStream = AsyncIterable<Buffer | string>

/** The part of a process that is needed to read its stdin. */
export interface Input {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly signal: AbortSignal
}

/** Stdin, to be read at once. Ctrl+C ends it, because a pipe or a person may keep it open. */
export function stdinOf({ stdin, signal }: Input): Readable {
  signal.throwIfAborted()
  signal.addEventListener('abort', () => stdin.destroy(signal.reason), { once: true })
  return stdin
}

/** All of a stream as text. Beyond `maxBytes` it reads no further and throws, because a pipe may never end. */
export async function readAll(stream: InputStream, maxBytes: number, tooLong: () => CliError): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > maxBytes) throw tooLong()
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const tooLarge = (path: string, flag: string): CliError =>
  usageError(`${flag} is too large to be a secret: ${path}`, unreadableHint, [flag])

async function readSecretFile(path: string, flag: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw usageError(`${flag} cannot be read: ${path} (${whyUnreadable(cause)})`, `${unreadableHint}, or - for stdin`, [
      flag,
    ])
  })
  if (text.length > maxLength) throw tooLarge(path, flag)
  return text
}
